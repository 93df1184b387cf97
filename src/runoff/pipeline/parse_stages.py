"""The stages from a treebank to a reranked parser; each reads the files of those before it and writes its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from runoff.files import replacing
from runoff.io import read, write
from runoff.metrics import get, reference_choices
from runoff.model import load
from runoff.pipeline.decision import telling_decision
from runoff.pipeline.parse_result import judge_choice
from runoff.pipeline.stages import Stage
from runoff.report.pictures import draw_evaluation
from runoff.tables import counted
from runoff.tasks.parsing.first_round import parse_sentences
from runoff.tasks.parsing.grammar import VERSION, load_grammar, train_grammar
from runoff.tasks.parsing.jackknifing import jackknife
from runoff.tasks.parsing.lists import write_lists
from runoff.tasks.parsing.recipes import METRIC, recipe
from runoff.tasks.parsing.reranking import extract_file, wanted_like

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.pipeline.stages import Facts
    from runoff.tasks.parsing.first_round import Parsed, Parser
    from runoff.tasks.parsing.grammar import Settings
    from runoff.tasks.parsing.parts import Parts

MODEL, GRAMMAR, TABLE, RESULT = "model.runoff", "grammar.runoff", "table.md", "result.json"
_OF_THIS_RUN = ("seconds", "kept", "sentences_per_second", "notes")  # and not of the lists
FEW = 20  # sentences of dev below which a warning is due


class _Counting:
    """A parser that takes down which sentences had no parse; called in several threads."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.flat: list[Sequence[str]] = []

    def nbest(self, words: Sequence[str], k: int = 50) -> Parsed:
        found = self._parser.nbest(words, k)
        if found.is_flat:
            self.flat.append(words)
        return found


