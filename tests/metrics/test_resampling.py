"""One object for resampling: the same numbers as the functions that it calls."""

from __future__ import annotations

import numpy as np
import pytest

from runoff import NBest
from runoff.errors import UsageError
from runoff.metrics import WER, Quality, Resampling, interval, paired_bootstrap, randomisation


def rows(seed: int, width: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).integers(0, 5, (30, width)).astype(np.float64)
    drawn[:, -1] = 5.0
    return drawn


def test_numbers_are_those_of_the_functions() -> None:
    a, b, score = rows(0, 2), rows(1, 2), Quality().score
    resampling = Resampling(resamples=200, confidence=0.9, trials=300, seed=4)
    assert resampling.interval(a, Quality()) == interval(a, score, resamples=200, confidence=0.9, seed=4)
    assert resampling.difference(a, b, Quality()) == paired_bootstrap(
        a, b, score, resamples=200, confidence=0.9, seed=4
    )
    assert resampling.p_value(a, b, Quality()) == randomisation(a, b, score, trials=300, seed=4)


def test_fewer_errors_are_a_positive_difference() -> None:
    a, b = rows(0, 4), rows(0, 4)
    b[:, 0] += 1.0
    found = Resampling(resamples=200).difference(a, b, WER())
    assert found.delta == pytest.approx(20.0)  # one edit in five words
    assert found.low > 0
    assert Resampling(trials=300).p_value(a, b, WER()) == Resampling(trials=300).p_value(b, a, WER())


def test_defaults_and_signature() -> None:
    assert Resampling() == Resampling(1_000, 0.95, 10_000, 0)
    assert Resampling(seed=3).signature_parts == ("bootstrap:1000", "confidence:0.95", "randomisation:10000", "seed:3")


def test_lists_that_share_a_reference_are_resampled_together() -> None:
    said = [str(at // 3) for at in range(30)]
    speakers = [str(at // 10) for at in range(30)]
    data = NBest.from_arrays(texts=said, sizes=[1] * 30, references=said, attributes={"speaker": speakers})
    a, b, blocks = rows(0, 2), rows(1, 2), np.repeat(np.arange(10), 3)
    found = Resampling().over(data)
    assert found.difference(a, b, Quality()) == paired_bootstrap(a, b, Quality().score, blocks=blocks)
    assert found.interval(a, Quality()) == interval(a, Quality().score, blocks=blocks)
    assert found.p_value(a, b, Quality()) == randomisation(a, b, Quality().score, blocks=blocks)
    assert found.signature_parts[0] == "blocks:10"
    assert Resampling(group_by="speaker").over(data).signature_parts[0] == "blocks:3"
    assert Resampling(group_by="none").over(data).signature_parts == Resampling().signature_parts


@pytest.mark.parametrize(
    "wrong", [{"resamples": 0}, {"trials": 0}, {"confidence": 0.0}, {"confidence": 1.0}, {"confidence": float("nan")}]
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"resamples and trials must be at least 1, and confidence between 0 and 1\."):
        Resampling(**wrong)
