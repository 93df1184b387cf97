"""The grammar written again in plain Python: dictionaries of counts, and every derivation listed one by one.

It shares nothing with the package but the heads of Collins's rules and the shapes of unknown words; the rest follows
the descriptions in `backoff.py`, `step_probabilities.py`, `lexicon.py` and `split_labels.py`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from helpers.slow_grammar_nodes import Derivation, Head, Node, read, split
from runoff.tasks.parsing.grammar.word_shapes import word_shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.tasks.parsing.grammar import Settings

STOP = None
# What every kind of step looks at, from fine to coarse (backoff.py).
CONTEXTS = {
    "head": ["parent above tag word", "parent above tag", "parent tag", "parent"],
    "label": [
        "side parent head tag word last bare",
        "side parent above head tag last before bare",
        "side parent above head last before bare",
        "side parent head last",
        "side parent",
    ],
    "tag": ["side parent head tag word label", "side parent head tag label", "parent label", "label"],
    "word": [
        "side parent tag word label own_tag",
        "parent word own_tag",
        "side parent tag label own_tag",
        "parent label own_tag",
    ],
}


class SlowGrammar:
    """The same grammar as `train_grammar` makes of the same trees."""

    def __init__(self, texts: Sequence[str], settings: Settings) -> None:
        self.settings = settings
        trees = [split(read(text), settings.splits) for text in texts]
        self._count_words(trees)
        self.counts: dict[str, list[dict[tuple[object, ...], Counter[object]]]] = {
            kind: [defaultdict(Counter) for _ in self.levels(kind)] for kind in CONTEXTS
        }
        self.plain_of: dict[tuple[str, str], str] = {}
        self.kinds: set[tuple[object, ...]] = set()  # label, what is above, head child
        self.seen_rows: list[tuple[str, dict[str, object]]] = []
        for tree in trees:
            for node in tree.walk():
                self.plain_of[node.symbol] = node.plain
            for kind, fields, outcome in self.steps(tree):
                if kind != "within":
                    self.seen_rows.append((kind, fields))
                    for level, names in enumerate(self.levels(kind)):
                        self.counts[kind][level][tuple(fields[name] for name in names)][outcome] += 1
                if kind == "head":
                    self.kinds.add((fields["parent"], fields["above"], outcome))

    def levels(self, kind: str) -> list[tuple[str, ...]]:
        """Names of what the contexts of a kind of step have, without what the settings leave out.

        A level that then knows no more than a later one is not there.
        """
        settings = self.settings
        without = set()
        if not settings.lexical:
            without |= {"word"} | ({"tag"} if kind in ("tag", "word") else set())
        if settings.vertical < 2:
            without.add("above")
        if settings.horizontal < 2:
            without.add("before")
        if settings.horizontal < 1:
            without.add("last")
        levels = [tuple(name for name in level.split() if name not in without) for level in CONTEXTS[kind]]
        return [
            level for at, level in enumerate(levels) if not any(set(level) <= set(later) for later in levels[at + 1 :])
        ]

    # ------------------------------------------------------------- words

    def _count_words(self, trees: list[Node]) -> None:
        seen: Counter[str] = Counter()
        tokens = []
        for tree in trees:
            leaves = [node for node in tree.walk() if node.word is not None]
            for place, leaf in enumerate(leaves):
                assert leaf.word is not None
                seen[leaf.word] += 1
                tokens.append((leaf.word, place == 0, leaf.symbol))
        self.frequent = {word for word, count in seen.items() if count >= self.settings.rare}
        shape_counts: Counter[str] = Counter()
        for word, is_first, _ in tokens:
            if word not in self.frequent:
                shape_counts.update(set(word_shapes(word, is_first)))
        self.kept_shapes = {shape for shape, count in shape_counts.items() if count >= 3} | {"unknown"}
        self.class_tags: dict[tuple[str, object], float] = defaultdict(float)
        self.rare_seen: Counter[tuple[str, object]] = Counter()
        for word, is_first, tag in tokens:
            self.class_tags[self.class_of(word, is_first), tag] += 1
            if word not in self.frequent:
                self.rare_seen[word, tag] += 1
        # A thousandth of every word also counts for words that are like none, and of a rare one for its rougher shapes.
        for word, is_first, tag in tokens:
            rougher = set() if word in self.frequent else set(word_shapes(word, is_first)) & self.kept_shapes
            for shape in rougher | {"unknown"}:
                self.class_tags[f"like {shape}", tag] += 0.001
        self.tag_totals: dict[object, float] = defaultdict(float)
        for (_, tag), count in self.class_tags.items():
            self.tag_totals[tag] += count

    def class_of(self, word: str, is_first: bool) -> str:
        if word in self.frequent:
            return word
        return "like " + next(shape for shape in word_shapes(word, is_first) if shape in self.kept_shapes)

    def known(self, cls: str, tag: object) -> float:
        """P(class | tag)."""
        return self.class_tags.get((cls, tag), 0.0) / self.tag_totals[tag]

    def within(self, word: str, cls: str, tag: object) -> float:
        """P(word | class, tag)."""
        if word in self.frequent:
            return 1.0
        unseen = self.settings.unseen
        of_class = sum(
            count
            for (each, its_tag), count in self.rare_seen.items()
            if its_tag == tag and cls in {self.class_of(each, True), self.class_of(each, False)}
        )
        return (self.rare_seen[word, tag] + unseen / 10_000) / (of_class + unseen)

    # ------------------------------------------------------------- steps

    def above(self, plain: str) -> str:
        """What children see of a constituent."""
        return plain if self.settings.vertical > 1 else ""

    def steps(self, root: Node) -> list[tuple[str, dict[str, object], object]]:
        """Kind of step, what it looks at and what came of it, for all steps of a tree with its heads."""
        found: list[tuple[str, dict[str, object], object]] = []
        place = 0

        def word(side: str, parent: object, head: object, of: Head, label: object, its: Head) -> None:
            fields = {"side": side, "parent": parent, "head": head, "tag": of.tag, "word": of.cls}
            fields |= {"label": label, "own_tag": its.tag}
            if label != its.tag:
                found.append(("tag", fields, its.tag))
            found.append(("word", fields, its.cls))
            found.append(("within", {"cls": its.cls, "own_tag": its.tag}, its.word))

        def visit(node: Node, above: str) -> Head:
            nonlocal place
            if node.word is not None:
                place += 1
                return Head(node.symbol, self.class_of(node.word, place == 1), node.word)
            heads = [visit(child, self.above(node.plain)) for child in node.children]
            own, chosen = heads[node.head], node.children[node.head].symbol
            common = {"parent": node.symbol, "above": above, "tag": own.tag, "word": own.cls}
            found.append(("head", common, chosen))
            bare = True
            rights = list(range(node.head + 1, len(heads)))
            lefts = list(range(node.head))[::-1]
            for side, places in (("right", rights), ("left", lefts)):
                last = before = STOP
                for at in places:
                    label = node.children[at].symbol
                    fields = {"side": side, "head": chosen, "last": last, "before": before, "bare": bare, **common}
                    found.append(("label", fields, label))
                    word(side, node.symbol, chosen, own, label, heads[at])
                    last, before, bare = label, last, False
                fields = {"side": side, "head": chosen, "last": last, "before": before, "bare": bare, **common}
                found.append(("label", fields, STOP))
            return own

        nothing = Head(("", ""), "", "")
        word("right", "", "", nothing, root.symbol, visit(root, ""))
        return found

    def probability(self, kind: str, fields: dict[str, object], outcome: object) -> float:
        """Witten & Bell: each context gives back what it keeps for the next rougher one."""
        if kind == "within":
            return self.within(str(outcome), str(fields["cls"]), fields["own_tag"])
        p = self.known(str(outcome), fields["own_tag"]) if kind == "word" else 0.0
        levels = self.levels(kind)
        for at in range(len(levels) - 1, -1, -1):
            counts = self.counts[kind][at].get(tuple(fields[name] for name in levels[at]))
            if counts is None:
                continue
            is_last = at == len(levels) - 1 and kind != "word"
            kept_back = 0.0 if is_last else self.settings.smoothing * len(counts)
            total = sum(counts.values()) + kept_back
            p = counts[outcome] / total + kept_back / total * p
        return p

    def score(self, tree: Node) -> float:
        """Log-probability of a tree with these split labels and these heads."""
        total = 0.0
        for kind, fields, outcome in self.steps(tree):
            p = self.probability(kind, fields, outcome)
            is_unseen = kind == "head" and (fields["parent"], fields["above"], outcome) not in self.kinds
            if p <= 0.0 or is_unseen:
                return -math.inf
            total += math.log(p)
        return total

    def own(self, text: str) -> Node:
        """The derivation of a plain tree that is counted: its splits and the heads of Collins's rules."""
        return split(read(text), self.settings.splits)

    def log_probability(self, text: str) -> float:
        """Of a plain tree, with its own splits and the heads of Collins's rules."""
        tree = self.own(text)
        return -math.inf if any(node.symbol not in self.plain_of for node in tree.walk()) else self.score(tree)

    # ------------------------------------------------------- every derivation

    def every_derivation(self, words: Sequence[str]) -> list[Derivation]:
        """All trees with all splits and heads that the treebank had, scored, the best first."""
        trees = [tree for tree in EveryTree(self, words).under(0, len(words), "") if tree.plain == "TOP"]
        found = [Derivation(self.score(tree), tree) for tree in trees if not tree.word]
        return sorted((each for each in found if each.score > -math.inf), key=lambda each: -each.score)


