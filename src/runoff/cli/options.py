"""Options that commands share."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from runoff.errors import DataError, UsageError
from runoff.files import link_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from runoff.metrics import Resampling
    from runoff.nbest import NBest
    from runoff.tasks import Task

Command = TypeVar("Command", bound="Callable[..., Any]")

FILE = click.Path(path_type=Path)


class InputFile(click.Path):
    """A file that a command reads; that there is none is said before the libraries are loaded that would read it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; `-` is standard input."""
        path: Path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if str(path) != "-" and not os.path.lexists(path):
            raise DataError("the file cannot be read: no such file or directory.", path=path)
        return path


INPUT = InputFile(path_type=Path)

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
metric_option = click.option(
    "--metric",
    metavar="M",
    help="Metric or metrics, e.g. wer, bleu, ndcg@10,map. Default: the data's usual metric.",
)
task_option = click.option("--task", metavar="T", help="See `runoff tasks`. Default: recognised from the data.")
external_option = click.option(
    "--allow-external",
    is_flag=True,
    help="Load the language models, encoders and neural models that a model names. Only for models that you trust.",
)
text_form_option = click.option(
    "--to",
    metavar="FORM",
    help="Write ids and chosen texts as trn, kaldi or id-tab-text. Default: by the name of the output, .trn or .tsv.",
)
seed_option = click.option("--seed", default=0, show_default=True, help="Seed of everything random.")


def _on(context: click.Context, _: click.Parameter, name: str | None) -> None:
    """Do the work of the command there."""
    if name is not None:
        from runoff.cluster import on

        context.with_resource(on(name))


cluster_option = click.option(
    "--cluster",
    metavar="WHERE",
    expose_value=False,
    callback=_on,
    help="Where to do the work: processes[:N] on this machine, or with Ray local[:N], auto or ray://HOST:PORT.",
)

group_by_option = click.option(
    "--group-by",
    metavar="NAME",
    help="Keep lists with the same value of this key, e.g. a speaker, on one side; none: split between any lists. "
    "Default: keep lists together that share a reference or an input.",
)


RESAMPLING = "resamples", "confidence", "trials", "seed", "group_by"


def resampling_options(command: Command) -> Command:
    """Add the options of confidence intervals and significance tests; `resampling` reads them."""
    for option in (
        seed_option,
        click.option("--confidence", default=0.95, show_default=True, help="Confidence of the intervals."),
        click.option("--trials", default=10_000, show_default=True, help="Trials of the randomisation test."),
        click.option("--resamples", default=1_000, show_default=True, help="Bootstrap resamples of the groups."),
        click.option(
            "--group-by",
            metavar="NAME",
            help="Resample lists with the same value of this key, e.g. a speaker, as a whole; none: one by one. "
            "Default: lists that share a reference or an input.",
        ),
    ):
        command = option(command)
    return command


def resampling(options: dict[str, Any]) -> Resampling:
    """The settings given by `resampling_options`; they are removed from `options`."""
    from runoff.metrics import Resampling

    return Resampling(**{name: options.pop(name) for name in RESAMPLING})


class Source:
    """How to read a data file: its format and the format's options, and how much memory there is for it."""

    def __init__(
        self,
        format: str | None,  # noqa: A002
        more: tuple[str, ...] = (),
        memory: str | None = None,
        work: Path | None = None,
        **options: Any,
    ) -> None:
        self.format, self.options = format, {**options, **settings(more)}
        self._asked, self._is_bounded = (memory, work), False

    def read(self, path: Path, metric: str | None = None) -> NBest:
        """Read the file, with quality computed from references where there are some."""
        self._prepare_for_all_of(path)
        from runoff.io import read

        return read(path, self.format, metric=metric, **self.options)

    def read_as_is(self, path: Path) -> NBest:
        """Read the file without computing quality, which choosing does not need."""
        self._prepare_for_all_of(path)
        from runoff.formats import read

        return read(path, self.format, **self.options)

    def blocks(self, path: Path, metric: str | None = None) -> Iterator[NBest]:
        """Read whole lists block by block, with quality."""
        self._bound()
        from runoff.io import read_blocks

        return read_blocks(path, self.format, metric=metric, **self.options)

    def blocks_as_is(self, path: Path, *, lines: bool = False) -> Iterator[NBest]:
        """Read whole lists block by block, without computing quality: those of a folder, and of JSON lines if wanted.

        Any other data is one block.
        """
        if not (lines or self.is_set(path)):
            return iter([self.read_as_is(path)])
        self._bound()
        from runoff.formats import read_blocks

        return read_blocks(path, self.format, **self.options)

    def is_set(self, path: Path) -> bool:
        """Whether this is a folder of shards."""
        from runoff.formats import recognise

        return path.is_dir() and (self.format or recognise(path).name) == "shards"

    def _bound(self) -> bool:
        """Keep within the bounds that were asked for, if any were."""
        from runoff.memory import bounds_asked, keep_bounded

        bounds = bounds_asked(*self._asked)
        if bounds is not None and not self._is_bounded:
            keep_bounded(bounds)
            self._is_bounded = True
        return bounds is not None

    def _prepare_for_all_of(self, path: Path) -> None:
        """Say what a folder of shards takes as a whole, and keep it on disk where it is too large."""
        bounded = self._bound()
        if self.is_set(path):
            from runoff.cli.whole_sets import say_what_it_takes

            say_what_it_takes(path, self.options.get("columns"), bounded=bounded)


