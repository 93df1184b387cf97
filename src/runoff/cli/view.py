"""`runoff view` and `runoff report`: lists, and what a model makes of them, in a browser."""

from __future__ import annotations

import contextlib
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import (
    FILE,
    Source,
    check_outputs,
    external_option,
    metric_option,
    resampling,
    resampling_options,
    say,
    say_notes,
    source_options,
)
from runoff.errors import UsageError

if TYPE_CHECKING:
    from runoff.server.study import Study


@click.command()
@click.argument("paths", metavar="[MODEL] DATA", nargs=-1, required=True, type=FILE)
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--open/--no-open", "opens", default=True, help="Open the page in a browser.")
@metric_option
@resampling_options
@source_options
@external_option
def view(paths: tuple[Path, ...], port: int, opens: bool, **options: Any) -> None:
    """Look at lists, and at what MODEL chooses in them, in the browser of this machine.

    \b
    Example:  runoff view wer.runoff test.jsonl
              runoff view lists.jsonl
    """
    _check_packages()
    from runoff.server.view_app import create_view
    from runoff.server.web_server import listening, server_of

    study = _study(paths, options)
    where = listening("127.0.0.1", port)
    address = f"http://127.0.0.1:{where.getsockname()[1]}/"
    say(f"{study.name}: {address} (Ctrl-C stops)")
    if opens:
        import webbrowser

        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
    server_of(create_view(study, "127.0.0.1"), 10.0).run(sockets=[where])


@click.command()
@click.argument("paths", metavar="[MODEL] DATA", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the report, e.g. report.html")
@metric_option
@resampling_options
@source_options
@external_option
def report(paths: tuple[Path, ...], out: Path, **options: Any) -> None:
    """Write what `runoff view` shows, with the most telling lists, as one file that any browser opens.

    \b
    Example:  runoff report wer.runoff test.jsonl -o report.html
    """
    from runoff.files import replacing
    from runoff.server.report_page import report_page

    check_outputs([out], list(paths))
    page = report_page(_study(paths, options))
    with replacing(out) as temporary:
        temporary.write_text(page, "utf-8")
    say(f"wrote {out} ({len(page.encode()) / 1e6:,.1f} MB).")


def _study(paths: tuple[Path, ...], options: dict[str, Any]) -> Study:
    """The lists, and the model if two files are given."""
    from runoff.model import check_features, load
    from runoff.server.study import Study

    if len(paths) > 2:
        raise UsageError(f"expected a model and a file of lists, or lists alone; found {len(paths)} files.")
    chosen = resampling(options)
    external, metric = options.pop("allow_external"), options.pop("metric")
    model = load(paths[0], allow_external=external) if len(paths) > 1 else None
    data = Source(**options).read(paths[-1], metric)
    say_notes(data)
    if model is not None:
        check_features(model, data)
    name = paths[-1].name if model is None else f"{paths[0].name} on {paths[-1].name}"
    return Study(data, model, metric, resampling=chosen, name=name)


def _check_packages() -> None:
    try:
        import fastapi  # noqa: F401 - only whether they are there
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError("looking at lists needs a few more packages: pip install 'runoff[view]'.") from error
