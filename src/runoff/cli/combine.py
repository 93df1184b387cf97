"""`runoff combine train | apply | eval | explain | limits`: a winner assembled from parts of several candidates."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any, TypeVar

import click

from runoff.cli.combined_files import LISTS, ending_of, names_of, opened, read_files, write_texts
from runoff.cli.options import (
    FILE,
    as_json,
    check_outputs,
    group_by_option,
    interruptible,
    metric_option,
    print_json,
    resampling,
    resampling_options,
    say,
    say_notes,
    settings,
)
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.combine.evidence import Kind

    Command = TypeVar("Command", bound="Callable[..., Any]")

_files = click.argument("files", metavar="FILES…", nargs=-1, required=True, type=FILE)
_gold = click.option("--gold", type=FILE, help="The same inputs with what is right, where the lists do not say it.")


def _source_options(command: Any) -> Any:
    for option in (
        click.option(
            "--name", "names", multiple=True, help="Name of a system, once for every file. Default: the file's."
        ),
        click.option("--words", type=FILE, help="Words of the sentences, for files of propositions alone."),
        click.option("--task", metavar="T", help="See `runoff tasks`. Default: recognised from the files."),
    ):
        command = option(command)
    return command


@click.group(short_help="Assemble winners from parts of several systems' candidates.")
def combine() -> None:
    """Assemble a winner from parts of several candidates (Màrquez, Surdeanu, Comas & Turmo 2005).

    FILES are the solutions of several systems of anyone's making for the same inputs, one file each (roles as
    CoNLL-2005 props and others, columns of words and tags, trees in brackets), or n-best lists of each, or one file of
    merged lists (`runoff merge`).

    A filter learns which parts to keep from what the systems say of them; a resolution finds the best set of parts that
    can stand together.

    \b
    Example:  runoff combine train a.props b.props c.props --gold gold.props -o filter.runoff
    """


@combine.command(short_help="Train the filter of a combination.")
@_files
@_gold
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the combiner.")
@click.option("--dev", multiple=True, type=FILE, help="Files of the same systems on other inputs, in the same order.")
@click.option("--dev-gold", type=FILE, help="What is right for these.")
@click.option("--learner", default="loglinear", show_default=True, help="Any learner: see `runoff learners`.")
@click.option("--set", "more", multiple=True, metavar="KEY=VALUE", help="A parameter of the learner.")
@click.option(
    "--evidence",
    type=click.Choice(["all", "solutions"]),
    default="all",
    show_default=True,
    help="What the filter sees: the systems' first choices alone (the paper's table 7), or confidences and words too.",
)
@click.option(
    "--resolution",
    type=click.Choice(["exact", "greedy"]),
    default="exact",
    show_default=True,
    help="The best set of parts, or part after part by confidence.",
)
@click.option("--price", type=float, help="A part is kept if twice its probability exceeds this. Default: by --metric.")
@click.option("--min-groups", default=5, show_default=True, help="Evidence must occur in that many lists.")
@click.option("--folds", default=3, show_default=True, help="Without --dev, calibration and price come from folds.")
@click.option(
    "--reranker",
    "rerankers",
    multiple=True,
    metavar="LEARNER",
    help="Lists: also train this learner to choose whole candidates, and let it speak as one more system. May be "
    "repeated, with parameters: 'crf objective=la l2=0.016'.",
)
@click.option("--families", metavar="F", help="Feature families of rerankers, for tasks that have them.")
@group_by_option
@click.option("--seed", default=0, show_default=True, help="Seed of everything random.")
@metric_option
@_source_options
@as_json
def train(
    files: tuple[Path, ...],
    gold: Path | None,
    out: Path,
    dev: tuple[Path, ...],
    dev_gold: Path | None,
    learner: str,
    more: tuple[str, ...],
    evidence: Kind,
    rerankers: tuple[str, ...],
    families: str | None,
    as_json: bool,
    names: tuple[str, ...],
    words: Path | None,
    task: str | None,
    **options: Any,
) -> None:
    """Train a filter on FILES, which systems made of inputs that they did not learn from.

    \b
    Example:  runoff combine train a.props b.props c.props --gold gold.props -o filter.runoff
              runoff combine train both.jsonl --dev both.dev.jsonl --reranker crf --reranker orum -o trees.runoff
              runoff combine train merged.jsonl --dev dev.jsonl --learner boost --set depth=4 -o filter.runoff
    """
    from runoff.cli.reranker_learners import learners_of
    from runoff.combine import train_combiner
    from runoff.learners import learner as learner_named

    check_outputs([out], [*files, *dev, gold, dev_gold, words])
    filtering = learner_named(learner)()
    chosen: dict[str, Any] = {"calibration": "none", **settings(more)}
    if learner == "loglinear":
        chosen = {"sigma": 0.3, **chosen}
    filtering.set_params(**chosen)
    found = read_files(files, names, gold, words, task)
    held_out = None if not dev else read_files(dev, names or names_of(files), dev_gold, words, found.task).data
    if families is not None and not rerankers:
        raise UsageError("--families are features of rerankers, and there is no --reranker.")
    second = learners_of(rerankers, found.task, options["metric"], options["seed"])
    with interruptible(f"{out} was not written"):
        combiner = train_combiner(
            found.data,
            held_out,
            task=found.task,
            learner=filtering,
            kind=evidence,
            rerankers=second,
            featurizer=None if families is None else {"families": families},
            verbose=True,
            **options,
        )
    combiner.save(out)
    facts = dict(combiner.provenance)
    if as_json:
        print_json(
            {"output": str(out), "task": found.task, "systems": combiner.systems, "price": combiner.price, **facts}
        )
        return
    say(
        f"wrote {out}: learned from {facts['parts']:,} {combiner.reader.unit}, of which {facts['right']:,} are right; "
        f"price {combiner.price:g}, chosen on {facts['chosen_on']}."
    )
    say(f"next: runoff combine eval {out} FILES… --gold GOLD")


@combine.command(name="apply", short_help="Assemble winners.")
@click.argument("combiner_file", metavar="FILTER", type=FILE)
@_files
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write what was assembled.")
@_source_options
@as_json
def apply_(
    combiner_file: Path,
    files: tuple[Path, ...],
    out: Path,
    names: tuple[str, ...],
    words: Path | None,
    task: str | None,
    as_json: bool,
) -> None:
    """Assemble a winner for every input of FILES, which are of the systems that FILTER was trained with.

    A .jsonl, .arrow or .parquet file gets the lists with the winner as one more candidate, and the columns `combined`
    (1 for the winner) and `combined:gain`; a .txt file only the winners' texts, one per line; a file with any other
    name, such as out.props or out.conll, the inputs of the first of FILES with the winners in place of its own
    solutions.

    \b
    Example:  runoff combine apply filter.runoff a.props b.props c.props -o combined.props
              runoff combine apply filter.runoff merged.jsonl -o combined.jsonl
    """
    from runoff.combine.training import as_single

    check_outputs([out], [combiner_file, *files, words])
    combiner, found = opened(combiner_file, files, names, None, words, task)
    kind = ending_of(out)
    if kind in LISTS:
        from runoff.io import write

        made = combiner.append(found.data, verbose=True)
        write(made, out)
        notes: list[str] = []
    else:
        texts = combiner.texts(found.data, verbose=True)
        notes = write_texts(as_single(found.data, [text or "" for text in texts]), out, found, files[0], words)
    if as_json:
        print_json({"output": str(out), "lists": len(found.data), "notes": [*found.data.notes, *notes]})
        return
    say_notes(found.data)
    for note in notes:
        say(f"note: {note}")
    say(f"wrote {out}: {counted(len(found.data), 'lists')}.")


@combine.command(name="eval", short_help="Compare a combination with its systems.")
@click.argument("combiner_file", metavar="FILTER", type=FILE)
@_files
@_gold
@metric_option
@resampling_options
@_source_options
@click.option("--picture", type=FILE, help="Also draw the scores with their intervals to this PNG or SVG file.")
@as_json
def evaluate(
    combiner_file: Path,
    files: tuple[Path, ...],
    gold: Path | None,
    metric: str | None,
    picture: Path | None,
    names: tuple[str, ...],
    words: Path | None,
    task: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare what FILTER assembles with every system, with baselines, and with what a perfect filter would assemble.

    \b
    Example:  runoff combine eval filter.runoff a.props b.props c.props --gold gold.props
    """
    check_outputs([picture], [combiner_file, *files])

    from runoff.report.combination import evaluate_combination

    how = resampling(options)
    combiner, found = opened(combiner_file, files, names, gold, words, task)
    report = evaluate_combination(found.data, combiner, metric=metric, resampling=how, verbose=True)
    if picture is not None:
        from runoff.report.pictures import draw_combination

        draw_combination(report, picture, ", ".join(each.name for each in files))
        say(f"wrote {picture}")
    print_json(report.to_dict()) if as_json else click.echo(report)


