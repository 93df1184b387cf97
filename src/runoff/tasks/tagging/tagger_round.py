"""The first round of the pipeline of taggings: from sentences with gold tags to lists of taggings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from runoff.engines import current
from runoff.errors import UsageError
from runoff.files import replacing
from runoff.io import read, write
from runoff.locks import only_process
from runoff.pipeline.document_folds import folds_of, repeated, together_note, usual_folds
from runoff.progress import progress
from runoff.tables import counted
from runoff.tasks import FirstRound
from runoff.tasks.tagging.clause_tagger import ClauseTagger
from runoff.tasks.tagging.corpus_parts import TaggedSentences, read_parts
from runoff.tasks.tagging.tagger_file import load_tagger
from runoff.tasks.tagging.tagger_settings import TaggerSettings, metric_of
from runoff.tasks.tagging.tagging_lists import to_nbest
from runoff.tasks.tagging.training import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from runoff.arrays import Ints
    from runoff.nbest import NBest
    from runoff.tasks.tagging.corpus_parts import CorpusParts
    from runoff.tasks.tagging.tagger import Tagger

PIPELINE_METRICS = {
    "conlleval": ("conlleval", "conlleval[part=precision]", "conlleval[part=recall]", "tag-accuracy"),
    "tag-accuracy": ("tag-accuracy",),
}
VERSION = 1  # of lists that are kept on the way


class TaggerRound(FirstRound):
    """A tagger, trained on sentences with gold tags, that proposes the best taggings of a sentence.

    Examples
    --------
    >>> TaggerRound(TaggerSettings(recipe="chunks")).proposer_file
    'tagger.runoff'
    """

    proposer_file = "tagger.runoff"
    proposer = "tagger"

    def __init__(
        self,
        settings: TaggerSettings | None = None,
        *,
        tag: str | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings or TaggerSettings()
        self._tag, self._reading = tag, dict(reading or {})

    @property
    def options(self) -> Mapping[str, Any]:
        """Settings of the tagger, and the version of its lists."""
        return {"settings": self.settings.to_dict(), "tagger": VERSION}

    def read(self, paths: Any, dev: Any, test: Any, seed: int) -> CorpusParts:
        """Read sentences and split them between documents."""
        return read_parts(paths, dev, test, seed, self._tag, **self._reading)

    def folds_for(self, train: TaggedSentences, folds: int | None) -> int:
        """The given number; else ten, or the number of documents if there are fewer."""
        sentences = train.sentences()
        count = usual_folds(sentences) if folds is None else folds
        folds_of(sentences, count)  # raises for an impossible number before the work starts
        return count

    def train(self, material: TaggedSentences, path: Path) -> dict[str, Any]:
        """Train a tagger on all sentences."""
        tagger = finished(lister(self.settings.train(material.corpus, material.tag)))
        tagger.save(path)
        return {"tags": len(tagger.tags), "features": tagger.features.n_features}

    def propose(
        self,
        proposer: Path,
        material: TaggedSentences,
        path: Path,
        *,
        k: int,
        threads: int | None,  # noqa: ARG002 - its loops take all cores
        verbose: bool,  # noqa: ARG002 - it takes seconds
        say: Callable[[str], object],  # noqa: ARG002
    ) -> dict[str, Any]:
        """Tag the sentences."""
        made = tagging_lists(lister(load_tagger(proposer)), material, k)
        write(made, path)
        return {"lists": len(made), "candidates": made.n_candidates}

    def jackknife(
        self,
        material: TaggedSentences,
        path: Path,
        *,
        k: int,
        folds: int,
        threads: int | None,  # noqa: ARG002 - its loops take all cores
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        """Tag every fold with a tagger of the others; lists of finished folds are kept until all are there."""
        sentences = material.sentences()
        fold_of = np.array(folds_of(sentences, folds))
        for note in together_note(sentences):
            say(f"note: {note}")
        again = sum(repeated(sentences, fold_of.tolist()))
        if again:
            say(f"note: {counted(again, 'long sentences')} also occur, word for word, in another fold.")
        with only_process(path.with_name(f".{path.name}.lock"), str(path)):
            return self._jackknife(material, fold_of, path, k, verbose, say)

    def _jackknife(
        self,
        material: TaggedSentences,
        fold_of: Any,
        path: Path,
        k: int,
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        key = hashlib.sha256(
            orjson.dumps([material.key(), fold_of.tolist(), k, dict(self.options)], option=orjson.OPT_SORT_KEYS)
        ).hexdigest()[:16]
        folds = range(int(fold_of.max()) + 1)
        kept = {fold: path.with_name(f".{path.name}.{key}-{fold}.arrow") for fold in folds}
        with progress("tagging folds", len(folds), verbose=verbose) as step:
            missing = [fold for fold in folds if not kept[fold].exists()]
            step(len(folds) - len(missing), "training")
            engine = current()
            shared = map(engine.share, (material, fold_of, self.settings, k))
            for found in engine.map(_fold_of, missing, *shared, alone=True):
                for note in found.notes if found.fold == 0 else ():
                    say(f"note: {note}")
                with replacing(kept[found.fold]) as temporary:
                    write(found.lists, temporary, "arrow")
                step(found.fold + 1)
        made = _in_order(material, fold_of, [read(kept[fold]) for fold in folds])
        write(made, path)
        for part in path.parent.glob(f".{path.name}.*-*.arrow"):
            part.unlink(missing_ok=True)
        return {"lists": len(made), "candidates": made.n_candidates, "folds": len(folds)}


class _Fold(NamedTuple):
    fold: int
    lists: NBest
    notes: list[str]


def _fold_of(fold: int, material: TaggedSentences, fold_of: Ints, settings: TaggerSettings, k: int) -> _Fold:
    """The lists of a fold by a tagger of the others."""
    notes: list[str] = []
    others = material.take(fold_of != fold).corpus
    tagger = finished(lister(settings.train(others, material.tag, notes=notes)))
    return _Fold(fold, tagging_lists(tagger, material.take(fold_of == fold), k), notes)


def lister(tagger: Tagger | ClauseTagger) -> Tagger:
    """The tagger, unless it is one of clauses, which has one bracketing of a sentence and no others."""
    if isinstance(tagger, ClauseTagger):
        raise UsageError("a tagger of clauses gives one bracketing and no n-best lists; take a column of tags.")
    return tagger


def tagging_lists(tagger: Tagger, material: TaggedSentences, k: int) -> NBest:
    """The k best taggings of every sentence, with its gold tags."""
    found = tagger.nbest(material.corpus, k)
    return to_nbest(material.corpus, found.tags, found.scores, tag=material.tag, metric=metric_of(tagger))


def _in_order(material: TaggedSentences, fold_of: Any, parts: list[NBest]) -> NBest:
    """The lists of all folds in the order of the sentences."""
    candidates: list[list[str]] = [[] for _ in range(len(material))]
    scores: list[list[float]] = [[] for _ in range(len(material))]
    for fold, part in enumerate(parts):
        texts = [] if part.texts is None else part.texts.to_pylist()
        base = np.zeros(part.n_candidates) if part.base is None else part.base
        for at, start, stop in zip(np.flatnonzero(fold_of == fold), part.offsets[:-1], part.offsets[1:], strict=True):
            candidates[at], scores[at] = texts[start:stop], base[start:stop].tolist()
    return to_nbest(material.corpus, candidates, scores, tag=material.tag, metric=parts[0].metric or "conlleval")
