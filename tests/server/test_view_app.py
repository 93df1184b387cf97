"""The viewer's server, as a browser asks it."""

from __future__ import annotations

import http.client
import threading
import time
from urllib.parse import quote

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
    assert "script-src 'self'" in headers["content-security-policy"]
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
    for host in ("evil.example:8000", "evil.example", "127.0.0.1.evil.example", "localhost:1:2", ""):
        status, found, _ = viewer.ask("GET", "/api/overview", host=host)
        assert status == 403
        assert "this page is not at" in found["message"]
    assert viewer.ask("GET", "/api/overview", host=f"localhost:{viewer.port}")[0] == 200


def test_pages_of_others_are_refused(viewer):
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{viewer.port}", "http://127.0.0.1:1"):
        status, found, _ = viewer.ask("POST", "/api/model", {"lm": 2.0}, origin=origin)
        assert (status, "may not ask" in found["message"]) == (403, True)
    assert viewer.ask("GET", "/api/overview", origin=viewer.url)[0] == 200


def test_answers_run_nothing_but_the_page_itself(viewer):
    for path in ("/", "/api/overview", "/api/groups/999", "/nowhere"):
        headers = viewer.ask("GET", path)[2]
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_bodies_are_bounded(viewer):
    assert viewer.ask("POST", "/api/model", b" " * 70_000)[0] == 413
    assert viewer.ask("GET", "/api/groups?q=" + "x" * 1001)[0] == 422


def test_what_if_and_its_model(viewer, tmp_path):
    assert viewer.ask("GET", "/api/what-if?weights=" + quote('{"lm": -1.0}'))[1]["outcomes"]["kept"] == 30
    moved = viewer.ask("GET", "/api/groups?show=moved&size=3&weights=" + quote('{"lm": -1.0}'))[1]
    assert (moved["total"], len(moved["groups"])) == (30, 3)
    page = viewer.ask("GET", "/api/groups/3?weights=" + quote('{"lm": -1.0}'))[1]
    assert {each["index"]: each["changed_rank"] for each in page["candidates"]} == {0: 1, 1: 2}
    for wrong in ("{", "3", '{"lm": "x"}', "[]"):
        assert viewer.ask("GET", "/api/what-if?weights=" + quote(wrong))[0] == 422
        assert viewer.ask("POST", "/api/model", wrong.encode())[0] == 422
    path = tmp_path / "m.runoff"
    path.write_bytes(raw(viewer, "POST", "/api/model", b'{"lm": -2.0}'))
    assert runoff.load(path).heaviest() == [("lm", -2.0)]


def test_what_is_shown_can_be_exported(viewer, tmp_path):
    path = tmp_path / "lists.jsonl"
    path.write_bytes(raw(viewer, "GET", "/api/export?q=g2&name=..%2F..%2Fevil"))
    assert runoff.read(path).group_ids.to_pylist() == ["g2", *(f"g{at}" for at in range(20, 30))]
    assert viewer.ask("GET", "/api/export?q=nothing")[0] == 422


def test_a_page_is_found_around_a_list(viewer):
    found = viewer.ask("GET", "/api/groups?size=7&around=17")[1]
    assert (found["start"], [each["at"] for each in found["groups"]]) == (14, list(range(14, 21)))


def test_mistakes_are_said(viewer):
    status, found, _ = viewer.ask("GET", "/api/groups?show=new")
    assert (status, found["message"]) == (
        422,
        "there is no filter 'new'; there are: all, changed, better, worse, missed, unsure, moved, differ, ahead, "
        "behind.",
    )
    assert viewer.ask("GET", "/api/groups/99")[0] == 422
    assert viewer.ask("GET", "/api/groups/3?rival=2")[0] == 422
    status, found, _ = viewer.ask("GET", "/api/groups/three")
    assert (status, found["message"][:3]) == (422, "at:")
    assert "needs a second model" in viewer.ask("GET", "/api/groups?show=ahead")[1]["message"]


def raw(viewer, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port)
    connection.request(method, path, body)
    return connection.getresponse().read()
