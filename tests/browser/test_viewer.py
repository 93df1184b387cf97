"""The viewer in a real browser, as a person uses it: Chromium with its driver, by Selenium.

They run where `selenium`, chromium and chromedriver are installed; `make test-browser` sets up what it can. The check
for accessibility needs axe-core, whose path RUNOFF_AXE names.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import runoff
from runoff.metrics import Resampling
from runoff.server.report_page import report_page
from runoff.server.study import Study
from runoff.server.view_app import create_view
from runoff.server.web_server import listening, server_of

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed; see make test-browser")
CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"),
]
SECONDS = 30


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
            for text, good in ((wrong, 0.0), (right, 2.0), (f"{wrong} <b>mat</b>", 0.5))
        ]
        lists.append({"id": f"list-{at}", "reference": right, "candidates": candidates, "input": f"question {at}"})
    data = runoff.grade(runoff.NBest.from_records(lists), "wer")
    model = runoff.LogLinear(sigma=1.0, metric="wer", calibration="folds").fit(data[:100]).model
    return Study(data[100:], model, "wer", resampling=Resampling(resamples=50, trials=50), name="cats")


@pytest.fixture(scope="module")
def address(study: Study):
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


def test_the_overview_tells_what_was_won(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelectorAll('.card').length >= 5")
    said = text(browser)
    assert "over the first round" in said
    assert str(study.overview["outcomes"]["better"]) in said
    assert browser.execute_script("return document.title") == "cats – Runoff"
    assert browser.execute_script("return document.querySelectorAll('svg[aria-label]').length") >= 3


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
    assert "Why candidate" in text(browser, "#group")


def test_texts_are_never_markup(browser, address: str) -> None:
    open_page(browser, address + "#page=lists&q=<b>mat")
    wait(browser, "document.querySelector('#group table')")
    assert browser.execute_script("return document.querySelectorAll('main b').length") == 0
    assert "<b>mat</b>" in text(browser, "#group")


def test_the_winner_is_compared_with_another(browser, address: str) -> None:
    open_page(browser, address + "#page=lists&at=3")
    wait(browser, "document.querySelectorAll('#group button').length >= 2")
    last = browser.execute_script(
        "return [...document.querySelectorAll('#group button')].at(-1).getAttribute('aria-label')"
    )
    browser.execute_script("[...document.querySelectorAll('#group button')].at(-1).click()")
    rival = last.rpartition(" ")[2]
    wait(browser, f"document.querySelector('#group').innerText.includes('leads candidate {rival} by')")
    assert f"rival={rival}" in browser.current_url


def test_keys_do_what_the_help_says(browser, address: str) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelectorAll('.card').length > 0")
    press(browser, "l")
    wait(browser, "document.querySelector('#group h2')")
    for key, expected in (("j", 1), ("j", 2), ("k", 1)):
        press(browser, key)
        wait(browser, f"new URLSearchParams(location.hash.slice(1)).get('at') === '{expected}'")
        wait(browser, f"document.querySelector('ol.groups a[aria-current]')?.dataset.at === '{expected}'")
    press(browser, "?")
    wait(browser, "!document.getElementById('help').hidden")
    press(browser, "/")
    wait(browser, "document.activeElement.id === 'search'")
    press(browser, "j")  # typed, not a command
    wait(browser, "new URLSearchParams(location.hash.slice(1)).get('q') === 'j'")


def test_what_if_changes_the_choice_at_once(browser, address: str, study: Study) -> None:
    open_page(browser, address)
    wait(browser, "document.querySelector('details')")
    browser.execute_script(
        "document.querySelector('details').open = true; const one = document.querySelector('.factor input');"
        "one.value = -1; one.dispatchEvent(new Event('input'))"
    )
    name = browser.execute_script("return document.querySelector('.factor .name').innerText")
    expected = study.reweighed({name: -1.0})
    wait(browser, "document.querySelector('details [aria-live]').innerText.includes('better')")
    said = text(browser, "details [aria-live]")
    assert f"{expected['outcomes']['better']:,} better, {expected['outcomes']['worse']:,} worse" in said
    assert f"{expected['differ']:,} choices differ" in said


def test_a_report_opens_from_disk(browser, study: Study, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report_page(study), "utf-8")
    open_page(browser, path.as_uri())
    wait(browser, "document.querySelectorAll('.card').length >= 5")
    press(browser, "l")
    wait(browser, "document.querySelectorAll('ol.groups a').length > 0")
    press(browser, "j")
    wait(browser, "document.querySelector('#group h2')")
    assert "Why candidate" in text(browser, "#group")


@pytest.mark.parametrize("page", ["#page=overview", "#page=lists&at=3"])
def test_nothing_serious_keeps_anyone_out(browser, address: str, page: str) -> None:
    axe = os.environ.get("RUNOFF_AXE")
    if not axe or not Path(axe).is_file():
        pytest.skip("axe-core is not there; RUNOFF_AXE names its axe.min.js")
    open_page(browser, address + page)
    wait(browser, "document.querySelector('.card, #group h2')")
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.execute_script(Path(axe).read_text("utf-8"))
    found = browser.execute_async_script("const done = arguments[0]; axe.run().then(found => done(found.violations))")
    serious = [(each["id"], each["help"]) for each in found if each["impact"] in {"serious", "critical"}]
    assert serious == []


def test_it_is_readable_on_a_phone(browser, address: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        for page in ("#page=overview", "#page=lists&at=3"):
            open_page(browser, address + page)
            wait(browser, "document.querySelector('.card, #group h2')")
            assert browser.execute_script("return document.documentElement.scrollWidth") <= 391
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
