"""From raw data to an evaluated model, for any task with a first round: split, jackknife, features, training, test."""

from runoff.pipeline.run import Outcome, run_pipeline

__all__ = ["Outcome", "run_pipeline"]
