"""Answers to TREC questions: all products of España-Bonet & Comas (2012), and the learned ranking.

Questions of TREC-11 are the test, the others are for training, as in the paper, but for those that ask the same as a
test question or share a long sentence with one. Two collections: `own`, the sentences
that answer a question with those that were retrieved for it; `found`, the 50 sentences of the union of all questions'
sentences that BM25 finds. A candidate is right if an answer pattern matches in it, as TREC's own evaluation judges.
Stages are kept in the folder RUNOFF_WORK; a second run goes on from there. Sections: `lists`, `products`, `ranking`,
`six`.
Usage: python benchmarks/answers.py [lists | products | ranking | six …]
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runoff.features.concatenation import concatenate
from runoff.files import replacing
from runoff.io import read
from runoff.learners import LogLinear
from runoff.learners.calibrate import fit_calibration
from runoff.metrics import get
from runoff.nbest import Features, NBest
from runoff.tables import text_table
from runoff.tasks.answers.annotated import AnnotatedSentence, leading_letter
from runoff.tasks.answers.annotator import ENTITY, Annotator
from runoff.tasks.answers.answer_sources import read_typed_questions
from runoff.tasks.answers.answer_table import SentenceView, rates, values_of
from runoff.tasks.answers.answerer import candidate_lists
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.answerer_training import AnnotatedQuestions, LearnedFromSome, learned_from, tuned
from runoff.tasks.answers.candidate_features import SCORES
from runoff.tasks.answers.candidates import answer_key
from runoff.tasks.answers.pattern_translators import PatternWeights
from runoff.tasks.answers.question import QuestionAnalyser, load_analyser
from runoff.tasks.answers.question_blocks import question_blocks
from runoff.tasks.answers.question_file import QuestionRecord, read_questions
from runoff.tasks.answers.question_types import QuestionTypes
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.answers.score_products import ROWS, product
from runoff.tasks.answers.supersenses import Supersenses
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.corpus_files import read_corpus
from runoff.tasks.tagging.spans import Span
from shared import data_folder, finish, skip

QUESTIONS, TYPES = "trec9-12.jsonl.gz", "question-types.train.txt.gz"
TEST_YEAR, FOUND = 11, 50
KINDS = ("own", "found")
SETTINGS = AnswererSettings()
TRIALS = 10_000
# T1, T50, MRR of table 6 (and 4), for answers and for sentences.
PAPER = {
    "B": "0.018 0.292 0.049 0.084 0.540 0.164",
    "R": "0.018 0.283 0.045 0.119 0.608 0.209",
    "B+R": "0.022 0.294 0.053 0.097 0.573 0.180",
    "BR": "0.027 0.294 0.057 0.137 0.591 0.211",
    "Lf": "0.016 0.286 0.046 0.137 0.605 0.236",
    "Lb": "0.022 0.304 0.054 0.100 0.581 0.192",
    "Lr": "0.018 0.326 0.060 0.131 0.627 0.225",
    "L": "0.038 0.330 0.079 0.147 0.622 0.238",
    "E": "0.044 0.373 0.096 0.058 0.579 0.142",
    "EL": "0.018 0.293 0.048 0.118 0.623 0.214",
    "BL": "0.051 0.337 0.091 0.184 0.616 0.271",
    "RL": "0.033 0.346 0.069 0.191 0.618 0.279",
    "BRL": "0.042 0.350 0.082 0.182 0.616 0.273",
    "(B+R)L": "0.044 0.346 0.085 0.187 0.618 0.273",
    "BE": "0.035 0.384 0.084 0.086 0.579 0.179",
    "RE": "0.035 0.377 0.086 0.131 0.630 0.228",
    "BRE": "0.049 0.377 0.098 0.135 0.608 0.220",
    "(B+R)E": "0.040 0.386 0.091 0.102 0.596 0.196",
    "BEL": "0.093 0.379 0.137 0.200 0.621 0.283",
    "REL": "0.071 0.377 0.123 0.208 0.619 0.294",
    "BREL": "0.091 0.379 0.132 0.200 0.622 0.287",
    "(B+R)EL": "0.100 0.377 0.141 0.204 0.621 0.286",
}
NUMBERS = ("T1", "T50", "MRR")


class PartOfLists(NamedTuple):
    """Lists of some questions, the sentence of every candidate, and whether sentences and candidates are right."""

    data: NBest
    sentence_of: list[list[int]]
    right: list[list[bool]]
    exact: list[bool]


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "answers" / QUESTIONS).exists():
        skip(f"no questions answers/{QUESTIONS} in the data folder; set RUNOFF_DATA")
        return
    sections = {"lists": lists, "products": products, "ranking": ranking, "six": six}
    finish({name: sections[name]() for name in sys.argv[1:] or sections})


# ---------------------------------------------------------------- material


@cache
def work() -> Path:
    """Where stages are kept."""
    path = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    path.mkdir(parents=True, exist_ok=True)
    return path


def data(name: str) -> Path:
    """A file of the data folder."""
    folder = data_folder()
    assert folder is not None  # main has looked
    return folder / name


@cache
def records() -> tuple[list[QuestionRecord], np.ndarray[Any, Any]]:
    """All questions, and the year of each."""
    path = data(f"answers/{QUESTIONS}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        years = [json.loads(line)["trec"] for line in file]
    return read_questions(path), np.array(years)


@cache
def split() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Numbers of training and test questions; no training question belongs together with a test question."""
    known, years = records()
    block_of, is_test = question_blocks(known).numbers, years == TEST_YEAR
    return np.flatnonzero(~is_test & ~np.isin(block_of, block_of[is_test])), np.flatnonzero(is_test)


