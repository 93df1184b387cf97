"""`runoff answer train`, `ask`, `lists`, `eval` and `demo`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    as_json,
    check_outputs,
    interruptible,
    print_json,
    resampling,
    resampling_options,
    say,
    seed_option,
)
from runoff.cli.task_commands import demo_command
from runoff.tables import counted, text_table

_REPORTED = "mrr,success@1,success@50"
index_option = click.option(
    "--index", type=FILE, help="Take candidates from passages of this index, not from the sentences in DATA."
)


@click.command(short_help="Learn to answer questions.")
@click.argument("data", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the answerer, one file.")
@click.option("--pos", type=FILE, help="A tagger of parts of speech, of `runoff tag train`.")
@click.option("--chunks", type=FILE, help="A tagger of chunks.")
@click.option("--entities", type=FILE, help="A tagger of entities.")
@click.option(
    "--question-types", type=FILE, help='Questions with classes to learn from, "HUM:ind Who …?" in each line.'
)
@click.option("--wordnet", type=FILE, help="A folder of WordNet's files, in place of the table that is shipped.")
@click.option(
    "--index", type=FILE, help="Learn from candidates in passages of this index, as they will be when it is asked."
)
@click.option("--passages", default=100, show_default=True, help="Passages that are searched when questions are asked.")
@click.option("--best", default=100, show_default=True, help="Translations that sentences are compared with.")
@click.option("--folds", default=3, show_default=True, help="Folds whose scores are made by translators of the others.")
@click.option("--tuning", default=3, show_default=True, help="Rounds of tuning the translators' weights; 0: none.")
@click.option(
    "--learner",
    type=click.Choice(["loglinear", "trees", "blend"]),
    default="loglinear",
    show_default=True,
    help="What ranks candidates.",
)
@seed_option
@as_json
def train(
    data: Path,
    out: Path,
    pos: Path | None,
    chunks: Path | None,
    entities: Path | None,
    question_types: Path | None,
    wordnet: Path | None,
    index: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn from DATA, questions with sentences that answer them and others that do not.

    Two translators turn questions into sentences that answer them, in words and in an abstract form; a ranking learns
    how much to trust the likeness of a sentence to these, the type of a candidate, and further evidence. Taggers are
    learned from the tags in DATA, or from plain rules where it has none, unless they are given.

    \b
    Example:  runoff answer train questions.jsonl -o answers.runoff
    """
    from runoff.tasks.answers.answer_sources import analyser_for
    from runoff.tasks.answers.answerer_settings import AnswererSettings
    from runoff.tasks.answers.answerer_training import train_answerer, usable_questions
    from runoff.tasks.answers.question_file import read_questions
    from runoff.tasks.answers.retrieval import PassageIndex
    from runoff.tasks.answers.supersenses import Supersenses

    check_outputs([out], [data, pos, chunks, entities, question_types, index])
    chosen = AnswererSettings(**options)
    searched = None if index is None else PassageIndex.open(index)
    with interruptible(f"{out} was not written"):
        records = usable_questions(read_questions(data), say=say)
        senses = None if wordnet is None else Supersenses.from_wordnet(wordnet)
        taggers = {"pos": pos, "chunks": chunks, "entities": entities}
        say("taggers and classes of questions")
        analyser = analyser_for(records, taggers, question_types, senses, verbose=True, say=say)
        answerer = train_answerer(records, analyser, chosen, searched, verbose=True, say=say)
        answerer.save(out)
    facts = dict(answerer.provenance)
    if as_json:
        print_json({"answerer": str(out), **facts})
    else:
        click.echo(
            f"{out}: from {counted(facts['questions'], 'questions')}, {counted(facts['pairs'], 'pairs')} of questions "
            f"and answering sentences, {counted(facts['candidates'], 'candidates')}.\n"
            f'next: runoff answer index FOLDER -o texts.index\n      runoff answer ask {out} texts.index "Who …?"'
        )


