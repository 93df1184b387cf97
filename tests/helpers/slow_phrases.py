"""Phrase tables by Koehn's textbook, with loops and dictionaries."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from hypothesis import strategies as st

from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.bitext import Bitext

if TYPE_CHECKING:
    from collections.abc import Iterator

    Link = tuple[int, int]
    Span = tuple[int, int, int, int]  # source start and end, target start and end


class Aligned(NamedTuple):
    """A sentence pair with its links."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: frozenset[Link]


@st.composite
def aligned_sentences(draw: st.DrawFn, longest: int = 9) -> Aligned:
    """Few different words, any links."""
    source, target = (tuple(draw(st.lists(st.sampled_from("abc"), max_size=longest))) for _ in range(2))
    places = [(f, e) for f in range(len(source)) for e in range(len(target))]
    links = draw(st.sets(st.sampled_from(places), max_size=12)) if places else set()
    return Aligned(source, target, frozenset(links))


corpora = st.lists(aligned_sentences(), min_size=1, max_size=5)


def arrays(corpus: list[Aligned]) -> tuple[Bitext, Alignments]:
    """The same corpus as the package has it."""
    sides = (tokenised([" ".join(each[side]) for each in corpus], lambda piece: [piece]) for side in (0, 1))
    return Bitext(*sides), Alignments.of([each.links for each in corpus])


def extracted(pair: Aligned, longest: int) -> Iterator[Span]:
    """Koehn (2010), Statistical Machine Translation, figure 5.5, with a limit on the length of both sides."""
    aligned_source = {f for f, _ in pair.links}
    for e_start in range(len(pair.target)):
        for e_end in range(e_start, len(pair.target)):
            inside = [f for f, e in pair.links if e_start <= e <= e_end]
            if not inside:
                continue
            f_start, f_end = min(inside), max(inside)
            if any(f_start <= f <= f_end and not e_start <= e <= e_end for f, e in pair.links):
                continue
            first = f_start
            while True:
                last = f_end
                while True:
                    if last - first < longest and e_end - e_start < longest:
                        yield first, last + 1, e_start, e_end + 1
                    last += 1
                    if last in aligned_source or last >= len(pair.source):
                        break
                first -= 1
                if first in aligned_source or first < 0:
                    break


def definition(pair: Aligned, longest: int) -> Iterator[Span]:
    """All spans with a link inside and none that leaves them: the definition, tried on everything."""
    for start in range(len(pair.source)):
        for end in range(start + 1, min(len(pair.source), start + longest) + 1):
            for e_start in range(len(pair.target)):
                for e_end in range(e_start + 1, min(len(pair.target), e_start + longest) + 1):
                    sides = {(start <= f < end, e_start <= e < e_end) for f, e in pair.links}
                    if (True, True) in sides and not sides & {(True, False), (False, True)}:
                        yield start, end, e_start, e_end


def orientations(pair: Aligned, span: Span, spans: set[Span] | None = None) -> tuple[int, int]:
    """To what comes before and after: by words (Koehn et al. 2005), with spans by phrases (Galley & Manning 2008)."""
    start, end, e_start, e_end = span
    links = pair.links | {(-1, -1), (len(pair.source), len(pair.target))}

    def of(ahead: Link, behind: Link, phrase_ahead: bool, phrase_behind: bool) -> int:
        if (ahead in links and behind not in links) or phrase_ahead:
            return 0
        return 1 if (behind in links and ahead not in links) or phrase_behind else 2

    spans = spans or set()
    before = {each for each in spans if each[3] == e_start}
    after = {each for each in spans if each[2] == e_end}
    return (
        of(
            (start - 1, e_start - 1),
            (end, e_start - 1),
            any(each[1] == start for each in before),
            any(each[0] == end for each in before),
        ),
        of(
            (end, e_end),
            (start - 1, e_end),
            any(each[0] == end for each in after),
            any(each[1] == start for each in after),
        ),
    )


def links_inside(pair: Aligned, span: Span) -> tuple[Link, ...]:
    """Links of a span in the order of the target."""
    inside = [(f - span[0], e - span[2]) for f, e in pair.links if span[0] <= f < span[1]]
    return tuple(sorted(inside, key=lambda link: link[::-1]))