def source_options(command: Command, more: str = "Any other option of the format.") -> Command:
    """Add the options that say how to read a data file; `more` is the help of `--with`."""
    for option in (
        click.option(
            "--work", type=FILE, metavar="FOLDER", help="Folder for what is larger than --memory. Default: RUNOFF_WORK."
        ),
        click.option(
            "--memory",
            metavar="SIZE",
            help="Keep at most so much in memory, e.g. 3GB, and what is larger on disk. Default: RUNOFF_MEMORY.",
        ),
        click.option("--with", "more", multiple=True, metavar="KEY=VALUE", help=more),
        click.option(
            "--columns", help="Tables, JSON: roles of columns or keys, e.g. group=qid,quality=label,text=hyp."
        ),
        click.option("--runs", help="TREC, BEIR, Whisper: more runs, comma separated."),
        click.option("--qrels", type=FILE, help="TREC: file with relevance judgements."),
        click.option(
            "--references",
            type=FILE,
            help="File with references, by line or by id, for formats without: translations, speech, trees, samples of "
            "language models.",
        ),
        click.option("--format", "format", metavar="NAME", help="Format of the data. Default: recognised by content."),
    ):
        command = option(command)
    return command


def task_for(data: NBest, name: str | None, path: Path) -> Task:
    """The task with this name, or the one recognised from the data, which is then reported in one line."""
    from runoff import tasks
    from runoff.registry import ROWS, recognised_texts

    if name is not None:
        found = tasks.get(name)
        try:
            found.check(data)
        except DataError as error:
            raise DataError(error.message, path=path) from error
        return found
    found = tasks.recognise(data)
    more = "use --task to choose another"
    if found.name == ROWS and data.texts is not None:
        more = f"the texts are not looked at, --task {recognised_texts(data).name} adds features of them"
    say(f"task: {found.name} ({found.title}); {more}.")
    return found


def check_outputs(
    outputs: Sequence[Path | None], inputs: Sequence[Path | None], *, folders: Sequence[Path] = ()
) -> None:
    """Check before any work: outputs can be written, differ from each other, and overwrite no input.

    `folders` are the outputs that are folders of shards.
    """
    taken = {os.path.realpath(each) for each in inputs if each is not None}
    for out in outputs:
        if out is None:
            continue
        place = link_target(out)
        if os.path.realpath(place) in taken:
            raise UsageError(
                f"{out} is named twice, as an output and as an input or another output; choose another name."
            )
        if not place.parent.is_dir():
            raise UsageError(f"{out} cannot be written: there is no folder {place.parent}.")
        if out.exists() and not out.is_file() and not out.is_dir():
            raise UsageError(f"{out} cannot be written: it is a device or a pipe; name a regular file.")
        is_folder = out.is_dir() and out not in folders
        if is_folder or not os.access(place.parent, os.W_OK):
            raise UsageError(f"{out} cannot be written: {'it is a folder' if is_folder else 'no permission'}.")
        taken.add(os.path.realpath(place))


def say(message: object) -> None:
    """Print a message on standard error."""
    click.echo(str(message), err=True)


def say_notes(data: NBest) -> None:
    """Print what the reader left out or changed."""
    for note in data.notes:
        say(f"note: {note}")


def print_json(value: Any) -> None:
    """Print one JSON object; numbers that are not finite become null."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode())


def settings(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Parse `key=value` settings; values are JSON if they parse as JSON, else text."""
    import orjson

    out: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"expected a setting as key=value; found {pair!r}.")
        out[key.strip()] = text
        with contextlib.suppress(orjson.JSONDecodeError):
            out[key.strip()] = orjson.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
    return out


@contextlib.contextmanager
def interruptible(outcome: str) -> Iterator[None]:
    """After Ctrl-C, report what was written."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted: {outcome}.") from None


@contextlib.contextmanager
def output(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Write lines to a file, atomically, or to standard output."""
    if path is None:
        yield click.echo
        return
    from runoff.formats.streams import create_bytes

    with create_bytes(path) as stream:

        def write(line: str) -> None:
            stream.write(line.encode() + b"\n")

        yield write