@dataclass(frozen=True)
class Plan:
    """Everything that the stages need to know."""

    folder: Path
    parts: Parts
    settings: Settings
    k: int
    folds: int
    learners: tuple[str, ...]
    min_lists: int
    families: tuple[str, ...]
    about: tuple[str, ...]
    seed: int
    threads: int | None
    show: bool
    say: Callable[[str], object]

    def stages(self) -> list[Stage]:
        """The stages in their order."""
        grammar = {"settings": self.settings.to_dict(), "grammar": VERSION}
        keys = {part: self.parts.key(part) for part in self.parts.items()}
        sizes = {part: counted(len(bank), "sentences") for part, bank in self.parts.items().items()}
        learned = [self._learning(name) for name in self.learners]
        return [
            Stage("split", "parts of the treebank", ("split.json",), self._split, keys),
            Stage(
                "train lists",
                f"parsing train by grammars that have not seen it ({sizes['train']}, {counted(self.folds, 'folds')})",
                ("train.jsonl.gz",),
                self._jackknife,
                {**grammar, "k": self.k, "folds": self.folds, "train": keys["train"]},
            ),
            Stage(
                "grammar",
                f"a grammar of all of train ({sizes['train']})",
                (GRAMMAR,),
                self._grammar,
                {**grammar, "train": keys["train"]},
            ),
            *(self._lists(part, {"k": self.k, part: keys[part]}, sizes[part]) for part in ("dev", "test")),
            Stage(
                "train features",
                "features of the parses of train",
                ("train.arrow",),
                self._train_features,
                {"families": self.families, "min_lists": self.min_lists},
                ("train lists",),
            ),
            *(self._features(part) for part in ("dev", "test")),
            *learned,
            Stage(
                "choice",
                f"the best of {counted(len(learned), 'learners')} on dev",
                (MODEL,),
                self._choose,
                {},
                tuple(stage.name for stage in learned),
            ),
            Stage(
                "result",
                "the choice on test",
                (TABLE, RESULT, "result.png", "result.svg", "decision.txt", "decision.png", "decision.svg"),
                self._judge,
                {"seed": self.seed, "about": self.about},
                ("split", "train lists", "choice", "test features"),
            ),
        ]

    # ---------------------------------------------------------------- first round

    def _split(self, _: Mapping[str, Facts]) -> Facts:
        documents = {part: bank.documents() for part, bank in self.parts.items().items()}
        self._write("split.json", orjson.dumps(documents, option=orjson.OPT_INDENT_2))
        return {part: bank.describe() for part, bank in self.parts.items().items()}

    def _jackknife(self, _: Mapping[str, Facts]) -> Facts:
        path = self.folder / "train.jsonl.gz"
        how: dict[str, Any] = {"k": self.k, "folds": self.folds, "threads": self.threads, "show": self.show}
        summary = jackknife(self.parts.train, path, self.settings, **how)
        for note in summary.notes:
            self.say(f"note: {note}")
        self.say(str(summary))
        return {name: value for name, value in summary.to_dict().items() if name not in _OF_THIS_RUN}

    def _grammar(self, _: Mapping[str, Facts]) -> Facts:
        grammar = train_grammar(self.parts.train.trees(), self.settings)
        grammar.save(self.folder / GRAMMAR)
        return dict(grammar.describe())

    def _lists(self, part: str, options: dict[str, Any], size: str) -> Stage:
        def parse(_: Mapping[str, Facts]) -> Facts:
            parser = _Counting(load_grammar(self.folder / GRAMMAR))
            how: dict[str, Any] = {"threads": self.threads, "show": self.show}
            write_lists(parse_sentences(parser, self.parts.items()[part], self.k, **how), self._lists_of(part))
            if parser.flat:
                self.say(
                    f"note: {counted(len(parser.flat), 'sentences')} of {part} without a parse, given a flat tree."
                )
            return {"flat": len(parser.flat)}

        return Stage(f"{part} lists", f"parsing {part} ({size})", (f"{part}.jsonl.gz",), parse, options, ("grammar",))

    # ---------------------------------------------------------------- second round

    def _train_features(self, _: Mapping[str, Facts]) -> Facts:
        return self._extract("train", families=self.families, min_lists=self.min_lists)

    def _features(self, part: str) -> Stage:
        def extract(_: Mapping[str, Facts]) -> Facts:
            wanted = wanted_like(self.folder / "train.arrow")
            return self._extract(part, families=wanted.families, vocabulary=wanted.vocabulary)

        title = f"features of the parses of {part}"
        return Stage(f"{part} features", title, (f"{part}.arrow",), extract, {}, ("train features", f"{part} lists"))

    def _extract(self, part: str, **how: Any) -> Facts:
        data = extract_file(self._lists_of(part), show=self.show, processes=self.threads, **how)
        write(data, self.folder / f"{part}.arrow")
        for note in data.notes:
            self.say(f"note: {note}")
        return {"lists": len(data), "candidates": data.n_candidates, "features": data.features.n_columns}

    def _learning(self, name: str) -> Stage:
        learner = recipe(name, self.seed)
        options = {"learner": learner.name, "parameters": learner.plain_params()}
        after = ("train features", "dev features")
        return Stage(
            f"learner {name}", f"learning: {name}", (f"{name}.runoff",), partial(self._learn, name), options, after
        )

    def _learn(self, name: str, _: Mapping[str, Facts]) -> Facts:
        train, dev = (read(self.folder / f"{part}.arrow") for part in ("train", "dev"))
        learner = recipe(name, self.seed).set_params(verbose=self.show)
        model = learner.fit(train, dev).model
        if model.provenance.get("finished") is False:  # Ctrl-C left a model that is not what it should become
            raise KeyboardInterrupt
        model.save(self.folder / f"{name}.runoff")
        for kind in ("warning", "note"):
            for sentence in model.provenance.get(f"{kind}s", []):
                self.say(f"{kind}: {sentence}")
        metric = get(METRIC)
        scored = float(metric.score(metric.rows(dev, model.ranking(dev)).sum(axis=0)))
        first = float(metric.score(reference_choices.first_rows(metric, dev).sum(axis=0)))
        self.say(f"{name}: F on dev {scored:.2f} (first round {first:.2f})")
        return {"dev": scored, "first_round": first, "weights": model.n_active}

    def _choose(self, before: Mapping[str, Facts]) -> Facts:
        found = {name: before[f"learner {name}"] for name in self.learners}
        best = max(self.learners, key=lambda name: found[name]["dev"])  # of equal ones the first
        if len(self.parts.dev) < FEW:
            self.say(
                f"warning: {counted(len(self.parts.dev), 'sentences')} of dev decide by chance as much as by merit."
            )
        if found[best]["dev"] <= found[best]["first_round"]:
            self.say("warning: no learner is better on dev than the first round.")
        load(self.folder / f"{best}.runoff").save(self.folder / MODEL)
        return {"learner": best, "dev": {name: facts["dev"] for name, facts in found.items()}}

    # ---------------------------------------------------------------- proof

    def _judge(self, before: Mapping[str, Facts]) -> Facts:
        model, test = load(self.folder / MODEL), read(self.folder / "test.arrow")
        learner = before["choice"]["learner"]
        result = judge_choice(model, test, learner, self.seed)
        self._write(TABLE, result.to_markdown().encode())
        proof = result.evaluation.proof
        shown = dataclasses.replace(proof, results=(proof[METRIC],))
        for kind in ("png", "svg"):
            draw_evaluation(shown, self.folder / f"result.{kind}")
        decision = telling_decision(model, test, self.about)
        if decision is None:
            self.say(
                "note: the choice is better than the first round in no list of test; there is no decision to show."
            )
        else:
            self._write("decision.txt", f"{decision.to_text()}\n".encode())
            for kind in ("png", "svg"):
                decision.draw(self.folder / f"decision.{kind}")
        numbers = {
            "treebank": before["split"],
            "first_round": before["train lists"],
            "features": before["train features"]["features"],
            "learners": before["choice"]["dev"],
            "test": result.to_dict(),
            "decision": None if decision is None else decision.to_dict(),
        }
        self._write(RESULT, orjson.dumps(numbers, option=orjson.OPT_INDENT_2))
        return {"numbers": numbers, "text": result.to_text()}

    def _lists_of(self, part: str) -> Path:
        return self.folder / f"{part}.jsonl.gz"

    def _write(self, name: str, content: bytes) -> None:
        with replacing(self.folder / name) as temporary:
            temporary.write_bytes(content)
