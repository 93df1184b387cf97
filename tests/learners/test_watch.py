"""Watching a dev set while learning."""

import numpy as np
import pytest

from runoff import NBest
from runoff.learners.watch import DevWatch, Stop
from runoff.metrics import get


def test_weights_are_judged_by_name_and_wer_is_turned_round() -> None:
    dev = NBest.from_arrays(
        np.array([[1, 0], [0, 1]]), texts=["a b", "a c"], references=["a c"], sizes=[2], feature_names=["x", "y"]
    )
    watch = DevWatch(dev, get("wer"), NBest.from_arrays(np.eye(2), sizes=[2], feature_names=["y", "x"]).features.names)
    wrong, right = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert (watch.score(wrong, 0.0), watch.score(right, 0.0)) == (50.0, 0.0)  # one word of two, and none
    assert watch.metric.signed(watch.sums(right, 0.0)) > watch.metric.signed(watch.sums(wrong, 0.0))


def test_the_best_step_is_kept_and_the_search_ends_after_the_patience() -> None:
    stop = Stop(patience=2)
    for at, score in enumerate([-50.0, -25.0, -25.0]):
        stop.see(score, at)
    with pytest.raises(StopIteration):
        stop.see(-30.0, 3)
    assert (stop.best, stop.best_score) == (1, -25.0)  # the earlier of two that are as good
