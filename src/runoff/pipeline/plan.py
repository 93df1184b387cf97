"""The stages of the pipeline; each reads the files of earlier stages and writes its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from runoff.files import replacing
from runoff.io import read, write
from runoff.learners.featurized import with_featurizer
from runoff.metrics import Resampling, get, reference_choices
from runoff.model import LinearModel, load
from runoff.pipeline.result import evaluate_choice
from runoff.pipeline.showcase import clearest_improvement
from runoff.pipeline.stages import Stage
from runoff.report.pictures import draw_evaluation
from runoff.report.scored import p_text
from runoff.tables import counted
from runoff.tasks import featurizer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.features.featurizer import Featurizer
    from runoff.learners import Learner
    from runoff.nbest import NBest
    from runoff.pipeline.stages import Facts
    from runoff.tasks import FirstRound, Task
    from runoff.tasks.base import Parts

MODEL, FEATURIZER, TABLE, RESULT = "model.runoff", "featurizer.runoff", "table.md", "result.json"
FEW = 20  # items of dev below which a warning is printed
CHANCE = 0.05  # p from which on a difference on dev may be chance


@dataclass(frozen=True)
class Plan:
    """Everything that the stages need."""

    folder: Path
    task: Task
    first_round: FirstRound
    parts: Parts
    featurizer: Featurizer
    featurizer_options: Mapping[str, Any]  # everything that the features depend on
    k: int
    folds: int
    learners: Mapping[str, Learner]
    metrics: Sequence[str]  # for the report; the first one selects the model
    about: tuple[str, ...]
    seed: int
    threads: int | None
    verbose: bool
    say: Callable[[str], object]

    def stages(self) -> list[Stage]:
        """The stages in order."""
        first, unit = dict(self.first_round.options), self.first_round.unit
        keys = {part: self.parts.key(part) for part in self.parts.items()}
        sizes = {part: counted(len(material), unit) for part, material in self.parts.items().items()}
        learned = [self._learning(name) for name in self.learners]
        proposer = self.first_round.proposer
        return [
            Stage("split", "train, dev and test", ("split.json",), self._split, keys),
            Stage(
                "train lists",
                f"first round on train, each fold by a {proposer} trained on the others "
                f"({sizes['train']}, {counted(self.folds, 'folds')})",
                ("train.jsonl.gz",),
                self._jackknife,
                {**first, "k": self.k, "folds": self.folds, "train": keys["train"]},
            ),
            Stage(
                proposer,
                f"a {proposer} trained on all of train ({sizes['train']})",
                (self.first_round.proposer_file,),
                self._train,
                {**first, "train": keys["train"]},
            ),
            *(self._lists(part, {"k": self.k, part: keys[part]}, sizes[part]) for part in ("dev", "test")),
            Stage(
                "train features",
                "features of train",
                ("train.arrow", FEATURIZER),
                self._train_features,
                {"task": self.task.name, "metric": self.metrics[0], **self.featurizer_options},
                ("train lists",),
            ),
            *(self._features(part) for part in ("dev", "test")),
            *learned,
            Stage(
                "choice",
                f"the best of {counted(len(learned), 'recipes')} on dev",
                (MODEL,),
                self._choose,
                {"seed": self.seed},
                ("dev features", *(stage.name for stage in learned)),
            ),
            Stage(
                "result",
                "evaluation on test",
                (TABLE, RESULT, "result.png", "result.svg", "decision.txt", "decision.png", "decision.svg"),
                self._evaluate,
                {"seed": self.seed, "about": self.about, "metrics": list(self.metrics)},
                ("split", "train lists", "choice", "test features"),
            ),
        ]

    # ---------------------------------------------------------------- first round

    def _split(self, _: Mapping[str, Facts]) -> Facts:
        parts = self.parts.items()
        documents = {part: list(material.documents()) for part, material in parts.items()}
        self._write("split.json", orjson.dumps(documents, option=orjson.OPT_INDENT_2))
        return {part: material.describe() for part, material in parts.items()}

    def _how(self) -> dict[str, Any]:
        return {"k": self.k, "threads": self.threads, "verbose": self.verbose, "say": self.say}

    def _jackknife(self, _: Mapping[str, Facts]) -> Facts:
        train = self.parts.items()["train"]
        return self.first_round.jackknife(train, self._lists_of("train"), folds=self.folds, **self._how())

    def _train(self, _: Mapping[str, Facts]) -> Facts:
        return self.first_round.train(self.parts.items()["train"], self.folder / self.first_round.proposer_file)

    def _lists(self, part: str, options: dict[str, Any], size: str) -> Stage:
        def propose(_: Mapping[str, Facts]) -> Facts:
            proposer = self.folder / self.first_round.proposer_file
            return self.first_round.propose(proposer, self.parts.items()[part], self._lists_of(part), **self._how())

        title, after = f"first round on {part} ({size})", (self.first_round.proposer,)
        return Stage(f"{part} lists", title, (f"{part}.jsonl.gz",), propose, options, after)

    # ---------------------------------------------------------------- second round

    def _train_features(self, _: Mapping[str, Facts]) -> Facts:
        made = self.featurizer.fit_transform(read(self._lists_of("train")), self.metrics[0])
        kept = dataclasses.replace(LinearModel.of({}), preparation=(self.featurizer.to_step(),))
        kept.save(self.folder / FEATURIZER)
        return self._keep("train", made)

    def _features(self, part: str) -> Stage:
        def transform(_: Mapping[str, Facts]) -> Facts:
            return self._keep(part, self._featurizer().transform(read(self._lists_of(part))))

        after = ("train features", f"{part} lists")
        return Stage(f"{part} features", f"features of {part}", (f"{part}.arrow",), transform, {}, after)

    def _featurizer(self) -> Featurizer:
        found = featurizer_of(self._load(FEATURIZER))
        assert found is not None  # noqa: S101 - an earlier stage has written it
        for name in ("processes", "verbose"):  # how the work is done is no part of the file
            if hasattr(found, name):
                setattr(found, name, getattr(self.featurizer, name))
        return found

    def _load(self, name: str) -> LinearModel:
        # What its features need besides was named in the options of this very run.
        return load(self.folder / name, allow_external=True)

    def _keep(self, part: str, made: NBest) -> Facts:
        write(made, self.folder / f"{part}.arrow")
        for note in made.notes:
            self.say(f"note: {note}")
        return {"lists": len(made), "candidates": made.n_candidates, "features": made.features.n_columns}

    def _learning(self, name: str) -> Stage:
        learner = self.learners[name]
        options = {"learner": learner.name, "parameters": learner.plain_params()}
        after = ("train features", "dev features")
        return Stage(
            f"learner {name}", f"training: {name}", (f"{name}.runoff",), partial(self._learn, name), options, after
        )

    def _learn(self, name: str, _: Mapping[str, Facts]) -> Facts:
        train, dev = (read(self.folder / f"{part}.arrow") for part in ("train", "dev"))
        model = self.learners[name].clone().set_params(verbose=self.verbose).fit(train, dev).model
        if model.provenance.get("finished") is False:  # Ctrl-C left an unfinished model
            raise KeyboardInterrupt
        with_featurizer(model, self._featurizer()).save(self.folder / f"{name}.runoff")
        for kind in ("warning", "note"):
            for sentence in model.provenance.get(f"{kind}s", []):
                self.say(f"{kind}: {sentence}")
        metric = get(self.metrics[0]).in_expectation
        scored = float(metric.score(metric.rows(dev, model.ranking(dev)).sum(axis=0)))
        first = float(metric.score(reference_choices.first_rows(metric, dev).sum(axis=0)))
        self.say(f"{name}: {self.metrics[0]} on dev {scored:.2f} (first round {first:.2f})")
        return {"dev": scored, "first_round": first, "weights": model.n_active}

    def _choose(self, before: Mapping[str, Facts]) -> Facts:
        found = {name: before[f"learner {name}"] for name in self.learners}
        sign = 1 if get(self.metrics[0]).higher_is_better else -1
        ranked = sorted(self.learners, key=lambda name: -sign * found[name]["dev"])
        best = ranked[0]  # the first of equal ones
        size = len(self.parts.items()["dev"])
        if size < FEW:
            few = counted(size, self.first_round.unit)
            self.say(f"warning: {few} of dev are too few: the recipe is chosen largely by chance.")
        if sign * found[best]["dev"] <= sign * found[best]["first_round"]:
            self.say("warning: no recipe is better than the first round on dev.")
        self._load(f"{best}.runoff").save(self.folder / MODEL)
        return {
            "learner": best,
            "dev": {name: facts["dev"] for name, facts in found.items()},
            "runner_up": self._compare(ranked[:2], found) if len(ranked) > 1 else None,
        }

    def _compare(self, names: Sequence[str], found: Mapping[str, Facts]) -> Facts:
        """The second of two recipes, and how likely chance alone sets them as far apart on dev; a note where it does.

        Approximate randomisation over the lists of dev.
        """
        dev, metric = read(self.folder / "dev.arrow"), get(self.metrics[0]).in_expectation
        best, second = (metric.rows(dev, self._load(f"{name}.runoff").ranking(dev)) for name in names)
        p = Resampling(seed=self.seed).p_value(best, second, metric)
        if p >= CHANCE:
            one, other = (f"{name} ({found[name]['dev']:.2f})" for name in names)
            size = counted(len(self.parts.items()["dev"]), self.first_round.unit)
            self.say(
                f"note: {one} is not better than {other} on dev beyond chance (p {p_text(p)}, {size}): the choice "
                "between the two is a coin toss, which more dev data would decide."
            )
        return {"learner": names[1], "p": p}

    # ---------------------------------------------------------------- evaluation

    def _evaluate(self, before: Mapping[str, Facts]) -> Facts:
        model, test = self._load(MODEL), read(self.folder / "test.arrow")
        learner, unit = before["choice"]["learner"], self.first_round.unit
        result = evaluate_choice(model, test, learner, self.metrics, unit=unit, seed=self.seed)
        self._write(TABLE, result.to_markdown().encode())
        shown = dataclasses.replace(result.evaluation, results=result.evaluation.results[:1])
        for kind in ("png", "svg"):
            draw_evaluation(shown, self.folder / f"result.{kind}", f"{self.folder.name}, test")
        decision = self._showcase(model, test)
        numbers = {
            "material": before["split"],
            "first_round": before["train lists"],
            "features": before["train features"]["features"],
            "learners": before["choice"]["dev"],
            "runner_up": before["choice"]["runner_up"],
            "test": result.to_dict(),
            "decision": None if decision is None else decision.to_dict(),
        }
        self._write(RESULT, orjson.dumps(numbers, option=orjson.OPT_INDENT_2))
        return {"numbers": numbers, "text": result.to_text()}

    def _showcase(self, model: LinearModel, test: NBest) -> Any:
        group = clearest_improvement(model, test, get(self.metrics[0]), self.task, self.about)
        if group is None:
            self.say("note: no choice on test is better than the first round's, so there is no decision to show.")
            return None
        decision: Any = self.task.explain(model, test, group)
        self._write("decision.txt", f"{decision.to_text()}\n".encode())
        if hasattr(decision, "draw"):
            for kind in ("png", "svg"):
                decision.draw(self.folder / f"decision.{kind}")
        return decision

    def _lists_of(self, part: str) -> Path:
        return self.folder / f"{part}.jsonl.gz"

    def _write(self, name: str, content: bytes) -> None:
        with replacing(self.folder / name) as temporary:
            temporary.write_bytes(content)
