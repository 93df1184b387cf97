"""From raw material to a proven model, for any task with a first round: split, jackknife, features, choice, proof."""

from runoff.pipeline.run import Outcome, run_pipeline

__all__ = ["Outcome", "run_pipeline"]
