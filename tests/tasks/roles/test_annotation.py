"""Trees, tags and clauses that tools give to sentences with roles."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from helpers.annotated_sentences import CHUNKS, CLAUSES, ENTITIES, POS, bare, sentences, tagged_corpus
from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import ChainPerceptron
from runoff.model import LinearModel
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import train_grammar
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.roles.annotation import clauses_of_tree, with_tags, with_tree_clauses, with_trees
from runoff.tasks.roles.json_roles import record_of
from runoff.tasks.roles.parse_column import column_of_tree
from runoff.tasks.roles.propositions import RoleSentence, WeightedTree
from runoff.tasks.roles.role_files import read_roles, write_roles
from runoff.tasks.roles.syntax_tools import SyntaxTools, read_raw
from runoff.tasks.roles.tree_sources import read_parses, weighted_trees, with_parses
from runoff.tasks.tagging.bracket_column import bracket_spans
from runoff.tasks.tagging.clause_training import train_clauses
from runoff.tasks.tagging.clauses import clauses_of_parses
from runoff.tasks.tagging.corpus import Column, Corpus
from runoff.tasks.tagging.training import train_tagger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.tasks.tagging.tagger import Tagger


@cache
def tagger(column: str, recipe: str) -> Tagger:
    learner = ChainPerceptron(epochs=3)
    names = {"pos": ["word", "pos"], "chunk": ["word", "pos", "chunk"], "ne": ["word", "pos", "ne"]}[column]
    corpus = tagged_corpus()
    part = Corpus.of({name: corpus[name] for name in names}, corpus.sizes.tolist())
    return train_tagger(part, column, recipe, learner=learner, encoding="none")


@cache
def clause_tagger() -> Any:
    return train_clauses(tagged_corpus(), column="clause")


def words(text: str) -> RoleSentence:
    return RoleSentence(tuple(text.split()))


# ---------------------------------------------------------------- trees


def test_trees_are_found_by_their_words_in_any_order() -> None:
    gold = sentences()
    found = with_trees(bare(gold), [each.tree for each in reversed(gold) if each.tree is not None])
    assert [str(each.tree) for each in found] == [str(each.tree) for each in gold]


def test_equal_sentences_get_their_trees_in_the_order_they_come() -> None:
    trees = [parse_tree("(X (UH oh))"), parse_tree("(INTJ (UH no))"), parse_tree("(Y (UH oh))")]
    notes: list[str] = []
    found = with_trees([words("oh"), words("oh"), words("oh")], trees, notes=notes)
    assert [str(each.tree) for each in found] == ["(X (UH oh))", "(Y (UH oh))", "None"]
    assert notes == [
        "Sentences without a tree: 1 of 3, the first is the sentence 'oh'.",
        "Trees of other sentences were left out: 1.",
    ]


@pytest.mark.parametrize(
    ("written", "parsed", "shown"),
    [
        ("(", "-LRB-", "-LRB-"),
        ("[", "-LSB-", "["),
        ("-LRB-", "-LRB-", "-LRB-"),
        ("caf\u00e9", "cafe", "caf\u00e9"),
        ("\u2019s", "'s", "\u2019s"),
        ("``", '"', "``"),
        ("1/2", "1\\/2", "1/2"),
        ("a b", "a_b", "a_b"),
    ],
)
def test_words_that_parsers_write_in_another_way(written: str, parsed: str, shown: str) -> None:
    (found,) = with_trees([RoleSentence((written,))], [parse_tree(f"(X (NN {parsed}))")])
    assert str(found.tree) == f"(X (NN {shown}))"
    assert found.words == (written,)


def test_a_sentence_without_a_tree_is_left_gets_a_flat_one_or_is_an_error() -> None:
    given = [words("oh"), RoleSentence(("no", "("), pos=("UH", "-LRB-")), RoleSentence(())]
    trees = [parse_tree("(X (UH oh))")]
    notes: list[str] = []
    assert [each.tree is None for each in with_trees(given, trees)] == [False, True, True]
    assert str(with_trees(given, trees, missing="flat", notes=notes)[1].tree) == "(TOP (UH no) (-LRB- -LRB-))"
    assert "they got flat ones" in notes[0]
    with pytest.raises(DataError, match=r"the sentence 'no \(' has no tree; sentences without one: 1 of 2"):
        with_trees(given, trees, missing="error")
    with pytest.raises(UsageError, match="missing must be one of leave, flat, error"):
        with_trees(given, trees, missing="maybe")


@pytest.mark.parametrize("missing", ["leave", "flat", "error"])
def test_trees_of_other_sentences_are_an_error(missing: str) -> None:
    with pytest.raises(DataError, match="none of the 1 tree has the words of a sentence; the first of them has 'oh'"):
        with_trees([words("no")], [parse_tree("(X (UH oh))")], missing=missing)


def test_the_first_of_a_list_is_the_one_with_the_highest_score(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text(
        '{"id": "a", "nbest": [[-2.0, "(S1 (X (UH oh)))"], [-1.0, "(S1 (INTJ (UH oh)))"]]}\n{"id": "b", "nbest": []}\n'
    )
    notes: list[str] = []
    assert [str(tree) for tree in read_parses(path, notes=notes)] == ["(TOP (INTJ (UH oh)))"]
    assert notes == ["Lists of parses without a tree: 1."]


def test_a_reranker_chooses_among_the_parses(tmp_path: Path) -> None:
    # A negative weight of the first round's score: the last becomes the first.
    lists = [ParseList("a", None, [-1.0, -2.0], ["(X (UH oh))", "(INTJ (UH oh))"]), ParseList("b")]
    LinearModel.of({}, base_weight=-1.0).save(tmp_path / "model.runoff")
    assert [[str(each.tree) for each in trees] for trees in weighted_trees(lists, 1, tmp_path / "model.runoff")] == [
        ["(TOP (INTJ (UH oh)))"],
        [],
    ]


def test_several_trees_have_probabilities_by_their_scores_and_are_found_by_words(tmp_path: Path) -> None:
    scores = [-3.0, -1.0, -2.0, -800.0]
    lists = [ParseList("a", None, scores, [f"({label} (UH oh))" for label in "WXYZ"])]
    (trees,) = weighted_trees(lists, 3, temperature=0.5)
    assert [str(each.tree) for each in trees] == [f"(TOP ({label} (UH oh)))" for label in "XYW"]
    weights = [math.exp(score / 0.5) for score in (-1.0, -2.0, -3.0)]  # the definition of a softmax
    assert [each.probability for each in trees] == pytest.approx([each / sum(weights) for each in weights])
    (all_of_them,) = weighted_trees(lists, 9, temperature=0.5)
    assert len(all_of_them) == 4
    assert all_of_them[-1].probability > 0
    LinearModel.of({}, base_weight=-1.0).save(tmp_path / "model.runoff")
    (reranked,) = weighted_trees(lists, 2, tmp_path / "model.runoff")
    assert [str(each.tree) for each in reranked] == ["(TOP (Z (UH oh)))", "(TOP (W (UH oh)))"]
    (sentence,) = with_trees([words("oh")], [trees[::-1]])
    assert str(sentence.tree) == "(TOP (X (UH oh)))"
    assert [str(each.tree) for each in sentence.trees or ()] == [f"(TOP ({label} (UH oh)))" for label in "WYX"]
    with pytest.raises(DataError, match="must be over the same words; found 'no' and 'oh'"):
        with_trees([words("oh")], [[trees[0], trees[0]._replace(tree=parse_tree("(UH no)"))]])
    with pytest.raises(DataError, match="must be over the same words; found none"):
        with_trees([words("oh")], [()])
    for best, temperature, why in ((0, 1.0, "at least 1; found 0"), (1, 0.0, "above 0; found 0"), (1, math.nan, "nan")):
        with pytest.raises(UsageError, match=why):
            list(weighted_trees(lists, best, temperature=temperature))


def test_several_trees_come_back_from_a_file(tmp_path: Path) -> None:
    trees = [WeightedTree(0.25, parse_tree("(X (UH oh))")), WeightedTree(0.75, parse_tree("(INTJ (UH oh))"))]
    (sentence,) = with_trees([words("oh")], [trees])
    path = tmp_path / "a.jsonl"
    write_roles([sentence], path)
    (again,) = read_roles(path)
    assert record_of(again) == record_of(sentence)
    assert again.trees is not None
    assert [each.probability for each in again.trees] == [0.25, 0.75]
    path.write_text(path.read_text().replace('"tree":"(INTJ (UH oh))",', ""))
    assert str(read_roles(path)[0].tree) == "(INTJ (UH oh))"  # the most probable one
    notes: list[str] = []
    write_roles([sentence], tmp_path / "a.conll", notes=notes)
    assert "trees (1 sentence)" in notes[0]
    text = path.read_text()
    for damage in ("0.0", "1.5", "NaN", '"0.25"', "null"):
        path.write_text(text.replace("0.25", damage))
        with pytest.raises(DataError, match="line 1"):
            read_roles(path)
    for damage in ('[[0.5, "(X (UH oh) (UH no))"]]', "[[0.5, null]]", "[[0.5]]", '"(X (UH oh))"', "[0.5]"):
        path.write_text(f'{{"words": ["oh"], "trees": {damage}}}')
        with pytest.raises(DataError, match="line 1"):
            read_roles(path)


def test_a_grammar_gives_several_trees() -> None:
    one = parse_tree("(S (NP (PRP I)) (VP (VBP run)))")
    other = parse_tree("(S (PRP I) (VP (VBP run)))")
    (found,) = with_parses([words("I run")], train_grammar([one] * 5 + [other] * 3), best=2, threads=1)
    assert found.trees is not None
    assert {str(each.tree) for each in found.trees} == {f"(TOP {one})", f"(TOP {other})"}
    assert sum(each.probability for each in found.trees) == pytest.approx(1.0)
    assert str(found.tree) == f"(TOP {one})"


def test_a_grammar_parses_words_with_brackets_and_blanks() -> None:
    trees = [each.tree for each in sentences() if each.tree is not None]
    found = with_parses([*bare(sentences()[:2]), words("( He [ left")], train_grammar(trees), threads=1)
    assert [str(each.tree) for each in found[:2]] == [str(tree) for tree in trees[:2]]
    assert found[2].tree is not None
    assert found[2].tree.words() == ["-LRB-", "He", "[", "left"]


# ---------------------------------------------------------------- tags


def test_tags_come_one_after_the_other() -> None:
    found = with_tags(bare(sentences()), tagger("pos", "pos"), "pos")
    assert {each.pos for each in found} == {POS}
    found = with_tags(found, tagger("chunk", "chunks"), "chunks")
    assert {each.chunks for each in found} == {CHUNKS}
    found = with_tags(found, clause_tagger(), "clauses")
    # The brackets that it was trained on, read by the reader of columns.
    gold = bracket_spans(Corpus.of({"clause": CLAUSES}, [len(CLAUSES)]), "clause")
    spans = tuple(zip(gold.starts.tolist(), gold.stops.tolist(), strict=True))
    assert {each.clauses for each in found} == {spans}
    assert {each.entities for each in with_tags(found, tagger("ne", "entities"), "entities")} == {ENTITIES}


def test_a_tool_says_what_it_needs_first() -> None:
    with pytest.raises(UsageError, match=r"the tagger of base phrases looks at the column 'pos', .* \(--pos\)"):
        with_tags(bare(sentences()), tagger("chunk", "chunks"), "chunks")
    with pytest.raises(UsageError, match=r"the tagger of clauses looks at the column 'chunk', .* \(--chunks\)"):
        with_tags(sentences(), clause_tagger(), "clauses")


@pytest.mark.parametrize(
    ("what", "tags", "message"),
    [
        ("chunks", ("NN", "VBD"), "expected base phrases .*; this tagger gives 'NN', 'VBD'"),
        ("entities", ("(S*", "*S)"), "expected named entities"),
        ("pos", ("B-NP", "I-NP"), "expected parts of speech .*; this tagger gives 'B-NP', 'I-NP'"),
        ("pos", ("(S*", "*S)"), "expected parts of speech"),
        ("clauses", ("B-NP", "O"), "expected clauses"),
    ],
)
def test_tags_of_another_kind_are_refused(what: str, tags: tuple[str, ...], message: str) -> None:
    class Fixed:
        def label(self, corpus: Corpus) -> Column:
            return Column.of(tags * len(corpus))

    with pytest.raises(UsageError, match=message):
        with_tags([words("oh no")], Fixed(), what)


def test_what_is_no_tool_and_what_are_no_tags() -> None:
    with pytest.raises(UsageError, match="expected a tagger for parts of speech"):
        with_tags([words("oh")], "pos.runoff", "pos")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there are no tags 'lemma'"):
        with_tags([words("oh")], tagger("pos", "pos"), "lemma")


def test_clauses_of_trees_are_those_of_the_column_of_brackets() -> None:
    for each in sentences():
        assert each.tree is not None
        corpus = Corpus.of({"parse": column_of_tree(each.tree, len(each.words))}, [len(each.words)])
        spans = clauses_of_parses(corpus, "parse")  # of another room, from brackets
        assert clauses_of_tree(each.tree) == tuple(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True))


def test_clauses_need_trees() -> None:
    notes: list[str] = []
    assert with_tree_clauses([sentences()[0], words("oh")], notes=notes)[1].clauses is None
    assert notes == ["Sentences without a tree, which got no clauses: 1."]
    with pytest.raises(DataError, match="the sentence 'oh' has no tree to take clauses from"):
        with_tree_clauses([words("oh")])


# ---------------------------------------------------------------- tools


def test_tools_add_what_is_missing_and_keep_the_rest(tmp_path: Path) -> None:
    tagger("pos", "pos").save(tmp_path / "pos.runoff")
    tools = SyntaxTools(pos=tmp_path / "pos.runoff", chunks=tagger("chunk", "chunks"))
    odd = RoleSentence(sentences()[1].words, pos=("XX",) * 6)
    notes: list[str] = []
    kept, added = tools.annotate([odd, bare(sentences())[0]], notes=notes)
    assert kept.pos == ("XX",) * 6
    assert added.pos == POS
    assert added.chunks == CHUNKS
    assert notes == ["Sentences that had parts of speech already, which were kept (--replace replaces them): 1."]
    assert SyntaxTools(pos=tmp_path / "pos.runoff", replace=True).annotate([odd])[0].pos == POS


def test_parts_of_speech_come_from_trees_where_there_is_no_tagger(file: Callable[..., Path]) -> None:
    path = file("(TOP (X (UH oh)))\n(TOP (S (VP (VB go))))", "trees.mrg")
    found = SyntaxTools(trees=path, clauses="tree").annotate([words("go"), words("oh")])
    assert [each.pos for each in found] == [("VB",), ("UH",)]
    assert [each.clauses for each in found] == [((0, 1),), ()]


def test_raw_text_is_read_by_lines_rules_or_words(file: Callable[..., Path]) -> None:
    path = file("He left. She didn't.\n\nWe did .\n", "a.txt")
    notes: list[str] = []
    assert [len(each.words) for each in read_raw(path, notes=notes)] == [7, 3]
    assert notes == ["Lines without words were left out: 1."]
    assert [len(each.words) for each in read_raw(path, sentences="rules")] == [3, 4, 3]
    assert [len(each.words) for each in read_raw(path, sentences="words")] == [4, 3]


def test_tools_that_are_none(tmp_path: Path) -> None:
    train_grammar([each.tree for each in sentences() if each.tree is not None]).save(tmp_path / "grammar.runoff")
    tagger("pos", "pos").save(tmp_path / "pos.runoff")
    with pytest.raises(ModelError, match=r"grammar.runoff is not a Runoff tagger"):
        SyntaxTools(pos=tmp_path / "grammar.runoff").annotate([words("oh")])
    with pytest.raises(ModelError, match=r"pos.runoff is not a Runoff grammar"):
        SyntaxTools(trees=tmp_path / "pos.runoff").annotate([words("oh")])
    with pytest.raises(ModelError, match=r"pos.runoff is not a Runoff finder of predicates"):
        SyntaxTools(predicates=tmp_path / "pos.runoff").annotate([words("oh")])
    with pytest.raises(UsageError, match="a reranker chooses among trees"):
        SyntaxTools(reranker="model.runoff")
    with pytest.raises(UsageError, match="missing must be one of"):
        SyntaxTools(missing="never")


# ---------------------------------------------------------------- real data


def test_trees_of_a_parser_fit_nearly_all_real_sentences(shared_data: Path) -> None:
    from runoff.tasks.roles.role_files import read_roles

    pairs = [(path, path.name.removesuffix(".conll.gz")) for path in (shared_data / "roles").glob("*.dev.conll.gz")]
    found = [(path, *(shared_data / "parses").glob(f"{name}.*.jsonl.gz")) for path, name in pairs]
    if not all(len(each) == 2 for each in found) or not found:
        pytest.skip("there are no sentences with roles that have lists of parses")
    for path, lists in found:
        gold = read_roles(path)
        parsed = with_trees(gold, read_parses(lists))
        assert sum(each.tree is None for each in parsed) < 0.01 * len(gold)
        for one, other in zip(gold, parsed, strict=True):
            assert one.tree is not None
            assert other.tree is None or other.tree.words() == one.tree.words()
