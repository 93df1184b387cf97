"""Parsing many sentences in threads, and what is said of the lists."""

from __future__ import annotations

import threading
import time
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.report import describe
from runoff.tasks.parsing import ParseList, extract, parse_tree, read_lists, write_lists
from runoff.tasks.parsing.first_round import LOOK_AHEAD, Proposed, asking, parse_sentences, propose
from runoff.tasks.parsing.first_round_summary import FirstRoundSummary, ProposalCounts, depths_to
from runoff.tasks.parsing.sentence_files import read_sentences
from runoff.tasks.parsing.treebank import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Cutter:
    """A parser that puts the last words of a sentence into a noun phrase, fewer of them with every candidate."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds, self.parsed, self.threads = seconds, 0, set[str]()

    def nbest(self, words: Sequence[str], k: int = 50) -> SimpleNamespace:
        time.sleep(self.seconds * (len(words) % 3))
        self.parsed += 1
        self.threads.add(threading.current_thread().name)
        leaves = [f"(NN {word})" for word in words]
        is_flat = words[0] == "flat"
        if is_flat:
            return SimpleNamespace(
                scores=[-99.0], trees=[f"(TOP {' '.join(leaves)})"], is_flat=True, is_backed_off=False
            )
        trees = [f"(TOP (S {' '.join([*leaves[:cut], f'(NP {rest})'])}))" for cut, rest in _rests(leaves)]
        return SimpleNamespace(
            scores=[-1.0 - cut for cut in range(len(trees[:k]))], trees=trees[:k], is_flat=False, is_backed_off=False
        )


def _rests(leaves: list[str]) -> list[tuple[int, str]]:
    return [(cut, " ".join(leaves[cut:])) for cut in range(len(leaves))]


def sentence(place: int, words: str = "", document: str = "d") -> Sentence:
    words = words or " ".join(f"w{place}" for _ in range(2 + place % 5))
    leaves = [f"(NN {word})" for word in words.split()]
    return Sentence(f"s{place}", document, parse_tree(f"(TOP (S {leaves[0]} (NP {' '.join(leaves[1:])})))"), fold=7)


def test_lists_come_in_order_with_what_is_known_of_their_sentences() -> None:
    found = list(parse_sentences(Cutter(), [sentence(3), sentence(1, "a b c")], k=2, threads=2, fold=4))
    assert [each.id for each in found] == ["s3", "s1"]
    assert found[1] == ParseList(
        "s1",
        "(TOP (S (NN a) (NP (NN b) (NN c))))",
        [-1.0, -2.0],
        ["(TOP (S (NP (NN a) (NN b) (NN c))))", "(TOP (S (NN a) (NP (NN b) (NN c))))"],
        ["a", "b", "c"],
        fold=4,
        document="d",
    )


def test_a_fold_of_another_parser_does_not_go_along() -> None:
    assert [each.fold for each in parse_sentences(Cutter(), [sentence(0)])] == [None]  # the sentence says 7


def test_lists_do_not_depend_on_threads() -> None:
    sentences = [sentence(place) for place in range(100)]
    one, many = Cutter(), Cutter(seconds=0.002)
    assert list(parse_sentences(one, sentences, threads=1)) == list(parse_sentences(many, sentences, threads=4))
    assert one.threads == {"MainThread"}
    assert len(many.threads) == 4


def test_only_a_few_sentences_are_looked_at_ahead() -> None:
    drawn = 0

    def asked() -> object:
        nonlocal drawn
        for place in range(10_000):
            drawn += 1
            yield asking(sentence(place))

    parser = Cutter()
    lists = propose(parser, asked(), threads=2)
    assert len(list(islice(lists, 5))) == 5
    assert drawn <= 2 * LOOK_AHEAD + 5
    lists.close()
    done = parser.parsed
    time.sleep(0.05)
    assert parser.parsed == done <= drawn  # nobody is at work any more


def test_an_error_of_the_parser_comes_out_at_its_sentence() -> None:
    class Failing(Cutter):
        def nbest(self, words: Sequence[str], k: int = 50) -> SimpleNamespace:
            if words[0] == "w3":
                raise DataError("too hard.")
            return super().nbest(words, k)

    for threads in (1, 2):
        lists = parse_sentences(Failing(), [sentence(place) for place in range(9)], threads=threads)
        assert [next(lists).id for _ in range(3)] == ["s0", "s1", "s2"]
        with pytest.raises(DataError, match="too hard"):
            next(lists)


def test_a_list_without_words_stays_empty() -> None:
    (found,) = propose(Cutter(), [ParseList("4", tokens=[])])
    assert found == Proposed(ParseList("4", tokens=[]), is_flat=False)


@pytest.mark.parametrize(("k", "threads"), [(0, None), (5, 0)])
def test_numbers_that_make_no_sense(k: int, threads: int | None) -> None:
    with pytest.raises(UsageError, match="at least"):
        parse_sentences(Cutter(), [sentence(0)], k, threads=threads)  # at once, not when lists are asked for


def tallied(lists: list[Proposed], k: int) -> ProposalCounts:
    tally = ProposalCounts(depths_to(k))
    for each in lists:
        tally.add(each)
    return tally


def test_the_summary_counts() -> None:
    sentences = [asking(sentence(0, "a b c")), asking(sentence(1, "flat x")), asking(sentence(2, "e f"))]
    asked = [*sentences, ParseList("empty", tokens=[]), ParseList("unknown", tokens=["g"])]
    tally = tallied(list(propose(Cutter(), asked, 10)), 10)
    found = FirstRoundSummary.of(tally, 2.0)
    # 3 + 1 + 2 + 0 + 1 candidates, all different; the list without any does not count as the shortest
    assert (found.sentences, found.candidates, found.empty, found.judged) == (5, 7, 1, 3)
    assert (found.distinct_mean, found.distinct_least) == (7 / 4, 1)
    assert (found.flat, found.flat_ids) == (1, ("s1",))
    assert (found.seconds, found.sentences_per_second) == (2.0, 2.5)
    # First choices: S and NP over everything in "a b c" and "e f" (S is right, NP is not), nothing in "flat x";
    # gold trees have S and NP: 2 right of 4 found, of 6 there are. The second candidates are the gold trees.
    assert found.f == pytest.approx(100 * 2 * 2 / (4 + 6))
    assert found.oracle_at == {1: found.f, 2: pytest.approx(80.0), 5: pytest.approx(80.0), 10: pytest.approx(80.0)}
    text = str(found)
    assert "5 (1 without words or candidates)" in text
    assert "1 (no parse found; given a tree without constituents): s1\n" in text
    assert "parseval (3 sentences with gold trees)" in text


def test_sentences_that_were_parsed_by_backing_off_are_counted() -> None:
    parses = ParseList("a", None, [-1.0], ["(X (UH a))"], ["a"])
    tally = tallied([Proposed(parses, False, at == 1) for at in range(3)], 50)
    found = FirstRoundSummary.of(tally, 1.0)
    assert (found.backed_off, found.flat) == (1, 0)
    assert "backed off   1 (parsed with more tags for unknown words, or another beam)\n" in str(found)
    assert "backed off" not in str(FirstRoundSummary.of(tallied([Proposed(parses, is_flat=False)], 50), 1.0))


def test_no_more_than_three_sentences_without_a_parse_are_named() -> None:
    tally = tallied(list(propose(Cutter(), [asking(sentence(at, "flat x")) for at in range(5)])), 50)
    assert ": s0, s1, s2, …\n" in str(FirstRoundSummary.of(tally, 1.0))


def test_without_gold_trees_nothing_is_judged() -> None:
    found = FirstRoundSummary.of(tallied(list(propose(Cutter(), [ParseList("a", tokens=["b"])])), 50), 1.0)
    assert (found.f, found.oracle_at, found.judged) == (None, {}, 0)
    assert "parseval" not in str(found)


def test_repeated_trees_are_seen() -> None:
    twice = ParseList("a", None, [-1.0, -2.0, -3.0], ["(X (UH a))", "(Y (UH a))", "(X (UH a))"], ["a"])
    assert FirstRoundSummary.of(tallied([Proposed(twice, is_flat=False)], 50), 1.0).distinct_least == 2


def test_tallies_add_up_and_are_kept_as_plain_values() -> None:
    proposed = list(propose(Cutter(), [asking(sentence(place)) for place in range(20)], 5))
    whole, first, rest = tallied(proposed, 5), tallied(proposed[:7], 5), tallied(proposed[7:], 5)
    first.merge(ProposalCounts(**rest.to_dict()))
    assert first == whole
    empty = ProposalCounts(depths_to(5))
    empty.merge(whole)
    assert empty == whole


def test_scores_are_those_of_a_description(shared_data: Path) -> None:
    """`runoff describe` computes first choice and oracles in its own way, from statistics of all candidates."""
    path = next((shared_data / "parses").glob("*.jsonl.gz"))
    lists = [each for each in islice(read_lists(path), 60) if each.trees]
    shuffled = np.random.default_rng(0)
    mixed = []
    for each in lists:  # the order of candidates must not matter, their scores alone
        order = shuffled.permutation(len(each.trees)).tolist()
        scores, trees = ([values[at] for at in order] for values in (each.scores, each.trees))
        mixed.append(ParseList(each.id, each.gold, scores, trees))
    found = FirstRoundSummary.of(tallied([Proposed(each, is_flat=False) for each in mixed], 50), 1.0)
    truth = describe(extract(mixed, families=["rule"])).prospects[0]
    assert found.f == pytest.approx(truth.first, abs=1e-9)
    shared = sorted(set(found.oracle_at) & set(truth.oracle_at))
    assert shared == [1, 2, 5, 10]
    assert [found.oracle_at[k] for k in shared] == pytest.approx([truth.oracle_at[k] for k in shared], abs=1e-9)
    assert found.oracle_at[50] == pytest.approx(truth.oracle, abs=1e-9)
    assert found.f < found.oracle_at[2] < found.oracle_at[50]


def read(path: Path, content: str | bytes, **how: bool) -> tuple[list[ParseList], list[str]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    notes: list[str] = []
    return read_sentences(path, notes, **how), notes


def test_plain_text_has_a_sentence_in_every_line(tmp_path: Path) -> None:
    found, notes = read(tmp_path / "a.txt", b"\xef\xbb\xbfThe cat\xc2\xa01 \t sleeps .\r\n\n \nHey\n\n")
    assert [(each.id, each.tokens) for each in found] == [
        ("1", ["The", "cat\xa01", "sleeps", "."]),
        ("2", []),
        ("3", []),
        ("4", ["Hey"]),
        ("5", []),
    ]
    assert all(each.gold is None for each in found)
    assert notes == ["Lines without words: 3; their lists are empty, so that ids match line numbers."]


def test_brackets_in_words_are_written_as_the_penn_treebank_does(tmp_path: Path) -> None:
    found, notes = read(tmp_path / "a.txt", "( Reuters said )\nx[1] :) { }\n")
    assert found[0].tokens == ["-LRB-", "Reuters", "said", "-RRB-"]
    assert found[1].tokens == ["x-LSB-1-RSB-", ":-RRB-", "-LCB-", "-RCB-"]
    assert notes == ["Brackets in words are escaped as in the Penn Treebank, e.g. -LRB- for (: 6 words changed."]


@pytest.mark.parametrize(
    "text",
    [
        "( (S (NP-SBJ (PRP I)) (VP (VBP run) (NP (-NONE- *)))))",
        "(S1\n  (S (NP (PRP I)) (VP (VBP run))))",
        "<a.1> (S (NP (PRP I)) (VP (VBP run)))",
        "(PRP I)\n(VBP run)",
    ],
)
def test_trees_are_recognised_and_go_along(tmp_path: Path, text: str) -> None:
    found, _ = read(tmp_path / "a.txt", text)
    assert [word for each in found for word in each.tokens or ()] == ["I", "run"]
    assert all((each.gold or "").startswith("(TOP (") for each in found)
    assert all(each.gold is None for each in read(tmp_path / "a.txt", text, text=True)[0])


def test_a_folder_of_trees_is_a_treebank(tmp_path: Path) -> None:
    for name in "ba":
        (tmp_path / f"{name}.mrg").write_text(f"(S (NN {name}))")
    assert [(each.document, each.tokens) for each in read_sentences(tmp_path)] == [("a.mrg", ["a"]), ("b.mrg", ["b"])]


def test_lists_give_the_words_of_gold_trees_or_tokens_or_candidates(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl.gz"
    gold = "(S1 (S (NP-SBJ (PRP I)) (VP (VBP run) (-RRB- -RRB-))))"
    lists = [
        ParseList("gold", gold, [-1.0], ["(X (UH no))"], ["I", "run", ")"], fold=3, document="d"),
        ParseList("tokens", None, [-1.0], ["(X (UH no))"], ["I", "ran", ")"]),
        ParseList("candidate", None, [-1.0], ["(S1 (X (UH oh)))"]),
        ParseList("nothing"),
    ]
    write_lists(lists, path)
    notes: list[str] = []
    assert read_sentences(path, notes) == [
        ParseList(
            "gold",
            "(TOP (S (NP (PRP I)) (VP (VBP run) (-RRB- -RRB-))))",
            tokens=["I", "run", "-RRB-"],
            document="d",
        ),
        ParseList("tokens", tokens=["I", "ran", "-RRB-"]),
        ParseList("candidate", tokens=["oh"]),
        ParseList("nothing", tokens=[]),
    ]
    assert notes == ["Sentences without a gold tree, for which the words of the first candidate are used: 1."]


def test_words_with_blanks_are_refused(tmp_path: Path) -> None:
    write_lists([ParseList("a", tokens=["one word"])], tmp_path / "a.jsonl")
    with pytest.raises(DataError, match=r"a\.jsonl, line 1, list 'a': expected words without blanks .* 'one word'"):
        read_sentences(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "the file is empty"), (b"a\nb \xff c\n", "line 2: the text is not UTF-8"), (b"(S (NN x", "not closed")],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path / "a.txt", content)
