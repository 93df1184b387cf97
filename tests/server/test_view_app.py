"""The viewer's server, as a browser asks it."""

from __future__ import annotations

import threading
import time

import pytest

import runoff
from helpers.running_service import Running
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server.study import Study
from runoff.server.view_app import create_view
from runoff.server.web_server import listening, server_of


@pytest.fixture(scope="module")
def viewer():
    lists = [
        {
            "id": f"g{at}",
            "references": ["the cat sat"],
            "candidates": [
                {"text": "the cats at", "features": {"lm": 0.0}, "base": 1.0},
                {"text": "the cat sat", "features": {"lm": 1.0}, "base": 0.5},
            ],
        }
        for at in range(30)
    ]
    data = runoff.grade(runoff.NBest.from_records(lists), "wer")
    study = Study(data, LinearModel.of({"lm": 1.0}), resampling=Resampling(resamples=20, trials=20), name="cats")
    where = listening("127.0.0.1", 0)
    server = server_of(create_view(study, "127.0.0.1"), 5.0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield Running(where.getsockname()[1])
    server.should_exit = True
    thread.join(30)
    where.close()


def test_it_shows_pages_and_numbers(viewer):
    status, page, headers = viewer.ask("GET", "/")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    for name in ("main.js", "style.css"):
        assert f"page/{name}" in page
        assert viewer.ask("GET", f"/page/{name}")[0] == 200
    assert viewer.ask("GET", "/api/overview")[1]["outcomes"]["better"] == 30
    found = viewer.ask("GET", "/api/groups?show=better&q=g2&order=gain&size=5")[1]
    assert [each["id"] for each in found["groups"]] == ["g2", "g20", "g21", "g22", "g23"]
    assert viewer.ask("GET", "/api/groups/3?rival=0")[1]["explanation"]["difference"] == 1.0


@pytest.mark.parametrize("path", ["/page/../study.py", "/page/index.html", "/page/%2e%2e%2fapp.py", "/page/nowhere.js"])
def test_it_shows_nothing_else(viewer, path):
    assert viewer.ask("GET", path)[0] == 404


def test_other_addresses_are_refused(viewer):
    # A page elsewhere whose name is made to lead here could otherwise read the lists.
    status, found, _ = viewer.ask("GET", "/api/overview", host="evil.example:8000")
    assert (status, found["message"]) == (403, "this page is not at 'evil.example'.")


def test_what_if_and_its_model(viewer, tmp_path):
    assert viewer.ask("POST", "/api/what-if", {"factors": {"lm": -1.0}})[1]["outcomes"]["kept"] == 30
    for wrong in (b"{", {"factors": 3}, {"factors": {"lm": "x"}}, []):
        assert viewer.ask("POST", "/api/what-if", wrong)[0] == 422
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", viewer.port)
    connection.request("POST", "/api/model", b'{"factors": {"lm": -2.0}}')
    path = tmp_path / "m.runoff"
    path.write_bytes(connection.getresponse().read())
    assert runoff.load(path).heaviest() == [("lm", -2.0)]


def test_what_is_shown_can_be_exported(viewer, tmp_path):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", viewer.port)
    connection.request("GET", "/api/export?q=g2")
    path = tmp_path / "lists.jsonl"
    path.write_bytes(connection.getresponse().read())
    assert runoff.read(path).group_ids.to_pylist() == ["g2", *(f"g{at}" for at in range(20, 30))]


def test_mistakes_are_said(viewer):
    status, found, _ = viewer.ask("GET", "/api/groups?show=new")
    assert (status, found["message"]) == (
        422,
        "there is no filter 'new'; there are: all, changed, better, worse, missed, unsure.",
    )
    assert viewer.ask("GET", "/api/groups/99")[0] == 422
