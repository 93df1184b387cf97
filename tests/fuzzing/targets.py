"""The kinds of files that are attacked: valid ones to begin with, and what a person does with one."""

from __future__ import annotations

import contextlib
import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from fuzzing import answer_targets as answers
from fuzzing import translation_targets as translations
from fuzzing.archive_mutants import archive_mutant
from fuzzing.combination_targets import combiners, combining, joining, solutions
from fuzzing.tool_targets import MARKS, tool_reader
from fuzzing.tool_targets import seeds as tool_seeds
from helpers.mutations import mutants
from helpers.parse_files import PRINTED, WHOLE
from helpers.role_sentences import contents
from helpers.text_files import stuttering_records
from helpers.tool_files import TOOLS
from runoff import learners
from runoff.learners.featurized import with_featurizer
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.parsing import ParseFeaturizer
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import load_grammar, train_grammar
from runoff.tasks.roles import Proposition, RoleSentence, evaluate_roles, read_roles, roles_text, write_roles
from runoff.tasks.tagging import bracket_spans, evaluate_tags, phrases, read_corpus, write_corpus
from runoff.tasks.text import TextReranker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Target:
    """One kind of file."""

    seeds: Callable[[], Sequence[bytes]]
    use: Callable[[Path], None]
    suffix: str = ""
    tokens: tuple[bytes, ...] = ()
    is_archive: bool = False

    def mutant(self, files: Sequence[bytes], seed: int) -> bytes:
        """A changed file; the same for the same seed."""
        return archive_mutant(files, seed) if self.is_archive else next(mutants(files, 1, seed, self.tokens))


# ---------------------------------------------------------------- lists


def lists(*, references: bool = True, seed: int = 0) -> runoff.NBest:
    """Lists with everything that lists may have."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (12, 5)).astype(float)
    return runoff.NBest.from_arrays(
        table,
        np.round(rng.random(12), 2),
        sizes=[4, 4, 1, 3],
        base=rng.normal(size=12),
        texts=[f"the tëxt {at} of {at % 3}" for at in range(12)],
        references=["the tëxt 0", "a", "b", "of 2"] if references else None,
        inputs=["one", "two", "three", "four"],
    )


def _written(suffix: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"lists{suffix}"
            found = []
            for data in (lists(), lists(references=False, seed=1)):
                runoff.write(data, path)
                found.append(path.read_bytes())
        return found

    return seeds


def _reading(name: str | None, **options: str) -> Callable[[Path], None]:
    """Read lists, describe them, and write and read them again in both of our own formats."""

    def use(path: Path) -> None:
        check_lists(path, name, _beside(path, options))

    return use


def check_lists(path: Path, name: str | None, options: dict[str, Any], metric: str | None = None) -> None:
    """Read lists, describe them, and write and read them again."""
    data = runoff.read(path, name, metric=metric, **options)
    with_quality = data.quality is not None
    runoff.describe(data, metric="quality" if with_quality else None)
    for suffix in (".arrow", ".jsonl"):
        copy = path.with_name(f"copy{suffix}")
        runoff.write(data, copy)
        try:
            again = runoff.read(copy)
        except runoff.RunoffError as error:
            raise AssertionError(f"what was written as {suffix} cannot be read: {error}") from error
        if (len(again), again.n_candidates) != (len(data), data.n_candidates):
            raise AssertionError(f"other lists came back from {suffix}")
        if with_quality and not np.array_equal(again.quality, data.quality):
            raise AssertionError(f"other qualities came back from {suffix}")


def _beside(path: Path, options: dict[str, str]) -> dict[str, Any]:
    """Options whose values are contents of files, which are written first."""
    found: dict[str, Any] = {}
    for name, content in options.items():
        its = path.with_name(f"{name}.txt")
        its.write_text(content)
        found[name] = str(its)
    return found


JSON = (b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"true", b"-1", b"1e400", b"NaN", b'"features"', b'"id"')
JSON = (*JSON, b'"candidates"', b'"text"', b'"quality"', b'"base"', b"\\ud800", b"9" * 400, b"\xff", b"\xef\xbb\xbf")
SPACES = (b"\t", b" ", b"\n", b"\r\n", b"|||", b":", b"#", b"-1", b"1e400", b"nan", b"9" * 400, b"\0", b"\xff", b"=")
LETOR = b"2 qid:10 1:0.5 2:1 3:-0.25 #docid = A\n0 qid:10 1:0.125 3:2 #docid = B\n1 qid:12 2:1 #docid = A\n"
MOSES = (
    b"0 ||| das ist gut ||| lm: -12.5 tm: -1 -2 w: -3 ||| -7.5\n"
    b"0 ||| gut ||| lm: -2.5 tm: -1 -1 w: -1 ||| -8\n"
    b"1 ||| ja ||| lm: -1 tm: 0 0 w: -1 ||| -1\n"
)
TREC = b"q1 Q0 d1 1 12.5 run\nq1 Q0 d2 2 11 run\nq2 Q0 d1 1 3 run\nq2 Q0 d3 2 2.5 run\n"
TABLE = b'group,text,quality,score,length\na,yes,1,0.5,3\na,no,0,0.25,2\nb,"it, is",0.5,1,5\nb,not,0,-1,3\n'
HYPOTHESES = [
    json.dumps({"input": ["so it", "so", "it"], "output": "so it", "scores": [-1, -2.5, -3], "id": "u1"}).encode(),
    json.dumps([{"input": ["a b", "a"], "output": "a b"}, {"input": ["ä"], "output": "b"}]).encode(),
]
LOSSES = {"text": "so", "loss": 2, "system": -1.5, "features": {"a": 1}}, {"text": "it", "loss": 0, "system": -2}

# ---------------------------------------------------------------- models


@functools.cache
def texts() -> runoff.NBest:
    """Plain texts with references."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in stuttering_records(24, 0)))
        return runoff.read(path, metric="wer")


