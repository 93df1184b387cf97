"""All steps on the almanac of an island that does not exist: learn, index, ask, measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.files import reason
from runoff.metrics import Resampling
from runoff.report import evaluate
from runoff.tables import shorten
from runoff.tasks.answers.answer_sources import analyser_for
from runoff.tasks.answers.answer_text import shown
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.answerer_training import train_answerer
from runoff.tasks.answers.demo.almanac import Almanac
from runoff.tasks.answers.demo.almanac_files import write_almanac
from runoff.tasks.answers.question_file import read_questions
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.answers.training_pairs import QuestionLevels

if TYPE_CHECKING:
    from collections.abc import Callable

_ASKED = 3  # questions that are shown


def run(
    folder: str | Path, seed: int, say: Callable[[str], object] = print, *, verbose: bool = False
) -> dict[str, Any]:
    """Write the almanac to `folder`, learn to answer questions, and ask new ones. Ten CPU seconds."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made: {reason(error)}.") from error
    files = write_almanac(Almanac.of(seed), folder)
    training, test = read_questions(files.training), read_questions(files.test)
    say(
        f"A synthetic almanac is in {files.texts}, with {len(training)} questions to learn from and {len(test)} new "
        "ones.\n\n1. Learn: taggers, kinds of questions, two translators, a ranking of candidates\n"
    )
    analyser = analyser_for(training, verbose=verbose, say=say)
    answerer = train_answerer(training, analyser, AnswererSettings(seed=seed), verbose=verbose, say=say)
    model, index_path = folder / "answers.runoff", folder / "texts.index"
    answerer.save(model)
    index = PassageIndex.build(files.texts, index_path, verbose=verbose)
    (question,) = answerer.analyser.analyse_words([test[0].question.words])
    levels = QuestionLevels.of(question.annotated, answerer.senses)
    (patterns,) = answerer.translators.patterns([levels], 1)
    say(
        f"\n2. A question as it is translated\n\n  {question.text}\n"
        f"  in words:    {shorten(' '.join(patterns.words.texts[0]), 100)}\n"
        f"  abstract:    {shorten(' '.join(patterns.abstract.texts[0]), 100)}\n\n"
        f"3. New questions, asked of {len(index)} passages\n"
    )
    asked = [" ".join(record.question.words) for record in test[:_ASKED]]
    for answers in answerer.ask(index, asked):
        say(f"{shown(answers, 2)}\n")
    lists = answerer.lists_of(test, index, verbose=verbose).data
    found = evaluate(answerer.ranker, lists, "mrr,success@1", resampling=Resampling(resamples=200, trials=2_000))
    say(f"4. Against the best product of the paper, on the {len(test)} new questions\n\n{found}\n")
    say(f'Next: runoff answer ask {model} {index_path} "{asked[-1]}"')
    return {"answerer": str(model), "index": str(index_path), **found.to_dict()}