@cache
def analyser() -> QuestionAnalyser:
    """Taggers of EWT, CoNLL-2000 and the tagged sentences of training questions; classes of Li & Roth."""
    path = work() / "analyser.runoff"
    if not path.exists():
        known, _ = records()
        pos = read_corpus(
            data("roles/ewt.train.conll.gz"), "columns", columns={"word": 4, "pos": 5}, separator="\t", ragged=True
        )
        chunks = read_corpus(data("chunks/conll2000.train.txt.gz"), "columns", columns={"word": 1, "chunk": 3})
        training = [known[at] for at in split()[0].tolist()]
        every = [each for record in training for each in (*record.answering, record.question)]
        tagged = list({each.words: each for each in every if each.entities}.values())
        entities = Corpus.of(
            {
                "word": [word for each in tagged for word in each.words],
                ENTITY: [leading_letter(tag) for each in tagged for tag in each.entities or ()],
            },
            sizes=[len(each.words) for each in tagged],
        )
        annotator = Annotator.train(pos, chunks, entities, verbose=True)
        texts, classes = read_typed_questions(data(f"answers/{TYPES}"))
        questions = annotator.annotate_words([text.split() for text in texts])
        QuestionAnalyser(annotator, QuestionTypes.fit(questions, classes)).save(path)
    return load_analyser(path)


@cache
def annotated() -> dict[tuple[str, ...], AnnotatedSentence]:
    """All sentences and questions, annotated once."""
    path = work() / "ann.json"
    if not path.exists():
        known, _ = records()
        texts = list(dict.fromkeys([r.question.words for r in known] + [s.words for r in known for s in r.sentences]))
        found = analyser().annotator.annotate_words(texts, verbose=True)
        rows = [[words, each.pos, each.chunks, each.entities] for words, each in zip(texts, found, strict=True)]
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(rows))
    out = {}
    for words, pos, chunks, entities in json.loads(path.read_text()):
        spans = (tuple(Span(*each) for each in kind) for kind in (chunks, entities))
        out[tuple(words)] = AnnotatedSentence(tuple(words), tuple(pos), *spans)
    return out


@cache
def questions() -> AnnotatedQuestions:
    """All questions with their own sentences."""
    known, _ = records()
    of = annotated()
    return AnnotatedQuestions(
        known,
        analyser().analyse_words([record.question.words for record in known]),
        [[of[sentence.words] for sentence in record.answering] for record in known],
        [[of[sentence.words] for sentence in record.sentences] for record in known],
    )


@cache
def index() -> tuple[PassageIndex, list[tuple[str, ...]]]:
    """An index of all different sentences, and their words by number."""
    known, _ = records()
    texts = list(dict.fromkeys(sentence.words for record in known for sentence in record.sentences))
    source = work() / "sentences.jsonl"
    if not source.exists():
        with replacing(source) as temporary:
            lines = (json.dumps({"id": str(at), "text": " ".join(words)}) for at, words in enumerate(texts))
            temporary.write_text("\n".join(lines))
    return PassageIndex.build(source, work() / "sentences.index"), texts


