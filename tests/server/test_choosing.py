"""Answers equal what the model says itself, alone or in a batch."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

import runoff
from runoff.errors import RunoffError
from runoff.server.choosing import answers
from runoff.server.jobs import choose_job, rerank_job
from runoff.server.served_model import ServedModel
from runoff.server.service_settings import ServiceSettings


def jobs_of(path, bodies, read=choose_job):
    models = {"m": ServedModel(path, "m")}
    return [read(orjson.dumps(body), models, ServiceSettings()) for body in bodies]


def random_lists(rng, many):
    for at in range(many):
        candidates = [
            {"text": f"t{row}", "features": {"lm": float(rng.normal()), "length": float(rng.integers(9))}}
            for row in range(int(rng.integers(1, 8)))
        ]
        yield {"id": f"g{at}", "candidates": candidates}


def test_a_batch_answers_what_each_would_get_alone(rows_model):
    rng = np.random.default_rng(0)
    bodies = [
        {"lists": list(random_lists(rng, int(rng.integers(1, 4)))), "scores": True, "explain": True} for _ in range(9)
    ]
    jobs = jobs_of(rows_model, bodies)
    assert len({job.shape for job in jobs}) == 1
    assert answers(jobs) == [answers([job])[0] for job in jobs]


def test_texts_in_a_batch_are_answered_as_alone(text_model):
    bodies = [{"candidates": [first, second], "scores": True} for first, second in (("a b", "a c d"), ("x", "x y"))]
    jobs = jobs_of(text_model, bodies)
    assert jobs[0].shape == jobs[1].shape
    assert answers(jobs) == [answers([job])[0] for job in jobs]


def test_choices_are_those_of_the_model(rows_model):
    lists = list(random_lists(np.random.default_rng(1), 20))
    (answer,) = answers(jobs_of(rows_model, [{"lists": lists, "scores": True}]))
    model = runoff.load(rows_model)
    assert [each["index"] for each in answer["choices"]] == [each.index for each in model.pick(lists)]
    assert [each["group"] for each in answer["choices"]] == [each["id"] for each in lists]
    scores = [score for each in answer["choices"] for score in each["scores"]]
    np.testing.assert_array_equal(scores, model.scores(lists))


def test_a_mistake_is_its_own_jobs_alone(rows_model):
    right = {"candidates": [{"features": {"lm": 1.0}}, {"features": {"lm": 2.0}}]}
    wrong = {"candidates": [{"features": {"lm": "high"}}]}
    found = answers(jobs_of(rows_model, [right, wrong, right]))
    assert isinstance(found[1], RunoffError)
    assert "expected a finite number for feature 'lm' of candidate 1" in str(found[1])
    assert found[0] == found[2]
    assert found[0]["choices"][0]["index"] == 1


def test_lists_without_candidates_and_with_one_have_no_reasons(rows_model):
    one = {"features": {"lm": 1.0}}
    (answer,) = answers(jobs_of(rows_model, [{"lists": [{"candidates": []}, {"candidates": [one]}], "explain": True}]))
    assert [each["index"] for each in answer["choices"]] == [-1, 0]
    assert [each["explanation"] for each in answer["choices"]] == [None, None]


def test_a_reranking_is_the_order_of_the_model(rows_model):
    documents = [{"text": str(at), "features": {"lm": value}} for at, value in enumerate((0.0, 3.0, 1.0, 3.0))]
    body = {"query": "q", "documents": documents, "top_n": 3, "return_documents": True}
    (answer,) = answers(jobs_of(rows_model, [body], rerank_job))
    assert [each["index"] for each in answer["results"]] == [1, 3, 2]  # ties: the earlier one
    odds = np.exp([0.0, 3.0, 1.0, 3.0])
    expected = (odds / odds.sum())[[1, 3, 2]]
    assert [each["relevance_score"] for each in answer["results"]] == pytest.approx(expected)
    assert answer["results"][0]["document"] == {"text": "1"}


def test_a_model_with_confidence_abstains(text_model):
    bodies = [{"candidates": ["the cats at", "the cat sat"], "min_confidence": 1.0}]
    (answer,) = answers(jobs_of(text_model, bodies))
    (choice,) = answer["choices"]
    assert choice["abstained"] == (choice["confidence"] < 1)
