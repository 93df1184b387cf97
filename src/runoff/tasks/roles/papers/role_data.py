"""Sentences with roles of a paper's run: found in a folder or drawn, and what the three labellers make of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from runoff.errors import DataError
from runoff.learners import BoostedChain
from runoff.pipeline.document_folds import folds_of
from runoff.reproduce.data_files import files_in, fingerprint, one_split, part_of
from runoff.reproduce.paper import Paper, PaperData
from runoff.tasks.roles.candidates import kind_of, roles_of_tags, tags_of_candidates
from runoff.tasks.roles.demo.village import FRAMES
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller_training import train_labeller
from runoff.tasks.roles.papers.synthetic_roles import synthetic_roles
from runoff.tasks.roles.role_files import read_roles, write_roles
from runoff.tasks.roles.role_lists import material_of
from runoff.tasks.roles.syntax import Syntax

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

NEEDS = (
    "sentences with roles in three files, NAME.train.*, NAME.dev.* and NAME.test.* (CoNLL-2005, CoNLL-2012 or PropBank "
    "columns, or JSON lines), with parts of speech; with trees for models 2 and 3, and with base phrases and clauses "
    "for model 1 (`runoff roles annotate` adds them); frames, if a file has that word in its name; and, if there is "
    "one, a test file of another domain with the word brown or other in its name."
)
KINDS = {"M1": "partial", "M2": "full", "M3": "constituents"}
OTHER = ("brown", "other")
SIZES = {"train": 450, "dev": 150, "test": 250, "other": 200}
_HARDER = {"other": 2.0}  # how many more mistakes the tools make there
LARGE, SMALL = 300, 24  # rounds of boosting
MIN_COUNT = {True: (3, 2), False: (15, 3)}  # of little data; else the paper's
THIRDS = 3


@dataclass
class RoleData:
    """Sentences by part; labelled by labellers that are trained when they are first needed, and kept in `work`."""

    files: dict[str, Path] | None
    fingerprint: str
    seed: int = 0
    frames_file: Path | None = None
    work: Path | None = None
    most_rounds: int | None = None
    _labelled: dict[str, dict[str, list[RoleSentence]]] = field(default_factory=dict)

    @cached_property
    def parts(self) -> dict[str, list[RoleSentence]]:
        """Train, dev, test, and the other domain if there is one."""
        if self.files is not None:
            return {part: read_roles(path) for part, path in self.files.items()}
        return {
            part: synthetic_roles(size, 4 * self.seed + at, harder=_HARDER.get(part, 1.0))
            for at, (part, size) in enumerate(SIZES.items())
        }

    @property
    def frames(self) -> Mapping[str, str] | None:
        """The numbered roles of every lemma, where they are known."""
        if self.files is None:
            return dict(FRAMES)
        return None if self.frames_file is None else read_frames(self.frames_file)

    @property
    def rounds(self) -> int:
        """Rounds of boosting."""
        usual = SMALL if self.files is None else LARGE
        return usual if self.most_rounds is None else min(usual, self.most_rounds)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that the syntax of the sentences is enough for."""
        every = [each for sentences in self.parts.values() for each in sentences]
        has_tree = all(each.tree is not None for each in every)
        has_chunks = all(each.chunks is not None and each.clauses is not None for each in every)
        return tuple(name for name in KINDS if (has_chunks if name == "M1" else has_tree))

    def domains(self) -> list[str]:
        """The parts that are tested on."""
        return [part for part in ("test", "other") if part in self.parts]

    def third(self) -> tuple[list[RoleSentence], list[RoleSentence]]:
        """Two thirds of the training sentences, and the last third; documents stay whole."""
        train = self.parts["train"]
        fold_of = folds_of(material_of(train), THIRDS)
        pairs = list(zip(train, fold_of, strict=True))
        return [each for each, at in pairs if at < THIRDS - 1], [each for each, at in pairs if at == THIRDS - 1]

    def labeller(self, model: str, sentences: Sequence[RoleSentence], rounds: int | None = None) -> RoleLabeller:
        """A labeller by boosted trees of depth 4."""
        checkpoint = None
        if rounds is not None and self.work is not None:  # a longer run goes on where a shorter one ended
            self.work.mkdir(parents=True, exist_ok=True)
            checkpoint = str(self.work / f"{self._key(model)}.rounds.checkpoint")
        learner = BoostedChain(rounds=rounds or self.rounds, depth=4, seed=self.seed, checkpoint=checkpoint)
        least, of_predicate = MIN_COUNT[self.files is None]
        labeller = train_labeller(
            sentences,
            KINDS[model],
            frames=self.frames,
            learner=learner,
            min_count=least,
            min_count_predicate=of_predicate,
        )
        if not labeller.provenance["finished"]:  # Ctrl-C left half a labeller
            raise KeyboardInterrupt
        return labeller

    def label(self, labeller: RoleLabeller, sentences: Sequence[RoleSentence]) -> list[RoleSentence]:
        """As the papers decide: tag after tag, or one constituent after the other by confidence."""
        if labeller.how.is_sequence:
            return labeller.label_left_to_right(sentences)
        return labeller.label(sentences, greedy=True)

    def labelled(self, model: str) -> dict[str, list[RoleSentence]]:
        """Dev, test and the other domain by a labeller of all training sentences; `third` by one of two thirds."""
        if model not in self._labelled:
            paths = {} if self.work is None else {part: self._path(model, part) for part in self._wanted()}
            if paths and all(path.exists() for path in paths.values()):
                self._labelled[model] = {part: read_roles(path) for part, path in paths.items()}
            else:
                self._labelled[model] = self._made(model)
                for part, path in paths.items():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_roles(self._labelled[model][part], path)
        return self._labelled[model]

    def command(self, model: str, last: str) -> str:
        """What trains a model by hand, and then uses it in `last`, where `{model}` and `{test}` are files."""
        if self.files is None:
            return ""
        files, kind = {part: path.name for part, path in self.files.items()}, KINDS[model]
        learner = f"--kind {kind} --learner boost --set rounds={self.rounds}"
        trained = f"runoff roles train {files['train']} {learner} -o {kind}.runoff"
        return f"{trained}\n{last.format(model=kind, test=files['test'])}"

    def facts(self, model: str) -> dict[str, Any]:
        """Examples and features of a labeller, as they were when it was trained."""
        self.labelled(model)
        path = None if self.work is None else self.work / f"{self._key(model)}.facts.json"
        return orjson.loads(path.read_bytes()) if path is not None and path.exists() else {}

    def _wanted(self) -> list[str]:
        return [part for part in ("dev", "test", "other", "third") if part == "third" or part in self.parts]

    def _made(self, model: str) -> dict[str, list[RoleSentence]]:
        whole = self.labeller(model, self.parts["train"])
        found = {part: self.label(whole, self.parts[part]) for part in self._wanted() if part != "third"}
        most, rest = self.third()
        found["third"] = self.label(self.labeller(model, most), rest)
        if self.work is not None:
            self.work.mkdir(parents=True, exist_ok=True)
            facts = {"examples": whole.provenance["candidates"], "features": whole.features.n_features}
            (self.work / f"{self._key(model)}.facts.json").write_bytes(orjson.dumps(facts))
        return found

    def _key(self, model: str) -> str:
        state = f"{self.fingerprint}|{self.rounds}|{self.seed}".encode()
        return f"{model}.{hashlib.blake2b(state, digest_size=6).hexdigest()}"

    def _path(self, model: str, part: str) -> Path:
        assert self.work is not None  # noqa: S101 - asked before
        return self.work / f"{self._key(model)}.{part}.jsonl.gz"