@combine.command(short_help="What a combination could win.")
@_files
@_gold
@metric_option
@resampling_options
@_source_options
@as_json
def limits(
    files: tuple[Path, ...],
    gold: Path | None,
    metric: str | None,
    names: tuple[str, ...],
    words: Path | None,
    task: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare systems with what needs no training (union, vote) and with a perfect filter; who found what alone.

    \b
    Example:  runoff combine limits a.props b.props c.props --gold gold.props
    """
    from runoff.report.combination import evaluate_combination

    how = resampling(options)
    found = read_files(files, names, gold, words, task)
    report = evaluate_combination(found.data, task=found.task, metric=metric, resampling=how)
    print_json(report.to_dict()) if as_json else click.echo(report)


@combine.command(short_help="Explain why parts were kept or not.")
@click.argument("combiner_file", metavar="FILTER", type=FILE)
@_files
@click.option("--group", required=True, metavar="ID", help="Id of a list; `3:4` is word 5 of sentence 3 of files.")
@click.option("--most", default=3, show_default=True, help="Number of reasons to show for every part.")
@_source_options
@as_json
def explain(
    combiner_file: Path,
    files: tuple[Path, ...],
    group: str,
    most: int,
    names: tuple[str, ...],
    words: Path | None,
    task: str | None,
    as_json: bool,
) -> None:
    """Say of every part of one list whether it was kept, how probably it is right, and what spoke for and against it.

    \b
    Example:  runoff combine explain filter.runoff a.props b.props c.props --group 3:4
    """
    from runoff.combine.explanation import explain_combination

    combiner, found = opened(combiner_file, files, names, None, words, task)
    explanation = explain_combination(combiner, found.data, group)
    print_json(explanation.to_dict()) if as_json else click.echo(explanation.to_text(most))
