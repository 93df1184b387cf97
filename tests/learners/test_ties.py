"""What is chosen on dev data does not depend on the order of its candidates, and ties that are left are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runoff import NBest
from runoff.learners import CRF, AdaRank, Boost, LogLinear, Perceptron, Regression
from runoff.learners.switching import choose_threshold
from runoff.metrics import get


def lists(seed: int, groups: int = 30, size: int = 6, *, order: str = "drawn") -> NBest:
    """Lists of a few binary features, so that early prefixes leave many ties; the same lists in any order."""
    rng = np.random.default_rng(seed)
    X = (rng.random((groups * size, 5)) < 0.3).astype(float)
    quality = (X[:, 0] + X[:, 1] + 2 * rng.random(groups * size) > 1.7).astype(float)
    rank = {"drawn": np.zeros(quality.size), "best first": -quality, "worst first": quality}[order]
    rows = np.lexsort((rank, np.repeat(np.arange(groups), size)))
    return NBest.from_arrays(X[rows], quality=quality[rows], sizes=[size] * groups)


@pytest.mark.parametrize(
    "learner",
    [
        Boost(smoothing=0.01, max_rounds=30, min_groups=1, metric="map"),
        Boost(smoothing=0.01, max_rounds=30, min_groups=1),
        LogLinear(sigma=(0.03, 1.0), metric="map"),
        Perceptron(max_epochs=5),
        CRF("ml", l2=(0.001, 0.1)),
        Regression(),
        AdaRank(max_rounds=10),
    ],
    ids=lambda each: f"{each.name}-{each.metric}",
)
def test_the_order_of_the_dev_data_does_not_matter(learner: Any) -> None:
    train = lists(0)
    entries, weights = [], []
    for order in ("drawn", "best first", "worst first"):
        model = learner.clone().fit(train, lists(1, order=order)).model
        weights.append(model.weights.tobytes())
        entries.append(model.provenance["dev"])
    assert len(set(weights)) == 1
    assert entries[1]["score"] == pytest.approx(entries[0]["score"], abs=1e-12)
    assert entries[2]["score"] == pytest.approx(entries[0]["score"], abs=1e-12)
    assert entries[0]["metric"].endswith("|ties:score, then first round, then expected")
    assert entries[1]["first_round"] > entries[2]["first_round"]  # without scores, the order is the first round's


def test_zero_rounds_do_not_live_off_a_file_that_lists_the_best_first() -> None:
    # Before ties were counted in expectation, no round was better than the order of the file.
    chosen = Boost(smoothing=0.01, max_rounds=30, min_groups=1).fit(lists(0), lists(1, order="best first"))
    assert chosen.model.provenance["rounds"] > 0


def test_a_threshold_counts_ties_behind_the_first_choice_in_expectation() -> None:
    scores = np.tile([0.0, 1.0, 1.0], 40)  # two others lead the first choice, and are tied
    found = [
        choose_threshold(NBest.from_arrays(sizes=[3] * 40, quality=quality * 40), scores, get("quality"))
        for quality in ([0.4, 0.0, 1.0], [0.4, 1.0, 0.0])
    ]
    assert [each.gain for each in found] == pytest.approx([0.1, 0.1])


def test_many_ties_are_told() -> None:
    data = NBest.from_arrays([[1], [1], [0]] * 10 + [[1], [0], [0]] * 10, quality=[1, 0, 0] * 20, sizes=[3] * 20)
    model = LogLinear(sigma=1.0).fit(data).model
    assert model.provenance["undecided"] == {"data": "training", "groups": 10, "of": 20}
    (note,) = model.provenance["notes"]
    assert note.startswith("10 of 20 choices on the training data are ties of candidates of different quality: only")
    with_dev = LogLinear(sigma=1.0).fit(data, data[10:]).model
    assert with_dev.provenance["undecided"] == {"data": "dev", "groups": 0, "of": 10}
    assert not with_dev.provenance.get("notes")
    scored = data.replace(base=np.arange(60.0))
    assert LogLinear(sigma=1.0, base=False).fit(scored).model.provenance["undecided"]["groups"] == 0
