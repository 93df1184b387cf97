"""What several tests build on: slow oracles and small data."""
