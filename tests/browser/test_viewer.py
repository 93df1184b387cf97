"""The viewer in a real browser, as a person uses it: Chromium with its driver, by Selenium.

They are skipped where chromium and chromedriver are not installed. The check for accessibility needs axe-core, which
`make test-browser` brings.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import runoff
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server.overview import overview
from runoff.server.report_page import report_page
from runoff.server.study import Study
from runoff.server.view_app import create_view
from runoff.server.web_server import listening, server_of
from runoff.server.what_if import WhatIf

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed")
AXE = Path(__file__).parents[2] / ".venv/npm/axe-core/package/axe.min.js"
FEW = Resampling(resamples=50, trials=50)
SECONDS = 30
ATTACK = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'> \u202egnitset"


@pytest.fixture(scope="module")
def study() -> Study:
    rng = np.random.default_rng(0)
    words = ["the", "a", "cat", "cats", "sat", "at", "on", "mat", "dog", "ran"]
    lists = []
    for at in range(150):
        right = " ".join(rng.choice(words, 6))
        wrong = " ".join(rng.permutation(right.split())[:5])
        candidates = [
            {
                "text": text,
                "base": float(rng.normal()),
                "features": {"lm:score": float(rng.normal() + good), "length": 6.0},
            }
            for text, good in ((wrong, 0.0), (right, 2.0), (f"{wrong} {ATTACK}", 0.5))
        ]
        lists.append({"id": f"list-{at}", "reference": right, "candidates": candidates, "input": f"question {at}"})
    data = runoff.grade(runoff.NBest.from_records(lists), "wer")
    learner = runoff.LogLinear(sigma=1.0, metric="wer", calibration="folds")
    curve = runoff.learning_curve(learner, data[:100], resampling=FEW)
    model = curve.stored_in(learner.fit(data[:100]).model)
    other = LinearModel.of({"length": 1.0}, base_weight=1.0)
    return Study(data[100:], model, "wer", other=other, resampling=FEW, name="cats", other_name="dogs")


@pytest.fixture(scope="module")
def address(study: Study):
    with served(study) as found:
        yield found


@contextlib.contextmanager
def served(study: Study):
    where = listening("127.0.0.1", 0)
    server = server_of(create_view(study, "127.0.0.1"), 10.0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [where]})
    thread.start()
    yield f"http://127.0.0.1:{where.getsockname()[1]}/"
    server.should_exit = True
    thread.join(30)
    where.close()


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--window-size=1300,1000",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield found
    found.quit()


@pytest.fixture
def browser(started):
    """The browser; after a test, its console must hold no error."""
    yield started
    assert [each for each in started.get_log("browser") if each["level"] == "SEVERE"] == []


def wait(browser, script: str):
    """The value of an expression once it is true."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        found = browser.execute_script(f"return {script}")
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{script}\n{browser.execute_script('return document.body.innerText')}")


def open_page(browser, address: str) -> None:
    browser.get("about:blank")  # another address of the same page would only change what it shows
    browser.get(address)


def press(browser, key: str) -> None:
    browser.switch_to.active_element.send_keys(key)


def text(browser, selector: str = "main") -> str:
    return browser.execute_script(f"return document.querySelector({json.dumps(selector)}).innerText")


def weights(browser) -> dict[str, float]:
    return json.loads(browser.execute_script("return new URLSearchParams(location.hash.slice(1)).get('w')") or "{}")


def slide(browser, name: str, value: float) -> None:
    """Move the slider of a weight."""
    browser.execute_script(
        'const one = document.querySelector(`[data-weight="${arguments[0]}"]`); one.value = arguments[1];'
        "one.dispatchEvent(new Event('input', {bubbles: true}))",
        name,
        value,
    )


def test_the_overview_tells_what_was_won(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelectorAll('.card').length >= 6")
    said, expected = text(browser), overview(study)
    assert f"{expected['gain']['delta']:.2f} better than the first round" in said
    assert str(expected["outcomes"]["better"]) in said
    assert browser.execute_script("return document.title") == "cats – Runoff"
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('svg text')].map(each => each.lastChild.textContent)"
    )
    assert {"first round", "vote", "minimum Bayes risk", "chosen", "dogs", "oracle"} <= set(drawn)


