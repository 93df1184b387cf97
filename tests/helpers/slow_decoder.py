"""Every derivation of a sentence, written the slow and obvious way; and random phrase tables for it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.phrase_table import PhraseTable
from runoff.tasks.translation.terms import term_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.features.lm import LanguageModel

LN10 = float(np.log(10.0))


class Use(NamedTuple):
    start: int
    end: int
    words: tuple[str, ...]
    option: int  # -1 where the table has none


def source_words(n: int) -> list[str]:
    return [f"s{at}" for at in range(n)]


def target_words(n: int) -> list[str]:
    return [f"t{at}" for at in range(n)]


def random_table(
    rng: np.random.Generator, n_source: int = 4, n_target: int = 4, longest: int = 3, *, reordering: bool = True
) -> PhraseTable:
    """Some phrases of few words with up to three options of up to three words each; one word has no phrase."""
    phrases = {(word,) for word in range(1, n_source)}
    for _ in range(8):
        phrases.add(tuple(rng.integers(0, n_source, rng.integers(2, longest + 1)).tolist()))
    return table_of(
        {
            tuple(f"s{word}" for word in phrase): [
                tuple(f"t{word}" for word in rng.integers(0, n_target, rng.integers(1, 4)).tolist())
                for _ in range(rng.integers(1, 4))
            ]
            for phrase in phrases
        },
        rng,
        n_source,
        n_target,
        reordering=reordering,
    )


def table_of(
    options: Mapping[tuple[str, ...], Sequence[tuple[str, ...]]],
    rng: np.random.Generator,
    n_source: int,
    n_target: int,
    *,
    reordering: bool,
) -> PhraseTable:
    """A table with these options of phrases and random scores; words are spelled as `source_words` has them."""
    phrases = sorted(options, key=lambda phrase: [int(word[1:]) for word in phrase])
    targets = [target for phrase in phrases for target in sorted(set(options[phrase]))]
    sizes = [len(set(options[phrase])) for phrase in phrases]
    scores = np.log(rng.uniform(0.05, 1.0, (len(targets), 4))).astype(np.float32)
    starts = np.cumsum([0, *sizes])
    for low, high in pairwise(starts):
        scores[low:high, 2] = -np.sort(-scores[low:high, 2])
    orientations = np.concatenate([rng.dirichlet(np.ones(3), len(targets)) for _ in range(2)], axis=1)
    return PhraseTable(
        pa.array(source_words(n_source), pa.large_string()),
        pa.array(target_words(n_target), pa.large_string()),
        frozen(np.cumsum([0, *map(len, phrases)])),
        frozen(np.array([int(word[1:]) for phrase in phrases for word in phrase], np.int32)),
        frozen(starts),
        frozen(np.cumsum([0, *map(len, targets)])),
        frozen(np.array([int(word[1:]) for target in targets for word in target], np.int32)),
        frozen(scores),
        frozen(np.log(orientations).astype(np.float32)) if reordering else None,
        frozen(np.zeros(len(targets) + 1, np.int64)),
        frozen(np.zeros((0, 2), np.uint8)),
        frozen(np.zeros((len(targets), 3), np.float32)),
    )


def all_derivations(
    sentence: Sequence[str], table: PhraseTable, distortion: int = -1, unknown: str = "copy"
) -> list[tuple[Use, ...]]:
    """All ways to translate a sentence by all options, within the limit on distortion as Moses has it."""
    n, numbers = len(sentence), [table.source_words.index(word).as_py() for word in sentence]
    spelling = table.target_words.to_pylist()
    options: list[Use] = []
    for phrase in range(len(table)):
        words = table.phrase_words[table.phrase_offsets[phrase] : table.phrase_offsets[phrase + 1]].tolist()
        for start in range(n - len(words) + 1):
            if numbers[start : start + len(words)] == words:
                for option in range(table.option_offsets[phrase], table.option_offsets[phrase + 1]):
                    ids = table.target_ids[table.target_offsets[option] : table.target_offsets[option + 1]]
                    options.append(Use(start, start + len(words), tuple(spelling[at] for at in ids.tolist()), option))
    for at, word in enumerate(sentence):
        if not any((each.start, each.end) == (at, at + 1) for each in options):
            options.append(Use(at, at + 1, (word,) if unknown == "copy" else (), -1))
    found: list[tuple[Use, ...]] = []

    def extend(done: tuple[Use, ...], covered: frozenset[int]) -> None:
        if len(covered) == n:
            found.append(done)
            return
        gap = min(set(range(n)) - covered)
        previous = done[-1].end if done else 0
        for each in options:
            span = set(range(each.start, each.end))
            if span & covered:
                continue
            if distortion >= 0:
                if abs(each.start - previous) > distortion:
                    continue
                if each.start != gap and abs(gap - each.end) > distortion:
                    continue
            extend((*done, each), covered | span)

    extend((), frozenset())
    return found


def terms_of(derivation: Sequence[Use], table: PhraseTable) -> dict[str, float]:
    """Terms of a derivation without the language model, added up one by one."""
    terms = dict.fromkeys(term_names(reordering=table.reordering is not None), 0.0)
    before: Use | None = None
    for each in derivation:
        end = 0 if before is None else before.end
        terms["distortion"] -= abs(each.start - end)
        terms["words"] += len(each.words)
        terms["phrases"] += 1
        terms["unknown"] += each.option < 0
        if each.option >= 0:
            for at, name in enumerate(("inverse", "inverse-lexical", "direct", "direct-lexical")):
                terms[f"tm:{name}"] += float(table.scores[each.option, at])
        if table.reordering is not None:
            way = "discontinuous"
            if each.start == end:
                way = "monotone"
            elif before is not None and each.end == before.start:
                way = "swap"
            column = ("monotone", "swap", "discontinuous").index(way)
            if each.option >= 0:
                terms[f"reordering:previous-{way}"] += float(table.reordering[each.option, column])
            if before is not None and before.option >= 0:
                terms[f"reordering:next-{way}"] += float(table.reordering[before.option, 3 + column])
        before = each
    return terms


def all_scores(
    derivations: Sequence[Sequence[Use]], table: PhraseTable, model: LanguageModel, weights: Mapping[str, float]
) -> list[tuple[float, tuple[str, ...], dict[str, float]]]:
    """Score, words and terms of every derivation."""
    texts = [tuple(word for use in derivation for word in use.words) for derivation in derivations]
    logs = LN10 * model.score(tokenised([" ".join(text) for text in texts], lambda piece: [piece])).total
    out = []
    for derivation, text, log in zip(derivations, texts, logs.tolist(), strict=True):
        terms = terms_of(derivation, table) | {"lm": log}
        out.append((sum(weights.get(name, 0.0) * value for name, value in terms.items()), text, terms))
    return out
