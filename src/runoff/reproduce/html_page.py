"""The page as one HTML file that needs no other."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING, Any

from runoff.reproduce.verdicts import FAILS, HOLDS
from runoff.tables import html_table

if TYPE_CHECKING:
    from pathlib import Path

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:1080px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-size:14px;margin:.5rem 0}td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd}
th{border-bottom:2px solid #888}.wide{overflow-x:auto}img{max-width:100%}figure{margin:1rem 0}
figcaption,.note{color:#555;font-size:14px}pre{background:#f4f5f7;padding:.7rem;overflow-x:auto;font-size:13px}
.verdict{font-weight:600;white-space:nowrap}.holds{color:#0b6e4f}.fails{color:#b3441e}.open{color:#5b6470}
"""
_CLASSES = {HOLDS: "holds", FAILS: "fails"}
_MARKS = {HOLDS: "✓", FAILS: "✗"}


def html_page(page: dict[str, Any], folder: Path) -> str:
    """The page with its pictures, which lie in `folder`, inside it."""
    data = page["data"]
    body = [f"<h1>{_safe(page['paper'])}</h1>", f"<p>{_safe(page['citation'])}</p>"]
    if data["synthetic"]:
        body.append(
            "<p><em>Synthetic data at a small scale: it shows that everything runs, not what the paper found.</em></p>"
        )
    body.append(f"<p><strong>{_safe(data['name'])}</strong>: {_safe(data['about'])}</p>")
    body += [f"<p>Left out: {_safe(note)}</p>" for note in page["left_out"]]
    body += [f"<pre>{_safe(page['command'])}</pre>", "<h2>What the paper claims, and what was found</h2>", "<ul>"]
    for each in page["claims"]:
        verdict = each["verdict"]
        mark = f'<span class="verdict {_CLASSES.get(verdict, "open")}">{_MARKS.get(verdict, "?")} {verdict}</span>'
        told = f"{_safe(each['claim'])} ({_safe(each['where'])})"
        body.append(f'<li>{mark}: {told}<br><span class="note">{_safe(each["reason"])}</span></li>')
    body += ["</ul>", f'<p class="note">{_safe(page["rule"])}</p>']
    for table in page["tables"]:
        title = f"{table['name'].replace('-', ' ').capitalize()}: {table['title']}"
        body += [f"<h2>{_safe(title)}</h2>", f'<div class="wide">{html_table(table["header"], table["rows"])}</div>']
        if table["note"]:
            body.append(f'<p class="note">{_safe(table["note"])}</p>')
    for figure in page["figures"]:
        picture = base64.b64encode((folder / figure["file"]).read_bytes()).decode()
        title = _safe(figure["title"])
        body.append(
            f'<h2>{_safe(figure["name"].replace("-", " ").capitalize())}</h2><figure><img alt="{title}" '
            f'src="data:image/png;base64,{picture}">'
            f"<figcaption>{title}. {_safe(figure['caption'])}</figcaption></figure>"
        )
    if page["commands"]:
        lines = "\n".join(f"# {title}\n{command}" for title, command in page["commands"].items())
        body += ["<h2>One by one</h2>", f"<pre>{_safe(lines)}</pre>"]
    body.append(f'<p class="note"><code>{_safe(page["signature"])}</code></p>')
    head = f"<meta charset='utf-8'><title>{_safe(page['paper'])}</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(body)}</body></html>\n"


def _safe(text: str) -> str:
    return html.escape(text)
