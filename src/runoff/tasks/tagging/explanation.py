"""Why a token got its tag: what every feature, and the neighbouring tags, add for it and for another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError, UsageError
from runoff.tables import text_table

if TYPE_CHECKING:
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.tagger import Tagger


@dataclass(frozen=True)
class TokenExplanation:
    """Rows of what adds to the score of a tag and of another; the last row of a printed table is their sum."""

    word: str
    tag: str
    against: str
    rows: list[tuple[str, float, float]]  # largest difference first

    def __str__(self) -> str:
        table = [[name, f"{one:+.3f}", f"{two:+.3f}", f"{one - two:+.3f}"] for name, one, two in self.rows]
        one, two = sum(row[1] for row in self.rows), sum(row[2] for row in self.rows)
        table.append(["sum", f"{one:+.3f}", f"{two:+.3f}", f"{one - two:+.3f}"])
        return f"{self.word}: {self.tag} over {self.against}\n" + text_table(
            ["feature", self.tag, self.against, "lead"], table
        )


def explain_token(tagger: Tagger, sentence: Corpus, token: int, against: str | None) -> TokenExplanation:
    """The features of a token with the weights of its tag and of another, in the best tagging.

    The other one is the best in its place with all other tags as they are, unless it is given.
    """
    if len(sentence) != 1:
        raise UsageError(f"explain takes one sentence; found {len(sentence):,}.")
    n = sentence.n_tokens
    if not 0 <= token < n:
        raise UsageError(f"there is no token {token}; the sentence has {n}, counted from 0.")
    if against is not None and against not in tagger.states:
        raise UsageError(f"the tagger knows no tag {against!r}; it knows: {', '.join(tagger.states)}.")
    if not hasattr(tagger.model, "shape"):
        raise ModelError("sums of trees have no weights of features; train a chain or a greedy tagger to explain tags.")
    data, codes = tagger.features.transform(sentence), tagger.label_states(sentence, decoding="best")
    weights, tags = tagger.model.shape.weights(tagger.model.vector), len(tagger.states)
    rows: dict[str, Any] = {}
    for feature in data.features[data.indptr[token] : data.indptr[token + 1]].tolist():
        row, line = slice(weights.rows[feature], weights.rows[feature + 1]), np.zeros(tags)
        line[weights.row_tags[row]] = weights.weights[row]
        rows[tagger.features.name(feature)] = line
    rows |= _neighbours(tagger, data, codes, token, weights)
    total = np.sum([np.zeros(tags), *rows.values()], axis=0)
    own = int(codes[token])
    others = np.where(np.arange(tags) == own, -np.inf, total)
    other = tagger.states.index(against) if against is not None else int(np.argmax(others))
    told = [(name, float(line[own]), float(line[other])) for name, line in rows.items() if line[own] or line[other]]
    told.sort(key=lambda row: -abs(row[1] - row[2]))
    return TokenExplanation(sentence["word"].texts()[token], tagger.states[own], tagger.states[other], told)


def _neighbours(tagger: Tagger, data: Any, codes: Any, token: int, weights: Any) -> dict[str, Any]:
    """What the tags on both sides add for every tag in their middle."""
    tags, n, names = len(tagger.states), data.n_tokens, tagger.states
    is_chain = hasattr(tagger.model, "is_probabilistic")
    rows: dict[str, Any] = {"first tag": weights.starts} if token == 0 else {}
    if token == n - 1 and is_chain:
        rows["last tag"] = weights.ends
    before = [int(codes[token - back]) if token >= back else tags for back in (1, 2)]
    if token:
        rows[f"tag[-1]={names[before[0]]}"] = weights.transitions[before[0]]
    rows |= dict(_history(tagger, data, token, before, weights))
    if token < n - 1 and is_chain:
        after = int(codes[token + 1])
        line = weights.transitions[:, after].copy()
        for feature in data.history[data.history_indptr[token + 1] : data.history_indptr[token + 2]].tolist():
            for pair in range(weights.history_rows[feature], weights.history_rows[feature + 1]):
                context, tag = divmod(int(weights.history_codes[pair]), tags)
                if tag == after and context < tags:
                    line[context] += weights.history_weights[pair]
        rows[f"tag[1]={names[after]}"] = line
    return rows


def _history(tagger: Tagger, data: Any, token: int, before: list[int], weights: Any) -> list[tuple[str, Any]]:
    tags, found = len(tagger.states), []
    is_chain = hasattr(tagger.model, "is_probabilistic")
    for feature in data.history[data.history_indptr[token] : data.history_indptr[token + 1]].tolist():
        mode = int(data.modes[feature])
        context = {1: before[0], 2: before[1], 3: before[0] * (tags + 1) + before[1]}[mode]
        if is_chain and token == 0:
            continue
        line = np.zeros(tags)
        for pair in range(weights.history_rows[feature], weights.history_rows[feature + 1]):
            which, tag = divmod(int(weights.history_codes[pair]), tags)
            if which == context:
                line[tag] = weights.history_weights[pair]
        found.append((tagger.features.name(feature, history=True), line))
    return found
