"""`runoff view` and `runoff report`: lists, and what a model makes of them, in a browser."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

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
    from runoff.metrics import Resampling
    from runoff.nbest import NBest
    from runoff.server.study import Study


_HOST, _PORT = "127.0.0.1", 8765
_MANY = 100_000  # lists, beyond which resampling them takes minutes
_RESAMPLES, _TRIALS = 200, 1_000  # for these
_SECONDS = 10.0  # for a request to arrive
compare_option = click.option(
    "--compare", "other", type=FILE, metavar="MODEL2", help="Another model, shown beside MODEL on the same lists."
)


@click.command()
@click.argument("paths", metavar="[MODEL] DATA", nargs=-1, required=True, type=FILE)
@compare_option
@click.option("--port", default=_PORT, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--open/--no-open", "opens", default=True, help="Open the page in a browser.")
@metric_option
@resampling_options
@source_options
@external_option
def view(paths: tuple[Path, ...], other: Path | None, port: int, opens: bool, **options: Any) -> None:
    """Look at lists, and at what MODEL chooses in them, in the browser of this machine.

    \b
    Example:  runoff view wer.runoff test.jsonl
              runoff view wer.runoff test.jsonl --compare old.runoff
              runoff view lists.jsonl
    """
    check_view_packages()
    show(_study(paths, other, options), port, opens)


@click.command()
@click.argument("paths", metavar="[MODEL] DATA", nargs=-1, required=True, type=FILE)
@compare_option
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the report, e.g. report.html")
@metric_option
@resampling_options
@source_options
@external_option
def report(paths: tuple[Path, ...], other: Path | None, out: Path, **options: Any) -> None:
    """Write what `runoff view` shows, with the most telling lists, as one file that any browser opens.

    \b
    Example:  runoff report wer.runoff test.jsonl -o report.html
    """
    from runoff.files import replacing
    from runoff.server.report_page import report_page

    check_outputs([out], [*paths, other])
    page = report_page(_study(paths, other, options))
    with replacing(out) as temporary:
        temporary.write_text(page, "utf-8")
    say(f"wrote {out} ({len(page.encode()) / 1e6:,.1f} MB).")


def show(study: Study, port: int, opens: bool) -> None:
    """Serve the viewer's page to this machine until it is stopped."""
    from runoff.server.view_app import create_view
    from runoff.server.web_server import listening, server_of

    where = listening(_HOST, port)
    if len(study.data) > _MANY:
        say(f"judging {len(study.data):,} lists …")
    app = create_view(study, _HOST)
    address = f"http://{_HOST}:{where.getsockname()[1]}/"
    say(f"{study.name}: {address} (Ctrl-C stops)")
    if opens:
        import webbrowser

        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
    server_of(app, _SECONDS).run(sockets=[where])


def _study(paths: tuple[Path, ...], other: Path | None, options: dict[str, Any]) -> Study:
    """The lists, and the model if two files are given."""
    from runoff.model import check_features, load
    from runoff.server.study import Study

    if len(paths) > 2:
        raise UsageError(f"expected a model and a file of lists, or lists alone; found {len(paths)} files.")
    if other is not None and len(paths) < 2:
        raise UsageError("--compare shows a second model beside the first: runoff view MODEL DATA --compare MODEL2.")
    chosen = resampling(options)
    external, metric = options.pop("allow_external"), options.pop("metric")
    model, second = (
        None if path is None else load(path, allow_external=external)
        for path in (paths[0] if len(paths) > 1 else None, other)
    )
    data = Source(**options).read(paths[-1], metric)
    say_notes(data)
    chosen, notes = _affordable(chosen, data)
    for each in (model, second):
        if each is not None:
            check_features(each, data)
    name = paths[-1].name if model is None else f"{paths[0].name} on {paths[-1].name}"
    second_name = "" if other is None else other.name if other.name != paths[0].name else str(other)
    return Study(data, model, metric, other=second, resampling=chosen, name=name, other_name=second_name, notes=notes)


def _affordable(chosen: Resampling, data: NBest) -> tuple[Resampling, tuple[str, ...]]:
    """The settings of intervals and tests; fewer draws for very many lists, unless they were asked for."""
    context = click.get_current_context()
    if len(data) <= _MANY or any(
        context.get_parameter_source(name) is not ParameterSource.DEFAULT for name in ("resamples", "trials")
    ):
        return chosen, ()
    note = (
        f"With more than {_MANY:,} lists, intervals come from {_RESAMPLES:,} resamples and p from {_TRIALS:,} trials; "
        "--resamples and --trials ask for more."
    )
    return replace(chosen, resamples=_RESAMPLES, trials=_TRIALS), (note,)


def check_view_packages() -> None:
    """Raise if the packages of the viewer are absent."""
    try:
        import fastapi  # noqa: F401 - only whether they are there
        import httptools  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError("looking at lists needs a few more packages: pip install 'runoff[view]'.") from error