@functools.cache
def trees() -> runoff.NBest:
    """Lists of parses."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.jsonl"
        path.write_text("".join(json.dumps({**WHOLE, "id": f"d#{at}"}) + "\n" for at in range(8)))
        return runoff.read(path, metric="parseval")


def _saved(*models: Any) -> list[bytes]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            model.save(Path(folder) / "m")
            found.append((Path(folder) / "m").read_bytes())
    return found


def _linear_models() -> list[bytes]:
    data = lists()
    return _saved(
        learners.Boost(rounds=20).fit(data).model,
        learners.LogLinear().fit(data).model,
        learners.Perceptron(epochs=2, average="voted").fit(data).model,
        learners.Perceptron(epochs=2).fit(data).model,
    )


def _text_models() -> list[bytes]:
    kept = {"families": "position,length,words,characters,lm,agreement", "recipes": "loglinear"}
    return _saved(TextReranker(metric="wer", **kept).fit(texts()).model)


def _parse_models() -> list[bytes]:
    featurizer = ParseFeaturizer()
    return _saved(with_featurizer(learners.LogLinear().fit(featurizer.fit_transform(trees())).model, featurizer))


def _picking(data: Callable[[], runoff.NBest]) -> Callable[[Path], None]:
    def use(path: Path) -> None:
        model = runoff.load(path)
        str(model), model.heaviest()
        choices = list(model.pick(data()))
        model.explain(data(), group=choices[0].group)

    return use


# ---------------------------------------------------------------- grammars

_TREES = ("(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (PRP me))))")


def _grammars() -> list[bytes]:
    return _saved(train_grammar([parse_tree(tree) for tree in _TREES] * 5))


def _parsing(path: Path) -> None:
    grammar = load_grammar(path)
    for sentence in ("I run", "the dog sees the unseen dog", "_ _ ."):
        grammar.nbest(sentence.split(), k=5)


# ---------------------------------------------------------------- indexes


def _indexes() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            Path(folder, name).write_text(f"The dog of {name} sees a dög. It runs.\n\nThe end.")
        PassageIndex.build(folder, Path(folder, "index"), sentences=2)
        return [Path(folder, "index").read_bytes()]


def _searching(path: Path) -> None:
    index = PassageIndex.open(path)
    for hit in (*index.search("dogs dög run"), *index.relaxed_search([("the dog", 2.0), ("end", 1.0)])):
        index.passage(hit.passage)


# ---------------------------------------------------------------- checkpoints


def _learners() -> dict[str, Callable[[Path, int], Any]]:
    def boost(path: Path, steps: int) -> Any:
        return learners.Boost(rounds=steps, smoothing=0.0025, checkpoint=str(path))

    def perceptron(path: Path, steps: int) -> Any:
        return learners.Perceptron(epochs=steps, checkpoint=str(path))

    def voted(path: Path, steps: int) -> Any:
        return learners.Perceptron(epochs=steps, average="voted", checkpoint=str(path))

    def crf(path: Path, steps: int) -> Any:
        return learners.CRF(epochs=steps, checkpoint=str(path))

    return {"boost": boost, "perceptron": perceptron, "voted perceptron": voted, "random field": crf}


@functools.cache
def learnable() -> runoff.NBest:
    """Lists from which every learner learns for some rounds."""
    rng = np.random.default_rng(0)
    table = (rng.random((80, 12)) < 0.3).astype(float)
    quality = np.round(table @ rng.normal(size=12) + rng.normal(size=80), 1)
    return runoff.NBest.from_arrays(table, quality, sizes=[4] * 20, base=quality + 3 * rng.normal(size=80))


def _checkpoint(name: str) -> Target:
    make = _learners()[name]

    def seeds() -> list[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kept"
            make(path, 3).fit(learnable())
            return [path.read_bytes()]

    def use(path: Path) -> None:
        make(path, 5).fit(learnable()).model.pick(learnable())

    return Target(seeds, use, is_archive=True)


# ---------------------------------------------------------------- sentences


def _sentences(path: Path) -> None:
    """Read sentences of whatever kind, use every column, and write and read them again."""
    corpus = read_corpus(path, notes=[])
    for name in corpus.columns:
        try:
            phrases(corpus, name)
        except runoff.RunoffError:
            evaluate_tags(corpus, name, column=name, resampling=runoff.metrics.Resampling(resamples=1))
        with contextlib.suppress(runoff.RunoffError):
            bracket_spans(corpus, name)
    copy = path.with_name("copy.jsonl")
    if "word" not in corpus.columns:
        return
    write_corpus(corpus, copy)
    again = read_corpus(copy)
    if any(again[name].texts() != corpus[name].texts() for name in corpus.columns) or len(again) != len(corpus):
        raise AssertionError("other sentences came back")


def _roles(path: Path) -> None:
    """Read roles of whatever kind, compare them with themselves, and write and read them again."""
    sentences = read_roles(path, notes=[])
    with contextlib.suppress(runoff.RunoffError):
        evaluate_roles(sentences, sentences, resampling=runoff.metrics.Resampling(resamples=1)).confusion_matrix()
    for sentence in sentences:
        roles_text([sentence], ["x"])
    copy = path.with_name("copy.jsonl")
    write_roles(sentences, copy)
    if contents(read_roles(copy)) != contents(sentences):
        raise AssertionError("other roles came back")


def _written_roles() -> list[bytes]:
    """One small file in every format of roles."""
    tree = parse_tree("(S (NP (PRP I)) (VP (VBD left) (NP (NN home))))")
    said = [(0, 1, "A0"), (1, 2, "V"), (2, 3, "C-A1")]
    sentence = RoleSentence(
        ("I", "left", "home"), (Proposition.of(1, "leave", said, "leave.01"),), ("PRP", "VBD", "NN"), tree,
        ("B-NP", "B-VP", "B-NP"), ((0, 3),), ("O", "O", "B-LOC"), "d#0", "d",
    )  # fmt: skip
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("propbank", "conll2005", "props", "conll2012", "jsonl"):
            write_roles([sentence, RoleSentence(("Yes",), document="d")], Path(folder, "roles"), kind)
            found.append(Path(folder, "roles").read_bytes())
    return found


COLUMNS = b"A DT B-NP (S*\ncat NN I-NP *\nruns VBZ B-VP *S)\n\n# sent_id = 2\nYes UH O *\nsir NN O *\n"
TABS = b"# newdoc id = a\nNew York\tB-LOC\nis\tO\n\n-DOCSTART-\tO\n\nb\xc3\xa9\tI-LOC\n\tO\n"
UNIVERSAL = b"# sent_id = 1\n1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_\n1\tin\tin\tADP\t_\t_\t2\tcase\t_\t_\n"
UNIVERSAL += b"2\tdem\tder\tDET\t_\t_\t0\troot\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
OBJECTS = b'{"id": "a", "document": "d", "words": ["It", "is"], "tags": ["O", "B-A"], "pos": ["P", "V"]}\n' * 2
PROSE = "It's Mr. O'Neill (see http://a.org). He can't — \u201cyes!\u201d\n\nNo more, at 5.50% e.g.\n".encode()

FORMATS: dict[str, Target] = {
    "jsonl": Target(_written(".jsonl"), _reading("jsonl"), ".jsonl", JSON),
    "loss-jsonl": Target(lambda: [json.dumps({"candidates": LOSSES}).encode()], _reading("loss-jsonl"), ".jsonl", JSON),
    "hypotheses": Target(lambda: HYPOTHESES, _reading("hypotheses"), ".json", JSON),
    "letor": Target(lambda: [LETOR], _reading("letor"), ".txt", SPACES),
    "moses": Target(lambda: [MOSES], _reading("moses", references="das ist gut\nja\n"), ".txt", SPACES),
    "trec": Target(lambda: [TREC], _reading("trec", qrels="q1 0 d1 1\nq2 0 d3 2\n"), ".txt", SPACES),
    "table": Target(lambda: [TABLE, TABLE.replace(b",", b"\t")], _reading("table"), ".csv", (*SPACES, b",", b'"')),
    "arrow": Target(_written(".arrow"), _reading("arrow"), ".arrow"),
    "parquet": Target(_written(".parquet"), _reading("arrow"), ".parquet"),
    "parses": Target(lambda: [json.dumps(WHOLE).encode() + b"\n"], _reading(None), ".jsonl", (*JSON, b"(", b")")),
    "columns": Target(
        lambda: [COLUMNS, TABS], _sentences, ".txt", (*SPACES, b"-DOCSTART-", b"# sent_id = ", b"(S", b"*")
    ),
    "conllu": Target(lambda: [UNIVERSAL], _sentences, ".conllu", (*SPACES, b"_", b"1-2", b"2.1", b"# newdoc")),
    "sentences": Target(lambda: [OBJECTS], _sentences, ".jsonl", (*JSON, b'"words"', b'"tags"')),
    "prose": Target(lambda: [PROSE], _sentences, ".txt", (*SPACES, b"'", b"n't", b"...", b"\xe2\x80\x9c")),
    "roles": Target(
        _written_roles, _roles, ".conll", (*SPACES, *JSON, b"(V*)", b"(A0*", b"*)", b"-", b"#begin document")
    ),
    "solutions": Target(solutions, joining, ".props", (*SPACES, b"(V*)", b"(A0*", b"*)", b"-")),
    "phrase tables": Target(translations.tables, translations.tabulating, "", (*SPACES, b"0-0", b" ||| ", b"2.718")),
    "alignments": Target(
        lambda: [translations.LINKS, b"0-0 1?1 2p0\n0-0\n"], translations.linking, "", (*SPACES, b"0-1", b"?", b"p")
    ),
    "questions": Target(
        answers.questions, answers.reading, ".jsonl", (*JSON, b'"pos"', b'"ner"', b'"text"', b"(", b"\\\\", b"*")
    ),
    "bllip": Target(lambda: [PRINTED.encode()], _reading(None), ".txt", (*SPACES, b"(", b")")),
}
MODELS: dict[str, Target] = {
    "linear models": Target(_linear_models, _picking(lists), is_archive=True),
    "text models": Target(_text_models, _picking(texts), is_archive=True),
    "parse models": Target(_parse_models, _picking(trees), is_archive=True),
    "translators": Target(translations.translators, translations.translating, is_archive=True),
    "translation models": Target(translations.models, _picking(translations.lists), is_archive=True),
    "combiners": Target(combiners, combining, is_archive=True),
    "grammars": Target(_grammars, _parsing, is_archive=True),
    "indexes": Target(_indexes, _searching, is_archive=True),
    "answerers": Target(answers.answerers, answers.asking, is_archive=True),
    "analysers": Target(answers.analysers, answers.analysing, is_archive=True),
    "annotators": Target(answers.annotators, answers.annotating, is_archive=True),
    **{f"checkpoints: {name}": _checkpoint(name) for name in _learners()},
}
TOOL_FILES: dict[str, Target] = {
    f"{tool}'s": Target(
        functools.partial(tool_seeds, tool), tool_reader(tool, check_lists), "", (*SPACES, *JSON, *MARKS)
    )
    for tool in TOOLS
}
TARGETS = FORMATS | MODELS | TOOL_FILES