@cache
def weights() -> PatternWeights:
    """Weights of the translators, tuned on training questions with a single answering sentence."""
    path = work() / "weights.json"
    if not path.exists():
        found = tuned(questions().take(split()[0]), Supersenses.shipped(), SETTINGS, say=note)
        assert found is not None
        with replacing(path) as temporary:
            temporary.write_text(json.dumps([dict(each) for each in found]))
    return PatternWeights(*json.loads(path.read_text()))


def note(message: object) -> None:
    """Progress, beside the results."""
    print(message, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- lists


def lists() -> dict[str, Any]:
    """Lists of both collections; those of training questions by what is learned from the other folds."""
    known, _ = records()
    training, test = split()
    fold_of = question_blocks([known[at] for at in training.tolist()]).folds(SETTINGS.folds, SETTINGS.seed)
    done = {}
    for fold in range(SETTINGS.folds + 1):
        if all((work() / f"{kind}-{fold}.arrow").exists() for kind in KINDS):
            continue
        is_test = fold == SETTINGS.folds
        inside = test if is_test else training[fold_of == fold]
        others = training if is_test else training[fold_of != fold]
        began = time.process_time()
        learned = learned_from(questions().take(others), Supersenses.shipped(), weights())
        _write_lists(inside, learned, fold)
        done[str(fold)] = {"questions": int(inside.size), "CPU seconds": round(time.process_time() - began, 1)}
        note(f"fold {fold}: {done[str(fold)]}")
    return done


def _write_lists(numbers: np.ndarray[Any, Any], learned: LearnedFromSome, fold: int) -> None:
    """Lists of both collections for some questions; translations are made once for both."""
    asked = questions().take(numbers)
    found, texts = index()
    hits = [found.search(each.text, FOUND) for each in asked.questions]
    retrieved = [[annotated()[texts[hit.passage]] for hit in own] for own in hits]
    twice = AnnotatedQuestions(
        [*asked.records, *asked.records],
        [*asked.questions, *asked.questions],
        [*asked.answering, *asked.answering],
        [*asked.sentences, *retrieved],
    )
    patterns = [record.patterns for record in twice.records]
    ids = [f"{kind} {record.id}" for kind in KINDS for record in asked.records]
    made = candidate_lists(
        learned.features, learned.translators, twice.questions, twice.sentences, patterns, ids, k=SETTINGS.best
    )
    for at, kind in enumerate(KINDS):
        part = slice(at * numbers.size, (at + 1) * numbers.size)
        details = [
            {
                "sentence_of": [each.sentence for each in own],
                "right": [pattern.match(sentence.text) for sentence in sentences],
                "exact": [pattern.cover(each.text) for each in own],
            }
            for own, sentences, pattern in zip(
                made.candidates[part], twice.sentences[part], patterns[part], strict=True
            )
        ]
        with replacing(work() / f"{kind}-{fold}.json") as temporary:
            temporary.write_text(json.dumps(details))
        made.data[part].save(work() / f"{kind}-{fold}.arrow")


@cache
def part(kind: str, fold: int) -> PartOfLists:
    """Lists that were written."""
    details = json.loads((work() / f"{kind}-{fold}.json").read_text())
    return PartOfLists(
        read(work() / f"{kind}-{fold}.arrow"),
        [each["sentence_of"] for each in details],
        [each["right"] for each in details],
        [flag for each in details for flag in each["exact"]],
    )


def training_lists(kind: str) -> tuple[NBest, np.ndarray[Any, Any]]:
    """Lists of all training questions, and the fold of each."""
    parts = [part(kind, fold).data for fold in range(SETTINGS.folds)]
    return concatenate(parts), np.repeat(np.arange(len(parts)), [len(each) for each in parts])


# ---------------------------------------------------------------- tables


def products() -> dict[str, Any]:
    """Every product on the test questions, for answers and sentences, beside the paper's figures."""
    return {kind: _products(kind) for kind in KINDS}


def _products(kind: str) -> dict[str, Any]:
    test = part(kind, SETTINGS.folds)
    view = SentenceView(test.data, test.sentence_of, test.right)
    table = test.data.features.to_scipy().toarray()
    rows, numbers = [], {}
    for name in ROWS:
        scores = product(name, table)
        answers, sentences = rates(test.data, scores), view.rates(scores)
        numbers[name] = {"answers": answers, "sentences": sentences}
        ours = [f"{each[column]:.3f}" for each in (answers, sentences) for column in NUMBERS]
        rows.append([name, *ours, *PAPER[name].split()])
    titles = [f"{what} {column}" for what in ("QA", "SR", "paper QA", "paper SR") for column in NUMBERS]
    print(f"\n{kind}: {_facts(test)}\n{text_table(['product', *titles], rows)}")
    chance = {"answers": rates(test.data, np.zeros(len(table))), "sentences": view.rates(np.zeros(len(table)))}
    print(f"random: {chance}")
    return {"facts": _facts(test), "random": chance, "products": numbers}


def _facts(lists_of_part: PartOfLists) -> dict[str, float]:
    made = lists_of_part.data
    assert made.quality is not None
    quality, exact = made.quality, np.array(lists_of_part.exact, np.float64)
    filled = made.sizes > 0
    starts = made.offsets[:-1][filled]
    return {
        "questions": len(made),
        "candidates of a question": round(made.n_candidates / len(made), 1),
        "sentences of a question": round(sum(map(len, lists_of_part.right)) / len(made), 1),
        "upper bound": round(float(np.maximum.reduceat(quality, starts).sum()) / len(made), 3),
        "upper bound, exact": round(float(np.maximum.reduceat(exact, starts).sum()) / len(made), 3),
        "upper bound, sentences": round(float(np.mean([any(own) for own in lists_of_part.right])), 3),
    }


def ranking() -> dict[str, Any]:
    """The learned ranking beside the best product, with intervals; the ranking is a log-linear model."""
    return {kind: _ranking(kind) for kind in KINDS}


def ranker() -> LogLinear:
    """What `runoff answer train` takes by default, without its calibration, which is measured here by itself."""
    return LogLinear(right="tied", metric="mrr", calibration="none")


def _ranking(kind: str) -> dict[str, Any]:
    training, fold_of = training_lists(kind)
    held_out = np.zeros(training.n_candidates)
    for fold in range(SETTINGS.folds):
        inside = np.repeat(fold_of == fold, training.sizes)
        held_out[inside] = ranker().fit(training[fold_of != fold]).model.scores(training[fold_of == fold])
    by_folds = rates(training, held_out)
    note(f"{kind}, training questions by folds: {by_folds}")
    test = part(kind, SETTINGS.folds)
    view = SentenceView(test.data, test.sentence_of, test.right)
    table = test.data.features.to_scipy().toarray()
    # The product that is best on the test questions themselves: what the ranking has to beat.
    best = max(ROWS, key=lambda name: rates(test.data, product(name, table))["MRR"])
    model = ranker().fit(training).model
    scores = model.scores(test.data)
    merged, merged_scores = voted(test.data, scores)
    compared = {
        f"best product, {best}": (test.data, product(best, table)),
        "paper's best, (B+R)EL": (test.data, product("(B+R)EL", table)),
        "learned": (test.data, scores),
        "learned, same answers vote": (merged, merged_scores),
    }
    rows: list[list[str]] = []
    out: dict[str, Any] = {}
    base = values_of(test.data, product(best, table))
    for name, (made, own) in compared.items():
        ours = values_of(made, own)
        entry = {column: interval_and_p(ours[column], base[column]) for column in NUMBERS}
        out[name] = entry
        sentences = view.rates(own) if made is test.data else None
        if sentences:
            out[name]["sentences"] = sentences
        rows.append(
            [name]
            + [
                f"{entry[c]['value']:.3f} ({entry[c]['low']:.3f}-{entry[c]['high']:.3f}), p {entry[c]['p']:.4f}"
                for c in NUMBERS
            ]
            + [f"{sentences[c]:.3f}" if sentences else "" for c in NUMBERS]
        )
    print(f"\n{kind}\n{text_table(['ranking', *NUMBERS, *(f'SR {column}' for column in NUMBERS)], rows)}")
    exact = test.data.replace(quality=np.array(test.exact, np.float64))
    strict = {name: rates(exact, own) for name, own in ((best, product(best, table)), ("learned", scores))}
    print(f"exact answers only: {strict}")
    confidence = abstention(training, held_out, test.data, scores)
    print(f"abstention: {confidence}")
    weights_of = dict(zip(model.names.to_pylist(), (model.weights * table.std(axis=0)).tolist(), strict=True))
    heaviest = sorted(weights_of.items(), key=lambda item: -abs(item[1]))[:12]
    print(f"heaviest, weight times spread: {heaviest}")
    return {"by folds": by_folds, "test": out, "exact": strict, "abstention": confidence, "heaviest": heaviest}


def six() -> dict[str, Any]:
    """A ranking learned from nothing but the six scores of the paper and the logarithm of their product."""
    out = {}
    for kind in KINDS:
        training, _ = training_lists(kind)
        test = part(kind, SETTINGS.folds)
        model = ranker().fit(_only_scores(training)).model
        ours = values_of(test.data, model.scores(_only_scores(test.data)))
        base = values_of(test.data, np.asarray(test.data.base))
        out[kind] = {column: interval_and_p(ours[column], base[column]) for column in NUMBERS}
        note(f"{kind}, six scores: {out[kind]}")
    return out


def _only_scores(made: NBest) -> NBest:
    table = made.features.to_scipy().toarray()[:, : len(SCORES)]
    return made.replace(features=Features.of(table, list(SCORES)))


def voted(made: NBest, scores: np.ndarray[Any, Any]) -> tuple[NBest, np.ndarray[Any, Any]]:
    """Lists of different answers: candidates with the same words share the sum of their probabilities."""
    assert made.texts is not None
    assert made.quality is not None
    texts = [answer_key(text) for text in made.texts.to_pylist()]
    quality: list[float] = []
    sums: list[float] = []
    sizes: list[int] = []
    for start, stop in zip(made.offsets[:-1].tolist(), made.offsets[1:].tolist(), strict=True):
        exponents = np.exp(scores[start:stop] - scores[start:stop].max()) if stop > start else np.zeros(0)
        shares: dict[str, float] = {}
        good: dict[str, float] = {}
        for row, share in zip(range(start, stop), exponents.tolist(), strict=True):
            shares[texts[row]] = shares.get(texts[row], 0.0) + share
            good[texts[row]] = max(good.get(texts[row], 0.0), float(made.quality[row]))
        sums += list(shares.values())
        quality += list(good.values())
        sizes.append(len(shares))
    return NBest.from_arrays(None, quality, sizes=sizes), np.array(sums)


def interval_and_p(ours: np.ndarray[Any, Any], base: np.ndarray[Any, Any]) -> dict[str, float]:
    """Mean with a 95% bootstrap interval over questions, and the paired randomisation test against the base."""
    rng = np.random.default_rng(0)
    draws = ours[rng.integers(0, ours.size, (TRIALS, ours.size))].mean(axis=1)
    gaps = ours - base
    flipped = (rng.integers(0, 2, (TRIALS, gaps.size)) * 2 - 1) @ gaps
    p = (np.count_nonzero(np.abs(flipped) >= abs(gaps.sum()) - 1e-12) + 1) / (TRIALS + 1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"value": float(ours.mean()), "low": float(low), "high": float(high), "p": float(p)}


def abstention(
    training: NBest, held_out: np.ndarray[Any, Any], test: NBest, scores: np.ndarray[Any, Any]
) -> dict[str, Any]:
    """Confidence, fitted on held-out training lists: its error, and the share of right answers among the surest."""
    fitted = fit_calibration(training, held_out, get("quality"), "training lists by folds")
    confidences = np.array(fitted.confidences(test, scores))
    right = values_of(test, scores)["T1"]
    order = np.argsort(-confidences, kind="stable")
    surest = {f"{share:.0%}": float(right[order[: int(share * right.size)]].mean()) for share in (0.1, 0.25, 0.5, 1.0)}
    edges = np.clip((confidences * 10).astype(int), 0, 9)
    error = sum(abs(right[edges == at].sum() - confidences[edges == at].sum()) for at in range(10)) / right.size
    return {"right among the surest": surest, "mean confidence": float(confidences.mean()), "calibration error": error}


if __name__ == "__main__":
    main()
