"""The report in one file."""

from __future__ import annotations

import base64
import hashlib
import re

import numpy as np
import orjson
import pytest

import runoff
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server.page_files import PAGE
from runoff.server.report_page import report_page, scripts
from runoff.server.study import Study

NASTY = "</script><script>alert(1)</script><!-- ' \" \u2028 \u202e"


@pytest.fixture(scope="module")
def page():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(120, 2))
    data = runoff.NBest.from_arrays(
        table,
        table[:, 0] + rng.normal(size=120),
        sizes=[4] * 30,
        texts=[f"{NASTY} {at}" for at in range(120)],
        group_ids=[f"{NASTY}{at}" for at in range(30)],
        feature_names=["a", NASTY],
    )
    return report_page(
        Study(data, LinearModel.of({"a": 1.0, NASTY: 0.1}), resampling=Resampling(resamples=50, trials=50), name=NASTY)
    )


def test_it_loads_nothing_from_elsewhere(page):
    assert "//" not in page.replace("http://www.w3.org/2000/svg", "").replace("// ", "")  # but for comments
    assert '<link rel="stylesheet"' not in page
    assert "src=" not in page
    assert len(page) < 5_000_000


def test_nothing_in_the_data_can_break_out(page):
    # A script ends at the first "</script", whatever stands around it (HTML, 13.2.5.4).
    assert len(re.findall("<script", page)) == len(re.findall("</script", page)) == 2
    content = page.partition('type="application/json">')[2].partition("</script>")[0]
    assert "<" not in content
    assert orjson.loads(content)["overview"]["name"] == NASTY


def test_only_its_own_script_and_style_may_run(page):
    # Hashes as a browser computes them (Content Security Policy 3, 6.7.2): of what stands between the tags.
    policy = re.search('content="(default-src[^"]*)"', page)[1]
    script = re.search('<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)[1]
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_modules_are_joined_in_the_order_of_their_imports(page):
    order = scripts()
    assert order[-1] == "main.js"
    assert order.index("dom.js") < order.index("charts.js") < order.index("overview.js") < order.index("main.js")
    assert sorted(order) == sorted(each.name for each in PAGE.iterdir() if each.name.endswith(".js"))
    assert not re.search("^import ", page, re.MULTILINE)


def test_modules_have_no_name_twice():
    # Joined, they share one scope, in which a second declaration of a name is a mistake.
    names = [
        name
        for each in scripts()
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)",
            (PAGE / each).read_text("utf-8"),
            re.MULTILINE,
        )
    ]
    assert sorted(names) == sorted(set(names))