class Scores(NamedTuple):
    """All numbers of a pair."""

    inverse: float
    inverse_lexical: float
    direct: float
    direct_lexical: float
    reordering: tuple[float, ...]
    links: tuple[Link, ...]
    counts: tuple[float, float, float]


def _by_target_word(links: tuple[Link, ...], n_target: int) -> list[list[int]]:
    return [sorted(f for f, e in links if e == at) for at in range(n_target)]


def table(corpus: list[Aligned], longest: int, smoothing: str) -> dict[tuple, Scores]:
    """The phrase table as a dictionary by source and target phrase."""
    joint, alignments, turns = Counter(), defaultdict(Counter), defaultdict(list)
    for pair in corpus:
        for span in extracted(pair, longest):
            key = pair.source[span[0] : span[1]], pair.target[span[2] : span[3]]
            joint[key] += 1
            alignments[key][links_inside(pair, span)] += 1
            turns[key].append(orientations(pair, span))
    of_source, of_target = Counter(), Counter()
    for (source, target), count in joint.items():
        of_source[source] += count
        of_target[target] += count
    discount = _discounts(joint)
    words, given_source, given_target = _word_counts(corpus)
    found = {}
    for (source, target), count in joint.items():
        most = max(alignments[source, target].values())
        links = max(
            (each for each, times in alignments[source, target].items() if times == most),
            key=lambda each: _by_target_word(each, len(target)),  # as ExtractionPhrasePair::FindBestAlignment… of Moses
        )
        direct = inverse = 1.0
        for e, word in enumerate(target):
            own = [source[f] for f, at in links if at == e] or [None]
            direct *= sum(words[f, word] / given_source[f] for f in own) / len(own)
        for f, word in enumerate(source):
            own = [target[e] for at, e in links if at == f] or [None]
            inverse *= sum(words[word, e] / given_target[e] for e in own) / len(own)
        found[source, target] = Scores(
            _probability(joint, count, of_target[target], 1, target, 0, source, discount, smoothing),
            inverse,
            _probability(joint, count, of_source[source], 0, source, 1, target, discount, smoothing),
            direct,
            tuple(
                (sum(turn[side] == kind for turn in turns[source, target]) + 0.5) / (count + 1.5)
                for side in (0, 1)
                for kind in range(3)
            ),
            links,
            (count, of_target[target], of_source[source]),
        )
    return found


def _word_counts(corpus: list[Aligned]) -> tuple[Counter, Counter, Counter]:
    """Links of words, None being NULL; and all links of a source word, of a target word."""
    words = Counter()
    for pair in corpus:
        for f, e in pair.links:
            words[pair.source[f], pair.target[e]] += 1
        for f, word in enumerate(pair.source):
            words[word, None] += all(at != f for at, _ in pair.links)
        for e, word in enumerate(pair.target):
            words[None, word] += all(at != e for _, at in pair.links)
    of_source, of_target = Counter(), Counter()
    for (f, e), count in words.items():
        of_source[f] += count
        of_target[e] += count
    return words, of_source, of_target


def _discounts(joint: Counter) -> list[float]:
    """Chen & Goodman (1998), equation 26; 0.5, 1 and 1.5 where it cannot be used (lmplz --discount_fallback)."""
    seen = Counter(joint.values())
    if not all(seen[n] for n in (1, 2, 3)):
        return [0.0, 0.5, 1.0, 1.5]
    y = seen[1] / (seen[1] + 2 * seen[2])
    found = [n - (n + 1) * y * seen[n + 1] / seen[n] for n in (1, 2, 3)]
    return [0.0, *found] if min(found) >= 0 else [0.0, 0.5, 1.0, 1.5]


def _probability(joint, count, total, given_side, given, said_side, said, discount, smoothing) -> float:
    """Foster, Kuhn & Johnson (2006), section 3.1, with the discounts of modified Kneser-Ney smoothing."""
    if smoothing == "none":
        return count / total
    left = sum(discount[min(times, 3)] for pair, times in joint.items() if pair[given_side] == given) / total
    lower = sum(pair[said_side] == said for pair in joint) / len(joint)
    return (count - discount[min(count, 3)]) / total + left * lower


def close(found: float, expected: float) -> bool:
    """Whether a logarithm in single precision is that of a probability."""
    return math.isclose(found, np.log(expected), rel_tol=1e-5, abs_tol=1e-6)