class EveryTree:
    """Everything that can stand over spans of a sentence's words."""

    def __init__(self, grammar: SlowGrammar, words: Sequence[str]) -> None:
        self.grammar, self.words = grammar, words
        self.heads: dict[str, dict[tuple[str, str], set[object]]] = defaultdict(lambda: defaultdict(set))
        for label, above, head in grammar.kinds:
            self.heads[str(above)][label].add(head)  # type: ignore[index]
        self._kept: dict[tuple[int, int, str, int], list[Node]] = {}

    def under(self, i: int, j: int, above: str) -> list[Node]:
        """Words with tags and constituents that can be below something."""
        found = [each for height in range(self.grammar.settings.heights + 1) for each in self._of(i, j, above, height)]
        return self._leaves(i) + found if j == i + 1 else found

    def _leaves(self, place: int) -> list[Node]:
        grammar, word = self.grammar, self.words[place]
        cls = grammar.class_of(word, place == 0)
        tags = [symbol for symbol in grammar.plain_of if grammar.class_tags.get((cls, symbol), 0.0) > 0]
        return [Node(tag[1], grammar.plain_of[tag], word, (), 0) for tag in tags]

    def _of(self, i: int, j: int, above: str, height: int) -> list[Node]:
        """Constituents with this many of one child at their top, counted from one of several children or a word."""
        key = (i, j, above, height)
        if key not in self._kept:
            self._kept[key] = self._wide(i, j, above) if height == 0 else self._high(i, j, above, height)
        return self._kept[key]

    def _wide(self, i: int, j: int, above: str) -> list[Node]:
        found = []
        for label, heads in self.heads[above].items():
            plain = self.grammar.plain_of[label]
            for children in self._rows(i, j, self.grammar.above(plain), (i, j)):
                for at, child in enumerate(children):
                    if child.symbol in heads and self._may_be(label, children, at):
                        found.append(Node(label[1], plain, None, children, at))
        return found

    def _high(self, i: int, j: int, above: str, height: int) -> list[Node]:
        found = []
        for label, heads in self.heads[above].items():
            plain = self.grammar.plain_of[label]
            below = self._of(i, j, self.grammar.above(plain), height - 1)
            if height == 1 and j == i + 1:
                below = self._leaves(i)
            found += [Node(label[1], plain, None, (child,), 0) for child in below if child.symbol in heads]
        return found

    def _rows(self, start: int, end: int, above: str, whole: tuple[int, int]) -> Iterator[tuple[Node, ...]]:
        """Things side by side below the same parent, two or more over the whole span."""
        if start == end:
            yield ()
        for middle in range(start + 1, end + 1):
            if (start, middle) != whole:
                for first in self.under(start, middle, above):
                    for rest in self._rows(middle, end, above, whole):
                        yield (first, *rest)

    def _may_be(self, label: tuple[str, str], children: tuple[Node, ...], head: int) -> bool:
        """Whether every modifier was ever seen on its side."""
        seen = self.grammar.counts["label"][-1]
        return all(
            seen.get(("left" if at < head else "right", label), Counter())[child.symbol]
            for at, child in enumerate(children)
            if at != head
        )