def bound(kind: str, sentences: Sequence[RoleSentence]) -> Floats:
    """For every sentence, how many of its arguments candidates of this kind reach, and how many there are."""
    how, rows = kind_of(kind), np.zeros((len(sentences), 2))
    for at, sentence in enumerate(sentences):
        if not sentence.propositions:
            continue
        syntax = Syntax(sentence, use_tree=how.use_tree)
        for proposition in sentence.propositions:
            candidates = how.candidates(syntax, proposition.predicate)
            tags = tags_of_candidates(how, candidates, proposition)
            reached = set(roles_of_tags(how, candidates, tags)) & set(proposition.roles)
            rows[at] += len(reached), len(proposition.roles)
    return rows


class RolePaper(Paper):
    """A paper whose data are sentences with roles."""

    needs = NEEDS

    def read(self, folder: Path) -> PaperData:
        """Sentences whose syntax is enough for two models at least."""
        return found_roles(folder, 2)

    def synthetic(self, seed: int) -> PaperData:
        """Sentences of the synthetic village."""
        return drawn_roles(seed)


def found_roles(folder: Path, least: int) -> PaperData:
    """The sentences of a folder; at least so many models must be possible."""
    name, files = one_split(folder, "sentences with roles")
    others = [path for path in files_in(folder) if path not in files.values()]
    further, frames = part_of(others, OTHER), part_of(others, ("frames",))
    left_out = []
    if further is not None:
        files = {**files, "other": further}
    else:
        left_out.append(
            "the columns of another domain (Brown): there is no file with the word brown or other in its name"
        )
    key = fingerprint([*files.values(), *([] if frames is None else [frames])])
    data = RoleData(files, key, frames_file=frames)
    lacking = [each for each in KINDS if each not in data.models]
    if lacking:
        left_out.append(
            f"{', '.join(lacking)}: model 1 needs base phrases and clauses in all sentences, models 2 and 3 trees; "
            "`runoff roles annotate` adds them"
        )
    if len(data.models) < least:
        raise DataError(
            f"the syntax of these sentences is enough for {', '.join(data.models) or 'no model'}, and the paper needs "
            f"{least} models: model 1 needs base phrases and clauses, models 2 and 3 trees (`runoff roles annotate` "
            "adds them).",
            path=folder,
        )
    about = ", ".join(f"{len(sentences):,} sentences of {part}" for part, sentences in data.parts.items())
    return PaperData(name, about, key, data, left_out=tuple(left_out))


def drawn_roles(seed: int) -> PaperData:
    """Sentences of the synthetic village."""
    about = ", ".join(f"{size} sentences of {part}" for part, size in SIZES.items())
    return PaperData(
        "synthetic village",
        f"{about}; trees and base phrases have mistakes, in the other domain twice as many",
        f"drawn roles {seed}",
        RoleData(None, f"drawn roles {seed}", seed),
        is_quick=True,
    )