@click.command(short_help="Answer questions from an index of passages.")
@click.argument("model", type=FILE)
@click.argument("index", type=FILE)
@click.argument("questions", nargs=-1, required=True, metavar="QUESTION…")
@click.option("-k", "count", type=click.IntRange(min=1), default=3, show_default=True, help="Answers to show.")
@click.option("--passages", type=click.IntRange(min=1), help="Passages to search.  [default: the model's]")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Give no answer where the confidence is lower.",
)
@as_json
def ask(
    model: Path,
    index: Path,
    questions: tuple[str, ...],
    count: int,
    passages: int | None,
    min_confidence: float,
    as_json: bool,
) -> None:
    """Answer each QUESTION from the passages of INDEX, with the sentence that says so and what spoke for it.

    \b
    Example:  runoff answer ask answers.runoff texts.index "Who built the bridge?"
    """
    from runoff.tasks.answers.answer_text import shown
    from runoff.tasks.answers.answerer_file import load_answerer
    from runoff.tasks.answers.retrieval import PassageIndex

    answerer = load_answerer(model)
    found = answerer.ask(PassageIndex.open(index), questions, passages=passages)
    found = [each.at_least(min_confidence) for each in found]
    if as_json:
        print_json([each.to_dict(count) for each in found])
        return
    click.echo("\n\n".join(shown(each, count) for each in found))


@click.command(short_help="Write candidates with their features as lists.")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@index_option
def lists(model: Path, data: Path, out: Path, index: Path | None) -> None:
    """Write the candidates for the questions in DATA as lists, which train, eval and explain take like any others.

    The first round's score is the product of the paper that answers best, (B+R)·E·Lb·Lr·Lf.

    \b
    Example:  runoff answer lists answers.runoff questions.jsonl -o lists.jsonl.gz
    """
    from runoff.io import write

    check_outputs([out], [model, data, index])
    with interruptible(f"{out} was not written"):
        _, made = _lists(model, data, index)
        write(made, out)
    click.echo(f"{out}: {counted(len(made), 'lists')} of {counted(made.n_candidates, 'candidates')}.")


@click.command(name="eval", short_help="Measure how often the answers are right.")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@index_option
@click.option("--products", is_flag=True, help="Show all products of the paper's scores too.")
@resampling_options
@as_json
def evaluate(model: Path, data: Path, index: Path | None, products: bool, as_json: bool, **options: Any) -> None:
    """Compare MODEL's answers to the questions in DATA with the paper's best product, a random and a perfect choice.

    success@1 is the share of questions whose first answer is right (T1 of the paper), success@50 that with one among
    the first 50 (T50), and MRR the mean of one over the rank of the first right one.

    \b
    Example:  runoff answer eval answers.runoff questions.jsonl
    """
    from runoff.report import evaluate as evaluate_
    from runoff.tasks.answers.answer_table import product_rows

    how = resampling(options)
    answerer, made = _lists(model, data, index)
    found = evaluate_(answerer.ranker, made, _REPORTED, resampling=how)
    rows = product_rows(made) if products else []
    if as_json:
        print_json({**found.to_dict(), **({"products": rows} if products else {})})
        return
    click.echo(found)
    if rows:
        body = [[row["name"], *(f"{row[name]:.3f}" for name in ("T1", "T50", "MRR"))] for row in rows]
        click.echo(f"\n{text_table(['product', 'T1', 'T50', 'MRR'], body)}")


def _lists(model: Path, data: Path, index: Path | None) -> Any:
    """The answerer, and the lists of all questions with quality."""
    from runoff.tasks.answers.answerer_file import load_answerer
    from runoff.tasks.answers.question_file import read_questions
    from runoff.tasks.answers.retrieval import PassageIndex

    answerer, records = load_answerer(model), read_questions(data)
    found = None if index is None else PassageIndex.open(index)
    return answerer, answerer.lists_of(records, found, verbose=True).data


demo = demo_command(
    "runoff.tasks.answers.demo.run:run",
    "runoff-answer-demo",
    short_help="Show all steps on a synthetic almanac.",
    data="almanac",
    help="""Write an almanac of an island that does not exist, learn to answer questions about it, and ask new ones.

    Takes about a minute on two cores.

    \b
    Example:  runoff answer demo
    """,
)
