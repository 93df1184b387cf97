"""What requests are, and what is said of those that are not."""

from __future__ import annotations

import orjson
import pytest

from runoff.server.jobs import choose_job, rerank_job
from runoff.server.request_error import RequestError
from runoff.server.served_model import ServedModel
from runoff.server.service_settings import ServiceSettings

SETTINGS = ServiceSettings(candidates=5)


@pytest.fixture
def models(rows_model):
    return {name: ServedModel(rows_model, name) for name in ("a", "b")}


def rows(**features):
    return {"candidates": [{"features": features}, {"features": features}]}


def test_choose_takes_one_list_or_several(models):
    one = choose_job(orjson.dumps(rows(lm=1)), models, SETTINGS)
    several = choose_job(orjson.dumps({"lists": [["x", "y"], {"candidates": ["z"]}], "model": "b"}), models, SETTINGS)
    assert (one.served.name, len(one.records), one.candidates) == ("a", 1, 2)
    assert (several.served.name, len(several.records), several.candidates) == ("b", 2, 3)


def test_jobs_with_equal_keys_and_features_are_scored_together(models):
    def shape(given):
        return choose_job(orjson.dumps(given), models, SETTINGS).shape

    assert shape(rows(lm=1, length=2)) == shape({**rows(length=5, lm=0), "id": "x"})
    assert shape(rows(lm=1)) != shape(rows(length=1))
    assert shape(rows(lm=1)) != shape({**rows(lm=1), "input": "x"})
    assert shape(rows(lm=1)) != shape({**rows(lm=1), "model": "b"})
    # A document could tie a list to others of the same batch; further keys of candidates are reported one by one.
    assert shape({**rows(lm=1), "document": "d"}) is None
    assert shape({"candidates": [{"text": "a", "rank": 1}]}) is None


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "the body is not JSON: unexpected end of data: line 1 column 2 (char 1)."),
        (b"\xff\xfe", 400, "the body is not JSON"),
        (b"[" * 100_000, 400, "the body is not JSON"),
        (b"3", 400, "expected a JSON object, found 3."),
        (b"{}", 400, "found nothing."),
        (b'{"texts": []}', 400, "found 'texts'."),
        (b'{"lists": []}', 400, "expected a list with at least one list for 'lists', found []."),
        (b'{"lists": [3]}', 400, "list 1: expected an object with 'candidates', or a list of texts, found 3."),
        (
            b'{"lists": [["a"]], "explane": true}',
            400,
            "unknown key 'explane' beside 'lists'; there are: model, explain",
        ),
        (b'{"lists": [["a"]], "explain": 1}', 400, "'explain' is true or false; found 1."),
        (b'{"lists": [["a"]], "min_confidence": 2}', 400, "'min_confidence' is from 0 to 1; found 2."),
        (b'{"lists": [["a"]], "model": "c"}', 404, "there is no model 'c'; there are: a, b."),
        (b'{"lists": [["a", "b", "c", "d", "e", "f"]]}', 413, "6 candidates in 1 lists are more than this service"),
        (b'{"lists": [[], [], [], [], [], []]}', 413, "0 candidates in 6 lists are more than this service"),
    ],
)
def test_what_is_wrong_is_said(models, body, status, message):
    with pytest.raises(RequestError) as caught:
        choose_job(body, models, SETTINGS)
    assert caught.value.status == status
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"documents": ["a"]}, "expected a text for 'query', found None."),
        ({"query": "q"}, "expected a list of at least one text for 'documents', found None."),
        ({"query": "q", "documents": []}, "expected a list of at least one text for 'documents', found []."),
        ({"query": "q", "documents": ["a", 1]}, "or an object with a 'text', for document 1, found 1."),
        ({"query": "q", "documents": ["a"], "top_n": 0}, "'top_n' is a number from 1; found 0."),
        ({"query": "q", "documents": ["a"], "top_n": True}, "'top_n' is a number from 1; found True."),
    ],
)
def test_what_is_wrong_with_a_reranking_is_said(models, given, message):
    with pytest.raises(RequestError) as caught:
        rerank_job(orjson.dumps(given), models, SETTINGS)
    assert message in caught.value.message


def test_rerank_clients_may_name_the_models_of_others(models, rows_model):
    # https://docs.cohere.com/reference/rerank: model, query, documents, top_n, max_tokens_per_doc
    given = {"model": "rerank-v3.5", "query": "q", "documents": ["a"], "top_n": 3, "max_tokens_per_doc": 4096}
    alone = {"only": ServedModel(rows_model, "only")}
    assert rerank_job(orjson.dumps(given), alone, SETTINGS).served.name == "only"
    with pytest.raises(RequestError, match=r"there is no model 'rerank-v3.5'; there are: a, b"):
        rerank_job(orjson.dumps(given), models, SETTINGS)
