"""Votes of equal answers, and how sure the first one is."""

from __future__ import annotations

import dataclasses
import math

import pytest

from runoff.model import LinearModel
from runoff.model.calibration import Calibration
from runoff.nbest import NBest
from runoff.tasks.answers.answer_ranking import SourcedSentence, ranked_answers
from runoff.tasks.answers.candidates import AnswerCandidate

TEXTS = ["Rex", "the Rex", "Fido", "Rex"]
SCORES = [1.0, 1.2, 2.0, 0.5]
CANDIDATES = [AnswerCandidate(at // 2, 0, 1, "phrase", text) for at, text in enumerate(TEXTS)]
SOURCES = [SourcedSentence("one", "a#1", "a", 1), SourcedSentence("two", "a#2", "a", 2)]


def answers(calibration=None, texts=TEXTS):
    model = dataclasses.replace(LinearModel.of({"x": 1.0}), calibration=calibration)
    data = NBest.from_arrays([[x] for x in SCORES], sizes=[4], texts=texts, feature_names=["x"])
    own = [each._replace(text=text) for each, text in zip(CANDIDATES, texts, strict=True)]
    (found,) = ranked_answers(model, data, [own], ["Who?"], [SOURCES])
    return found


def test_equal_answers_share_their_probability():
    found = answers()
    total = sum(map(math.exp, SCORES))
    rex = sum(math.exp(x) for x in (1.0, 1.2, 0.5)) / total
    assert [each.text for each in found.answers] == ["the Rex", "Fido"]  # as its best candidate writes it
    assert [each.share for each in found.answers] == pytest.approx([rex, 1 - rex], abs=1e-6)
    assert (found.best.sentences, found.best.source.text) == (2, "one")
    assert found.confidence is None
    # Its best candidate has less than Fido: what speaks for it are the votes.
    assert dict(found.reasons) == pytest.approx({"x": 1.2 - 2.0})


def test_confidence_is_that_of_all_who_say_it():
    calibration = Calibration("right", sharpness=0.5, intercept=-0.25, slope=1.5)
    shares = [math.exp(0.5 * x) for x in SCORES]
    rex = (shares[0] + shares[1] + shares[3]) / sum(shares)
    wanted = 1 / (1 + math.exp(-(-0.25 + 1.5 * math.log(rex / (1 - rex)))))
    assert answers(calibration).confidence == pytest.approx(wanted, abs=1e-6)
    assert answers(Calibration("right", alone=0.4), ["Rex"] * 4).confidence == 0.4
