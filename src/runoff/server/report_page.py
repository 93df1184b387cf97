"""A report in one file that opens from disk: the overview and the most telling lists, by the viewer's own page."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

import orjson

from runoff.server.group_list import GroupList, Wanted
from runoff.server.group_page import group_page
from runoff.server.overview import overview
from runoff.server.page_files import PAGE

if TYPE_CHECKING:
    from runoff.server.study import Study

_TELLING = (("better", "gain"), ("worse", "loss"), ("missed", "regret"), ("unsure", "confidence"))
_EACH = 12  # lists of every kind
_CANDIDATES = 25  # of a list
_LARGEST = 4_500_000  # bytes of what is shown


def report_page(study: Study) -> str:
    """The file's content. Candidates beyond the first ones, and lists beyond what fits, are left out and counted."""
    groups = GroupList(study)
    kept: dict[int, dict[str, Any]] = {}
    size = 0
    for show, order in _TELLING if study.model is not None else (("all", "input"), ("missed", "regret")):
        for at in groups.numbers(Wanted(show, order=order))[:_EACH].tolist():
            if at in kept:
                continue
            page = group_page(study, at)
            page["candidates"] = page["candidates"][:_CANDIDATES]
            size += len(orjson.dumps(page))
            if size > _LARGEST:
                break
            kept[at] = page
    data = {
        "overview": overview(study),
        "groups": [{**groups.summary(at), "page": page} for at, page in kept.items()],
    }
    html = (PAGE / "index.html").read_text("utf-8")
    style = (PAGE / "style.css").read_text("utf-8")
    # In a script, "<" could end it; JSON may write it otherwise.
    content = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c")
    script = "\n".join(_without_modules((PAGE / name).read_text("utf-8")) for name in scripts())
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "form-action 'none'; base-uri 'none'"
    )
    html = html.replace(
        '<link rel="stylesheet" href="page/style.css">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>',
    )
    return html.replace(
        '<script type="module" src="page/main.js"></script>',
        f'<script id="report-data" type="application/json">{content}</script>\n<script type="module">{script}</script>',
    )


def _digest(text: str) -> str:
    """How a page's policy names a script or style that may be used."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def scripts() -> list[str]:
    """The page's modules, what others import first."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        for other in re.findall(r'from "\./([\w-]+\.js)"', (PAGE / name).read_text("utf-8")):
            visit(other)
        order.append(name)

    visit("main.js")
    return order


def _without_modules(source: str) -> str:
    """A module's code as part of one script: what it imports is there already."""
    source = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
    return re.sub(r"^export ", "", source, flags=re.MULTILINE)