def test_the_curve_of_training_lists_is_drawn_with_intervals(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    curve = study.model.learning_curve
    chart = "svg[aria-label*='more and more training lists']"
    wait(browser, f'document.querySelector("{chart}")')
    titles = browser.execute_script(
        f'return [...document.querySelectorAll("{chart} .dot title")].map(each => each.textContent)'
    )
    assert titles == [f"{p.lists}: {p.score:.2f} ({p.low:.2f} to {p.high:.2f})" for p in curve.points]
    spans = browser.execute_script(
        f'return [...document.querySelectorAll("{chart} .spread")].map(each => each.getBoundingClientRect().height)'
    )
    widths = [each.high - each.low for each in curve.points]
    assert np.allclose(np.array(spans) / max(spans), np.array(widths) / max(widths), atol=0.02)
    assert curve.verdict in text(browser)
    assert "loss on the training lists" in text(browser)


def test_without_such_a_curve_the_page_says_how_to_get_one(browser, study: Study) -> None:
    plain = dataclasses.replace(study.model, provenance={})
    with served(Study(study.data, plain, "wer", resampling=FEW)) as where:
        open_page(browser, where)
        wait(browser, "document.querySelectorAll('.card').length >= 6")
        assert "runoff train … --learning-curve" in text(browser)
        assert "How the model learned" not in text(browser)


def test_a_threshold_is_tried_by_a_slider(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    slider = "document.querySelector('[aria-label=\"How many first choices are left\"]')"
    wait(browser, slider)
    browser.execute_script(f"{slider}.value = 3; {slider}.dispatchEvent(new Event('input'))")
    point = overview(study)["thresholds"][3]
    assert f"{point['switched']} switch" in text(browser)
    assert f"wer {point['score']:.2f}, gain" in text(browser)


def test_lists_are_filtered_searched_and_opened(browser, address: str, study: Study) -> None:
    open_page(browser, address + "#page=lists&show=better&order=gain")
    wait(browser, "document.querySelectorAll('ol.groups a').length > 0")
    assert browser.execute_script("return document.querySelectorAll('ol.groups a').length") == int(
        (study.gains > 0).sum()
    )
    browser.execute_script("document.getElementById('search').focus()")
    press(browser, "LIST-12")
    wait(browser, "new URLSearchParams(location.hash.slice(1)).get('q') === 'LIST-12'")
    wait(
        browser, "[...document.querySelectorAll('ol.groups strong')].every(each => each.innerText.includes('list-12'))"
    )
    browser.execute_script("document.querySelector('ol.groups a').click()")
    wait(browser, "document.querySelector('#group h2')?.innerText.includes('list-12')")
    wait(browser, "document.querySelector('#group').innerText.includes('Why candidate')")


def test_texts_are_never_markup(browser, address: str, tmp_path: Path, study: Study) -> None:
    report = tmp_path / "report.html"
    report.write_text(report_page(study), "utf-8")
    for where in (address, report.as_uri()):
        open_page(browser, where + "#page=lists&q=onerror")
        wait(browser, "document.querySelector('#group table')")
        assert browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
        assert "<script>window.hit = 1</script>" in text(browser, "#group")
        assert "⟨U+202E⟩gnitset" in text(browser, "#group")
        assert browser.execute_script("return window.hit") is None


def test_the_winner_is_compared_with_another(browser, address: str) -> None:
    open_page(browser, address + "#page=lists&at=3")
    wait(browser, "document.querySelectorAll('#group .compare').length >= 2")
    rival = browser.execute_script("return [...document.querySelectorAll('#group tr')].at(-1).dataset.index")
    browser.execute_script("[...document.querySelectorAll('#group .compare')].at(-1).click()")
    wait(browser, f"document.querySelector('#group').innerText.includes('candidate {rival} by')")
    assert f"rival={rival}" in browser.current_url
    browser.execute_script(
        "const one = document.querySelector('#group select'); one.value = 'rival';"
        "one.dispatchEvent(new Event('change'))"
    )
    wait(browser, "location.hash.includes('marks=rival') && document.querySelectorAll('#candidates mark').length")


def test_two_models_are_shown_beside_each_other(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelectorAll('.card').length >= 6")
    browser.execute_script(
        "[...document.querySelectorAll('.card a')].find(a => a.innerText.includes('differently')).click()"
    )
    wait(browser, "document.querySelectorAll('ol.groups a').length > 0")
    found = browser.execute_script(
        "return [...document.querySelectorAll('ol.groups a')].map(a => Number(a.dataset.at))"
    )
    assert sorted(found) == np.flatnonzero(study.chosen.indices != study.other.chosen.indices).tolist()
    wait(browser, "document.querySelector('#group').innerText.includes('other model')")


def test_keys_do_what_the_help_says(browser, address: str) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelectorAll('.card').length > 0")
    press(browser, "l")
    wait(browser, "document.querySelector('#group h2')")
    for key, expected in (("j", 1), ("j", 2), ("k", 1)):
        press(browser, key)
        wait(browser, f"new URLSearchParams(location.hash.slice(1)).get('at') === '{expected}'")
        wait(browser, f"document.querySelector('ol.groups a[aria-current]')?.dataset.at === '{expected}'")
    wait(browser, "document.querySelectorAll('#group .compare').length >= 2")
    press(browser, "\ue015")  # down
    wait(browser, "location.hash.includes('rival=')")
    press(browser, "?")
    wait(browser, "!document.getElementById('help').hidden")
    press(browser, "/")
    wait(browser, "document.activeElement.id === 'search'")
    press(browser, "j")  # typed, not a command
    wait(browser, "new URLSearchParams(location.hash.slice(1)).get('q') === 'j'")


def test_what_if_changes_score_switches_and_ranks_at_once(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelector('[data-weight=lm]')")
    slide(browser, "lm", -1)
    expected = WhatIf(study).answer({"lm": -1.0})
    wait(browser, "document.getElementById('what-if').innerText.includes('lm × −1.0')")
    said = text(browser, "#what-if")
    assert f"{expected['outcomes']['better']:,} better and {expected['outcomes']['worse']:,} worse" in said
    assert f"wer {expected['score']:.2f}" in said
    assert f"{expected['differ']:,} choices differ" in said
    browser.execute_script("document.querySelector('#what-if a').click()")
    wait(browser, "document.querySelector('ol.groups a')")
    found = browser.execute_script(
        "return [...document.querySelectorAll('ol.groups a')].map(a => Number(a.dataset.at))"
    )
    assert sorted(found) == np.flatnonzero(WhatIf(study).moved({"lm": -1.0})).tolist()
    wait(browser, "document.querySelector('#candidates [data-label=\"what if\"]')")
    browser.execute_script(
        "[...document.querySelectorAll('#what-if button')].find(b => b.innerText === 'As trained').click()"
    )
    wait(browser, "document.getElementById('what-if').hidden")


def test_the_weight_of_a_single_feature_changes_ranks(browser, address: str, study: Study) -> None:
    open_page(browser, address + "#page=lists&at=3")
    wait(browser, "document.querySelector('[data-weight=\"lm:score\"]')")
    slide(browser, "lm:score", -2)
    wait(browser, "document.querySelector('#candidates [data-label=\"what if\"]')")
    assert weights(browser) == {"lm:score": -2}
    ranked = WhatIf(study).ranking({"lm:score": -2.0})
    start, stop = study.data.offsets[3:5]
    found = browser.execute_script(
        "return [...document.querySelectorAll('#candidates tbody tr')]"
        ".map(row => [Number(row.querySelector('[data-label=\"what if\"]').innerText), Number(row.dataset.index)])"
    )
    assert [index for _, index in sorted(found)] == (ranked.rows[start:stop] - start).tolist()


def test_changed_weights_stay_while_other_lists_are_opened(browser, address: str) -> None:
    open_page(browser, address + "#page=lists&at=3")
    wait(browser, "document.querySelector('[data-weight=\"lm:score\"]')")
    slide(browser, "lm:score", 2)
    browser.execute_script("document.querySelector('ol.groups a[data-at=\"5\"]').click()")
    wait(browser, "new URLSearchParams(location.hash.slice(1)).get('at') === '5'")
    assert weights(browser) == {"lm:score": 2}
    browser.execute_script("document.getElementById('to-overview').click()")
    wait(browser, "document.querySelector('.card')")
    assert weights(browser) == {"lm:score": 2}


def test_the_content_can_be_skipped_to(browser, address: str) -> None:
    open_page(browser, address + "#page=lists&at=3")
    wait(browser, "document.querySelector('#group h2')")
    browser.execute_script("document.querySelector('.skip').click()")
    assert browser.execute_script("return document.activeElement.id") == "main"
    assert "page=lists" in browser.current_url


def test_a_report_opens_from_disk(browser, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report_page(study), "utf-8")
    open_page(browser, path.as_uri())
    wait(browser, "document.querySelectorAll('.card').length >= 5")
    press(browser, "l")
    wait(browser, "document.querySelectorAll('ol.groups a').length > 0")
    press(browser, "j")
    wait(browser, "document.querySelector('#group h2')")
    wait(browser, "document.querySelector('#group').innerText.includes('Why candidate')")


DRAWN = {
    "tree": {
        "metric": "parseval",
        "references": ["(S (NP (PRP I)) (VP (VBP run)))"],
        "candidates": ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"],
    },
    "spans": {
        "metric": "conlleval",
        "input": "Ann Lake sings",
        "references": ["B-PER I-PER O"],
        "candidates": ["B-PER B-LOC O", "B-PER I-PER O"],
    },
}


@pytest.mark.parametrize("kind", DRAWN)
def test_candidates_are_drawn_as_their_task_sees_them(browser, kind: str) -> None:
    base = {"candidates": [{"text": each, "base": -at} for at, each in enumerate(DRAWN[kind]["candidates"])]}
    data = runoff.NBest.from_records([{"id": "a", **DRAWN[kind], **base}])
    with served(Study(data, LinearModel.of({}, base_weight=-1.0), resampling=FEW)) as address:
        open_page(browser, address + "#page=lists&whole=1")
        wait(browser, "document.querySelectorAll('figure').length === 3")
        said = text(browser, "#group .drawings")
        marked = browser.execute_script(
            "return [...document.querySelectorAll('.drawing.winner .right, .drawing.rival .wrong')]"
            ".map(each => each.closest('figure').className + ' ' + each.textContent)"
        )
    assert "candidate 1" in said
    assert {("winner" in each, "rival" in each) for each in marked} == {(True, False), (False, True)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["#page=overview", "#page=lists&at=3", '#page=lists&at=3&w={"lm":2}'])
def test_nothing_serious_keeps_anyone_out(browser, address: str, page: str, scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("there is no axe-core; make test-browser brings it")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    try:
        open_page(browser, address + page)
        wait(browser, "document.querySelector('.card, #group h2')")
        browser.execute_script(AXE.read_text("utf-8"))
        script = "const done = arguments[0]; axe.run().then(found => done(found.violations))"
        found = browser.execute_async_script(script)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    serious = [
        (each["id"], each["help"], each["nodes"][0]["html"])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]
    assert serious == []


def test_it_is_readable_on_a_phone(browser, address: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        for page in ("#page=overview", "#page=lists&at=3", '#page=lists&at=3&w={"lm":2}'):
            open_page(browser, address + page)
            wait(browser, "document.querySelector('.card, #group h2')")
            assert browser.execute_script("return document.documentElement.scrollWidth") <= 391
            smallest = browser.execute_script(
                "return Math.min(...[...document.querySelectorAll('main *')].filter(e => e.getClientRects().length)"
                ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
            )
            assert smallest >= 11
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
