"""The client against a service, and against what is none."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import runoff
from helpers.running_service import service
from runoff.errors import DataError, ModelError, RunoffError, UsageError
from runoff.server.client import Client
from runoff.server.service_settings import ServiceSettings


@pytest.fixture(scope="module")
def running(rows_model, text_model):
    with service([rows_model, text_model], ServiceSettings(token="secret")) as found:
        yield found


def test_it_gives_what_the_model_gives(running, text_model):
    client = runoff.Client(running.url, token="secret")
    lists = [["the cats at", "the cat sat"], {"id": "b", "candidates": ["a dock ran", "a dog ran", "a dog"]}]
    found = client.choose(lists, model="texts")
    expected = list(runoff.load(text_model).pick(lists))
    assert [(each.text, each.score, each.confidence) for each in found] == [
        (each.text, each.score, each.confidence) for each in expected
    ]
    assert [each.group for each in found] == ["1", "b"]
    explained = client.explain(["the cats at", "the cat sat"], model="texts")
    assert explained["difference"] == pytest.approx(sum(each["amount"] for each in explained["contributions"]))
    client.close()


def test_it_reranks(running):
    client = Client(running.url, token="secret")
    documents = [{"text": "a", "features": {"lm": 0.0}}, {"text": "b", "features": {"lm": 1.0}}]
    assert [each.index for each in client.rerank("q", documents, model="rows")] == [1, 0]
    assert [each.index for each in client.rerank("q", documents, model="rows", top_n=1)] == [1]


def test_what_the_service_refuses_is_raised(running):
    client = Client(running.url, token="secret")
    with pytest.raises(ModelError, match="the model knows none of the features of this data"):
        client.choose([["a", "b"]], model="rows")
    with pytest.raises(DataError, match="there is no model 'x'; there are: rows, texts"):
        client.choose([["a", "b"]], model="x")
    with pytest.raises(RunoffError, match="this service wants its token"):
        Client(running.url).choose([["a", "b"]])


def test_a_connection_that_was_closed_is_opened_again(rows_model):
    lists = [{"candidates": [{"features": {"lm": 0.0}}, {"features": {"lm": 1.0}}]}]
    with service([rows_model], ServiceSettings()) as running:
        client = Client(running.url)
        assert client.choose(lists)[0].index == 1
        client._local.connection.sock.close()
        assert client.choose(lists)[0].index == 1
    with pytest.raises(RunoffError, match="there is no service at"):
        client.choose(lists)


def test_what_is_no_service_is_said():
    class Other(BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.handle_request).start()
    with pytest.raises(RunoffError, match="is no Runoff service: it answered 200 b'<html>'"):
        Client(f"http://127.0.0.1:{server.server_port}").choose([["a"]])
    server.server_close()


def test_an_address_is_checked():
    with pytest.raises(UsageError, match="expected an address such as http://localhost:8000; found 'localhost:8000'"):
        Client("localhost:8000")
