"""The service as a program meets it."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from helpers.running_service import service
from runoff.model import LinearModel
from runoff.server.service_settings import ServiceSettings

LISTS = {"candidates": [{"text": "a", "features": {"lm": 1}}, {"text": "b", "features": {"lm": 2}}]}


@pytest.fixture(scope="module")
def running(rows_model, text_model):
    with service([rows_model, text_model], ServiceSettings(body=50_000, receiving=0.5)) as found:
        yield found


def test_it_chooses(running):
    status, found, _ = running.ask("POST", "/choose", {**LISTS, "explain": True})
    assert status == 200
    assert (found["model"], found["version"]) == ("rows", 1)
    assert found["choices"][0]["text"] == "b"
    assert found["choices"][0]["explanation"]["families"] == {"lm": 1.0}


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_it_reranks_texts_as_clients_ask(running, path):
    given = {"model": "texts", "query": "q", "documents": ["the cats at", "the cat sat"], "top_n": 1}
    status, found, headers = running.ask("POST", path, given, **{"x-request-id": "r-1"})
    assert status == 200
    assert found["id"] == headers["x-request-id"] == "r-1"
    assert len(found["results"]) == 1
    assert set(found["results"][0]) == {"index", "relevance_score"}


def test_it_describes_itself_without_anything_from_elsewhere(running):
    status, schema, _ = running.ask("GET", "/openapi.json")
    assert status == 200
    assert {"/choose", "/rerank", "/health", "/ready", "/metrics"} == set(schema["paths"])
    for path in ("/", "/docs"):
        status, page, _ = running.ask("GET", path)
        assert status == 200
        assert "POST /choose" in page
        assert "//" not in page.replace("http://HOST", "")
    # Its own examples work, or say what they lack.
    for path in ("/choose", "/rerank"):
        content = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        status, found, _ = running.ask("POST", path, {**content["example"], "model": "texts"})
        assert status == 200, found


def test_it_is_healthy_and_ready(running):
    assert running.ask("GET", "/health")[1]["status"] == "ok"
    assert running.ask("GET", "/ready")[1]["models"]["rows"] == {"version": 1, "file": "rows.runoff"}


def test_it_counts(running):
    running.ask("POST", "/choose", LISTS)
    running.ask("POST", "/choose", b"{")
    page = running.ask("GET", "/metrics")[1]
    assert 'runoff_requests_total{path="/choose",status="200"}' in page
    assert 'runoff_requests_total{path="/choose",status="400"}' in page
    assert 'runoff_model_version{model="rows"} 1.0' in page
    assert "runoff_batch_requests_bucket" in page


def test_what_is_too_large_is_refused_announced_or_not(running):
    big = b'{"candidates": ["' + b"a" * 60_000 + b'"]}'
    assert running.ask("POST", "/choose", big)[0] == 413
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"POST /choose HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(7):
            connection.sendall(b"2710\r\n" + b"a" * 10_000 + b"\r\n")
        assert b"413" in connection.recv(4096).split(b"\r\n")[0]


def test_a_body_that_does_not_come_is_given_up(running):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"POST /choose HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        connection.settimeout(10)
        assert b"408" in connection.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize("before", [b"", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_a_slow_loris_loses_its_connection(running, before):
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.settimeout(0.1)
        connection.sendall(before + b"POST /choose HTTP/1.1\r\n")
        received = b""
        while time.monotonic() - began < 10:
            try:
                part = connection.recv(4096)
                if not part:
                    break
                received += part
            except TimeoutError:
                connection.sendall(b"X-More: 1\r\n")
            except OSError:
                break
        assert time.monotonic() - began < 5
    assert received.startswith(b"HTTP/1.1 200") == bool(before)
    assert running.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize(
    "junk", [b"\x00\x01\x02\x03\r\n\r\n", b"GET\r\n\r\n", b"POST /choose HTTP/9.9\r\n\r\n", b"A" * 100_000]
)
def test_junk_is_answered_or_dropped(running, junk):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.settimeout(5)
        try:
            connection.sendall(junk)
            connection.recv(4096)
        except (ConnectionError, TimeoutError):
            pass
    assert running.ask("GET", "/health")[0] == 200


def test_a_caller_that_leaves_harms_nobody(running):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"POST /choose HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    assert running.ask("POST", "/choose", LISTS)[0] == 200


def test_a_token_is_asked_for(rows_model):
    with service([rows_model], ServiceSettings(token="secret")) as running:
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": "secret"}):
            status, found, headers = running.ask("POST", "/choose", LISTS, **given)
            assert (status, found["code"]) == (401, "unauthorised")
            assert headers["www-authenticate"] == "Bearer"
            assert running.ask("GET", "/metrics", **given)[0] == 401
        assert running.ask("POST", "/choose", LISTS, authorization="Bearer secret")[0] == 200
        assert running.ask("GET", "/health")[0] == 200


def test_a_model_whose_file_is_replaced_is_replaced(tmp_path):
    path = tmp_path / "m.runoff"
    LinearModel.of({"lm": 1.0}).save(path)
    with service([path], ServiceSettings()) as running:
        assert running.ask("POST", "/choose", LISTS)[1]["choices"][0]["text"] == "b"
        LinearModel.of({"lm": -1.0}).save(path)
        until = time.monotonic() + 20
        while running.ask("GET", "/ready")[1]["models"]["m"]["version"] == 1 and time.monotonic() < until:
            time.sleep(0.1)
        found = running.ask("POST", "/choose", LISTS)[1]
        assert (found["version"], found["choices"][0]["text"]) == (2, "a")
        path.write_bytes(b"damaged")
        time.sleep(1.5)
        assert running.ask("POST", "/choose", LISTS)[1]["version"] == 2
        assert 'outcome="refused"' in running.ask("GET", "/metrics")[1]


def test_many_callers_at_once_all_get_their_own_answer(running):
    wrong = []

    def caller(number):
        for at in range(20):
            given = {"id": f"{number}-{at}", "candidates": [{"features": {"lm": int(k == at % 3)}} for k in range(3)]}
            status, found, _ = running.ask("POST", "/choose", given)
            choice = found["choices"][0]
            if (status, choice["group"], choice["index"]) != (200, f"{number}-{at}", at % 3):
                wrong.append(found)

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
