"""The first round of the pipeline of translations: from parallel text to lists of translations."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from runoff.engines import current
from runoff.errors import UsageError
from runoff.features.concatenation import concatenate
from runoff.files import replacing
from runoff.io import read, write
from runoff.locks import only_process
from runoff.pipeline.document_folds import folds_of, usual_folds
from runoff.tables import counted
from runoff.tasks import FirstRound
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.parallel_parts import BLOCK, ParallelText, read_pair_parts
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_file import load_translator
from runoff.tasks.translation.translator_settings import TranslatorSettings
from runoff.tasks.translation.tuning import tune

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from runoff.arrays import Bools, Ints
    from runoff.nbest import NBest
    from runoff.tasks.translation.parallel_parts import ParallelParts
    from runoff.tasks.translation.translator import Translator

FOLDS = 5
VERSION = 1  # of lists that are kept on the way
_MOST_TUNING, _TUNING_SHARE = 500, 0.1  # pairs of train that weights are learned from


@dataclass(frozen=True)
class RoundSettings:
    """How the translators of a pipeline are trained, tuned and searched.

    `weights` are those of a translator that was tuned before; else they are learned from a part of train.

    Examples
    --------
    >>> RoundSettings().tuning_rounds
    5
    """

    translator: TranslatorSettings = field(default_factory=TranslatorSettings)
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    weights: Mapping[str, float] | None = None
    tuner: str = "mert"
    tuning_rounds: int = 5
    phrase_pairs: bool = True


class TranslatorRound(FirstRound):
    """A translator, trained on parallel text, that proposes the best translations of a sentence.

    Examples
    --------
    >>> TranslatorRound().proposer_file
    'translator.runoff'
    """

    unit = "sentence pairs"
    proposer_file = "translator.runoff"
    proposer = "translator"

    def __init__(self, settings: RoundSettings | None = None) -> None:
        self.settings = settings or RoundSettings()
        self._weights: dict[str, Mapping[str, float]] = {}

    @property
    def options(self) -> Mapping[str, Any]:
        """Settings of the translator, and the version of its lists."""
        return {"settings": asdict(self.settings), "translator": VERSION}

    def read(self, paths: Any, dev: Any, test: Any, seed: int) -> ParallelParts:
        """Read parallel text, and split it between blocks of lines."""
        return read_pair_parts(paths, dev, test, seed)

    def folds_for(self, train: ParallelText, folds: int | None) -> int:
        """The given number; else five, or as many as there are blocks of lines, or bundles of them, if fewer."""
        train.check_blocks(folds or 2)
        sentences = train.sentences()
        count = min(FOLDS, usual_folds(sentences)) if folds is None else folds
        folds_of(sentences, count)  # raises for an impossible number before the work starts
        return count

    def train(self, material: ParallelText, path: Path) -> dict[str, Any]:
        """Train a translator on all pairs, with weights from a part of them that another one was not trained on."""
        weights = self._weights_for(material, say=_ignore, verbose=False)
        translator = self._trained(material, weights)
        translator.save(path)
        return translator.describe()

    def propose(
        self,
        proposer: Path,
        material: ParallelText,
        path: Path,
        *,
        k: int,
        threads: int | None,  # noqa: ARG002 - its loops take all cores
        verbose: bool,
        say: Callable[[str], object],  # noqa: ARG002
    ) -> dict[str, Any]:
        """Translate the sentences."""
        made = self._lists(load_translator(proposer), material, k, verbose)
        write(made, path)
        return {"lists": len(made), "candidates": made.n_candidates}

    def jackknife(
        self,
        material: ParallelText,
        path: Path,
        *,
        k: int,
        folds: int,
        threads: int | None,  # noqa: ARG002 - its loops take all cores
        verbose: bool,
        say: Callable[[str], object],
        most: int | None = None,
    ) -> dict[str, Any]:
        """Translate every fold with a translator of the others; lists of finished folds are kept until all are there.

        All of them have the same weights, so that their scores can be compared. At most `most` sentences get lists,
        evenly spread; translators are trained on all.
        """
        fold_of = np.array(folds_of(material.sentences(), folds))
        count = len(material) if most is None else min(most, len(material))
        is_listed = np.zeros(len(material), bool)
        is_listed[np.arange(count) * len(material) // count] = True
        key = hashlib.sha256(
            orjson.dumps([material.key(), fold_of.tolist(), k, count, dict(self.options)], option=orjson.OPT_SORT_KEYS)
        ).hexdigest()[:16]
        kept = {fold: path.with_name(f".{path.name}.{key}-{fold}.arrow") for fold in range(folds)}
        with only_process(path.with_name(f".{path.name}.lock"), str(path)):
            missing = [fold for fold, file in kept.items() if not file.exists()]
            if missing:
                weights = self._weights_for(material, say=say, verbose=verbose)
                say(f"{counted(len(missing), 'folds')}: a translator of the other folds, and its lists")
                engine = current()
                tuned = TranslatorRound(replace(self.settings, weights=weights))
                shared = map(engine.share, (material, fold_of, is_listed, tuned, k))
                for fold, lists in engine.map(_fold_of, missing, *shared, alone=True):
                    with replacing(kept[fold]) as temporary:
                        write(lists, temporary, "arrow")
            made = concatenate([read(file) for file in kept.values()])
            order = np.argsort(np.concatenate([np.flatnonzero((fold_of == fold) & is_listed) for fold in kept]))
            made = made[order]
            write(made, path)
            for file in path.parent.glob(f".{path.name}.*-*.arrow"):
                file.unlink(missing_ok=True)
        return {"lists": len(made), "candidates": made.n_candidates, "folds": folds}

    def _weights_for(
        self, material: ParallelText, *, say: Callable[[str], object], verbose: bool
    ) -> Mapping[str, float]:
        """The given weights, else those learned from every tenth block of pairs with a translator of the others."""
        if self.settings.weights is not None:
            return self.settings.weights
        key = material.key()
        if key not in self._weights:
            sentences = material.sentences()
            is_first = np.array(folds_of(sentences, usual_folds(sentences))) == 0
            # The fold is larger than its share where sentences occur again and again.
            share = max(BLOCK, round(_TUNING_SHARE * len(material)))
            held_out = np.flatnonzero(is_first)[: min(share, _MOST_TUNING)]
            rest = np.flatnonzero(~is_first)
            say(f"weights: learned from {held_out.size:,} pairs by a translator of the other {rest.size:,}")
            tuned, found = tune(
                self._trained(material.take(rest), None),
                material.take(held_out).source,
                [[text] for text in material.take(held_out).target],
                method=self.settings.tuner,
                rounds=self.settings.tuning_rounds,
                verbose=verbose,
                say=say,
            )
            say(f"weights: {found.metric} {found.rounds[0].score:.2f} with rough ones, {found.best_score:.2f} now")
            self._weights[key] = tuned.weights
        return self._weights[key]

    def lists_of_fold(self, fold: int, material: ParallelText, fold_of: Ints, is_listed: Bools, k: int) -> NBest:
        """The lists of a fold by a translator of the others, with the weights of the settings."""
        translator = self._trained(material.take(fold_of != fold), self.settings.weights)
        return self._lists(translator, material.take((fold_of == fold) & is_listed), k, verbose=False)

    def _trained(self, material: ParallelText, weights: Mapping[str, float] | None) -> Translator:
        translator = train_translator(material.source, material.target, self.settings.translator)
        translator = replace(translator, settings=self.settings.decoder)
        return translator if weights is None else translator.with_weights(weights)

    def _lists(self, translator: Translator, material: ParallelText, k: int, verbose: bool) -> NBest:
        return translator.nbest(
            material.source,
            k,
            references=[[text] for text in material.target],
            ids=[str(number) for number in material.numbers.tolist()],
            phrase_pairs=self.settings.phrase_pairs,
            verbose=verbose,
        )


def _fold_of(
    fold: int, material: ParallelText, fold_of: Ints, is_listed: Bools, first_round: TranslatorRound, k: int
) -> tuple[int, NBest]:
    return fold, first_round.lists_of_fold(fold, material, fold_of, is_listed, k)


def weights_of(path: Path) -> tuple[Mapping[str, float], DecoderSettings]:
    """Weights and search settings of a translator that was tuned."""
    translator = load_translator(path)
    if "tuning" not in translator.provenance:
        raise UsageError(f"{path} was not tuned, so its weights are rough ones; tune it: runoff translate tune.")
    return translator.weights, translator.settings


def _ignore(_: str) -> None:
    """Say nothing."""
