"""`runoff roles train` and `label`."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, interruptible, print_json, say, settings
from runoff.cli.task_commands import demo_command
from runoff.errors import UsageError
from runoff.tables import counted
from runoff.tasks.roles.annotation_commands import read_annotated, syntax_options, tool_paths
from runoff.tasks.roles.file_commands import KINDS, read_sentences, tell
from runoff.tasks.roles.light_verbs import without_light_verbs

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.roles.propositions import RoleSentence


def training_options(command: Callable[..., None]) -> Callable[..., None]:
    """How a labeller is trained."""
    options = [
        click.option(
            "--kind",
            type=click.Choice(["partial", "full", "constituents"]),
            default="full",
            show_default=True,
            help="Made of base phrases and clauses, of siblings on the path to the root, or of constituents.",
        ),
        click.option(
            "--learner",
            type=click.Choice(["crf", "boost"]),
            default="crf",
            show_default=True,
            help="A random field, or boosted trees as in Màrquez et al. (2005).",
        ),
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner."),
        click.option("--frames", type=FILE, help="PropBank's frames as JSON: roles that predicates may have."),
        click.option("--labels", type=click.IntRange(min=1), help="How many of the most frequent labels are learned."),
        click.option("--min-count", type=click.IntRange(min=1), help="Leave out features of fewer candidates."),
        click.option("--keep-light", is_flag=True, help="Keep light verbs, and be, have and do without arguments."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command(short_help="Learn a labeller from sentences with roles and syntax.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the labeller.")
@training_options
@click.option("--more", type=FILE, multiple=True, help="Further sentences, such as the same ones with other trees.")
@click.option("--dev", type=FILE, help="Sentences on which the price of an argument is found.")
@click.option("--checkpoint", type=FILE, help="File from which an interrupted training resumes.")
@as_json
def train(
    sentences_file: Path,
    out: Path,
    more: tuple[Path, ...],
    dev: Path | None,
    checkpoint: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a labeller from SENTENCES with roles, whose syntax is such as it will see.

    The syntax must come from tools that did not learn from these sentences, or the labeller trusts it too much.
    `runoff roles annotate` adds it.

    \b
    Example:  runoff roles train train.conll --kind full --frames frames.json -o full.runoff
              runoff roles train train.jsonl --kind partial -o partial.runoff
              runoff roles train train.jsonl --learner boost --set rounds=500 --checkpoint half.ckpt -o trees.runoff
    """
    check_outputs([out, checkpoint], [sentences_file, *more, *([dev] if dev else [])])
    began = time.monotonic()
    with interruptible(f"{out} was not written"):
        material = [sentences_for_training(path, keep_light=options["keep_light"]) for path in (sentences_file, *more)]
        held_out = None if dev is None else sentences_for_training(dev, keep_light=options["keep_light"])
        labeller = trained(material[0], held_out, checkpoint, [each for part in material[1:] for each in part], options)
    labeller.save(out)
    facts = {**labeller.provenance, "price": labeller.price, "features": labeller.features.n_features}
    if as_json:
        print_json({**facts, "seconds": round(time.monotonic() - began, 1), "file": str(out)})
        return
    if not labeller.provenance["finished"]:
        say("the training was interrupted: the labeller is from the steps so far.")
    seconds = time.monotonic() - began
    say(
        f"{counted(facts['predicates'], 'predicates')}, {counted(facts['candidates'], 'candidates')}, "
        f"{counted(facts['features'], 'features')} in {seconds:.0f} s; wrote {out}."
    )


def trained(
    sentences: list[RoleSentence],
    dev: list[RoleSentence] | None,
    checkpoint: Path | None,
    copies: list[RoleSentence],
    options: dict[str, Any],
) -> Any:
    """A labeller by the options of `training_options`."""
    from runoff.tasks.roles.frames import read_frames
    from runoff.tasks.roles.labeller_training import default_learner, train_labeller

    learner = default_learner(options["learner"])
    kept = None if checkpoint is None else str(checkpoint)
    learner.set_params(**settings(options["settings"]), checkpoint=kept, verbose=True)
    return train_labeller(
        sentences,
        options["kind"],
        learner=learner,
        dev=dev,
        frames=None if options["frames"] is None else read_frames(options["frames"]),
        labels=options["labels"],
        min_count=options["min_count"],
        copies=copies,
    )


def sentences_for_training(path: Path, *, keep_light: bool) -> list[RoleSentence]:
    """Sentences of a file, without the predicates that are none unless they are to be kept."""
    sentences = read_sentences(path, None)
    if keep_light:
        return sentences
    found = without_light_verbs(sentences)
    left_out = sum(len(one.propositions) - len(two.propositions) for one, two in zip(sentences, found, strict=True))
    if left_out:
        say(f"{path}: left out {counted(left_out, 'light verbs')} and auxiliaries without arguments.")
    return found


@click.command(short_help="Find the arguments of predicates.")
@click.argument("labeller_file", metavar="LABELLER", type=FILE)
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the sentences with roles.")
@click.option("--to", "kind", type=KINDS, help="Format of the output; default: by its name.")
@click.option("--greedy", is_flag=True, help="One argument after the other by probability, not the best set of them.")
@click.option("--left-to-right", is_flag=True, help="One tag after the other, as the taggers of the paper.")
@syntax_options
def label(
    labeller_file: Path,
    sentences_file: Path,
    out: Path,
    kind: str | None,
    greedy: bool,
    left_to_right: bool,
    **options: Any,
) -> None:
    """Find the arguments of the predicates of SENTENCES: any file of roles, or raw text (.txt).

    The sentences must have the syntax that the labeller was trained with, or get it by the options below.

    \b
    Example:  runoff roles label full.runoff test.conll -o test.props
              runoff roles label full.runoff text.txt --grammar grammar.runoff --predicates finder.runoff -o text.jsonl
    """
    from runoff.tasks.roles.labeller_file import load_labeller
    from runoff.tasks.roles.role_files import write_roles

    check_outputs([out], [labeller_file, sentences_file, *tool_paths(options)])
    if greedy and left_to_right:
        raise UsageError("--greedy and --left-to-right are two ways to choose; give one of them.")
    labeller = load_labeller(labeller_file)
    sentences = read_annotated(sentences_file, **options)
    if not any(sentence.propositions for sentence in sentences):
        raise UsageError(f"{sentences_file} has no predicates; --predicates finds some.")
    began = time.monotonic()
    labelled = labeller.label_left_to_right(sentences) if left_to_right else labeller.label(sentences, greedy=greedy)
    seconds = max(time.monotonic() - began, 1e-9)
    notes: list[str] = []
    write_roles(labelled, out, kind, notes=notes)
    tell(notes)
    say(f"{counted(len(sentences), 'sentences')}, {len(sentences) / seconds:.0f} per second; wrote {out}.")


demo = demo_command(
    "runoff.tasks.roles.demo.run:run",
    "runoff-roles-demo",
    short_help="Show the three labellers on synthetic sentences.",
    data="sentences",
    help="""Write sentences about a village with roles and trees, train the three labellers, compare them, and draw one.

    Takes about ten seconds.

    \b
    Example:  runoff roles demo
    """,
)
