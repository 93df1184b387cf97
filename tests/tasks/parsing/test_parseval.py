"""PARSEVAL of trees: hand-made cases for every rule.

The numbers were worked out by the rules of EVALB's README (sections 4 to 7) and, where that is silent, by
what its source does; each comment says how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.metric import COLUMNS
from runoff.tasks.parsing.parseval import judge, notes

if TYPE_CHECKING:
    from runoff.tasks.parsing.trees import Tree

LEFT_OUT = [0] * 10
# matched, gold, test, crossing, without, up to two, exact, right tags, tagged words, sentences


def rows(gold: str, *candidates: str) -> tuple[list[list[int]], list[list[int]]]:
    """Statistics by `evalb` and by `parseval`."""
    forest = Forest()
    found = judge(forest.tree(gold), [forest.tree(text) for text in candidates])
    return found.evalb.astype(int).tolist(), found.parseval.astype(int).tolist()


def both(gold: str, candidate: str) -> list[int]:
    """Statistics where both variants must agree."""
    (strict,), (robust,) = rows(gold, candidate)
    assert strict == robust
    return strict


def test_the_same_tree_is_a_complete_match() -> None:
    # S, NP, VP, NP; three words without the full stop.
    text = "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (PRP her))) (. .)))"
    assert both(text, text) == [4, 4, 4, 0, 1, 1, 1, 3, 3, 1]


def test_example_of_the_readme() -> None:
    # The tree is that of section 5 of EVALB's README. Section 4 prints for a sentence: length 8, recall and precision
    # 100.00, brackets 5 5 5, crossing 0, words 6, tags 5 (83.33), which is this one with one wrong tag.
    gold = "(TOP (S (INTJ (RB No)) (, ,) (NP (PRP it)) (VP (VBD was) (RB n't) (NP (NNP Black) (NNP Monday))) (. .)))"
    assert both(gold, gold.replace("INTJ (RB", "INTJ (UH")) == [5, 5, 5, 0, 1, 1, 1, 5, 6, 1]
    assert judge(parse_tree(gold), []).length == 8


@pytest.mark.parametrize("root", ["TOP", "S1", "ROOT", "", "TOP-1", "S1=2"])
def test_a_root_of_any_name_does_not_count(root: str) -> None:
    assert both(f"({root} (NP (NN a)))", "(NP (NN a))") == [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]


def test_several_roots_are_all_deleted() -> None:
    assert both("( (ROOT (TOP (NP (NN a)))))", "(S1 (NP (NN a)))") == [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("tag", [",", ":", "``", "''", ".", "-NONE-"])
def test_deleted_labels_take_words_with_them_but_only_brackets_of_constituents(tag: str) -> None:
    # As a tag: b goes, so that NP is over a alone. As a label of a constituent: the brackets go and b stays.
    gold = f"(S (NP (NN a) ({tag} b)) (VP (VB c)))"
    assert both(gold, gold) == [3, 3, 3, 0, 1, 1, 1, 2, 2, 1]
    if tag != "-NONE-":
        spliced = f"(S (NP (NN a) ({tag} (NN b))) (VP (VB c)))"
        assert both(spliced, "(S (NP (NN a) (NN b)) (VP (VB c)))") == [3, 3, 3, 0, 1, 1, 1, 3, 3, 1]


@pytest.mark.parametrize("tag", ["-LRB-", "-RRB-", "$", "#", "HYPH", "?"])
def test_other_punctuation_stays(tag: str) -> None:
    assert both(f"(S (NN a) ({tag} b))", f"(S (NN a) ({tag} b))")[7:9] == [2, 2]


def test_particles_are_adverbs_also_as_tags() -> None:
    # PRT equals ADVP in either direction; the tag PRT equals the tag ADVP because the program compares all labels so.
    gold = "(VP (PRT (PRT up)) (ADVP (RB now)))"
    assert both(gold, "(VP (ADVP (ADVP up)) (PRT (RB now)))") == [3, 3, 3, 0, 1, 1, 1, 2, 2, 1]


def test_function_tags_are_cut_off_constituents_and_not_off_tags() -> None:
    # NP-SBJ-1 and NP=2 are NP, on both sides. Of two tags NN-X and VB only VB is right.
    gold = "(S (NP-SBJ-1 (NN-X a)) (VP (VB b) (NP=2 (NN c))))"
    assert both(gold, "(S-TPC (NP=3 (NN a)) (VP-X (VB b) (NP (NN c))))") == [4, 4, 4, 0, 1, 1, 1, 2, 3, 1]


def test_labels_that_the_program_treats_in_its_own_way() -> None:
    # Cut at the first dash, nothing is left of -LRB- and of -NONE-: two constituents with the empty label, which
    # count and are equal. A bar cuts nothing off: ADVP|PRT is not ADVP.
    assert both("(S (-LRB- (NN a) (NN b)) (NN c))", "(S (-NONE- (NN a) (NN b)) (NN c))")[:3] == [2, 2, 2]
    assert both("(S (ADVP|PRT (RB a)) (NN c))", "(S (ADVP (RB a)) (NN c))")[:3] == [1, 2, 2]


def test_a_constituent_without_words_does_not_count() -> None:
    # Gold: S, VP (the NP over the trace, and PRN over punctuation, are empty). Candidate: S, VP and the same.
    gold = "(S (NP-SBJ (-NONE- *)) (PRN (, ,)) (VP (VB go)))"
    assert both(gold, "(S (PRN (, ,)) (VP (VB go)))") == [2, 2, 2, 0, 1, 1, 1, 1, 1, 1]


def test_candidates_may_have_traces_too() -> None:
    gold = "(S (NP (NN a)) (VP (VB b) (NP (NN c))))"
    candidate = "(S (NP (-NONE- 0)) (NP (NN a)) (VP (VB b) (-NONE- *T*) (NP (NN c))))"
    assert both(gold, candidate) == [4, 4, 4, 0, 1, 1, 1, 3, 3, 1]


def test_equal_constituents_are_matched_one_to_one() -> None:
    # README section 7.5: n in gold and m in the candidate match min(n, m) times.
    one, two, three = "(NP (NN a))", "(NP (NP (NN a)))", "(NP (NP (NP (NN a))))"
    assert both(one, three) == [1, 1, 3, 0, 1, 1, 0, 1, 1, 1]
    assert both(three, two) == [2, 3, 2, 0, 1, 1, 0, 1, 1, 1]
    assert both(two, two) == [2, 2, 2, 0, 1, 1, 1, 1, 1, 1]
    # Between others, and where only punctuation is between them: (NP (NP a) ,) is twice the same span.
    assert both("(NP (S (NP (NN a))))", "(NP (NP (NN a)))")[:3] == [2, 3, 2]
    assert both("(NP (NP (NN a)) (, ,))", "(NP (NP (NN a) (, ,)))")[:3] == [2, 2, 2]
    # A deleted bracket between two equal ones does not separate them: one of gold matches one of two.
    assert both("(NP (NN a) (NN b))", "(NP (TOP (NP (NN a) (NN b))))")[:3] == [1, 1, 2]


def test_crossing_constituents_of_the_candidate_are_counted_once_each() -> None:
    # Gold: S 0-4, VP 1-4, NP 2-4. Candidate: S 0-4; X 0-3 crosses VP and NP but counts once; Y 0-3 over the same
    # words counts again; Z 0-2 crosses VP.
    gold = "(S (NN a) (VP (VB b) (NP (DT c) (NN d))))"
    assert both(gold, "(S (X (Y (Z (NN a) (VB b)) (DT c))) (NN d))") == [1, 3, 4, 3, 0, 0, 0, 4, 4, 1]
    assert both(gold, "(S (X (Z (NN a) (VB b)) (DT c)) (NN d))") == [1, 3, 3, 2, 0, 1, 0, 4, 4, 1]
    # Inside, beside and around are no crossings, and neither is a deleted gold bracket crossed.
    assert both(gold, "(S (NN a) (VB b) (NP (DT c)) (NN d))")[3:6] == [0, 1, 1]
    assert both("(S (NN a) (TOP (VB b) (NN c)))", "(S (X (NN a) (VB b)) (NN c))")[3:6] == [0, 1, 1]
    # Punctuation does not make a crossing: X is over a, the comma and b, and without the comma 0-2 as in gold.
    assert both("(S (X (NN a) (, ,) (NN b)) (NN c))", "(S (Y (NN a) (, ,) (NN b)) (NN c))")[3] == 0


def test_exact_needs_every_constituent_but_no_tag() -> None:
    gold = "(S (NP (NN a)) (VP (VB b)))"
    assert both(gold, "(S (NP (JJ a)) (VP (NN b)))") == [3, 3, 3, 0, 1, 1, 1, 0, 2, 1]
    assert both(gold, "(S (NP (NN a)) (VB b))") == [2, 3, 2, 0, 1, 1, 0, 2, 2, 1]
    assert both(gold, "(S (NP (NN a)) (VP (X (VB b))))") == [3, 3, 4, 0, 1, 1, 0, 2, 2, 1]


def test_without_constituents_there_is_a_complete_match() -> None:
    # 0 gold == 0 test == 0 matched, which is how the program asks.
    assert both("(TOP (UH oh))", "(S1 (UH oh))") == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_retagged_punctuation_is_an_error_only_for_evalb() -> None:
    # Gold keeps a b; the candidate calls the full stop a symbol and keeps a b . : lengths 2 and 3 do not match.
    # By gold tags: S and NP, both right; tags of a and b.
    gold = "(S (NP (NN a)) (VB b) (. .))"
    strict, robust = rows(gold, "(S (NP (NN a)) (VB b) (SYM .))", "(S (NP (NN a)) (, b) (. .))")
    assert strict == [LEFT_OUT, LEFT_OUT]
    assert robust == [[2, 2, 2, 0, 1, 1, 1, 2, 2, 1], [2, 2, 2, 0, 1, 1, 1, 1, 2, 1]]


def test_retagging_twice_shifts_words() -> None:
    # The candidate deletes a instead of the quote, and keeps as many words: "x b" against "a b" is words unmatch.
    strict, robust = rows("(S (NN a) (`` x) (NN b))", "(S (`` a) (NN x) (NN b))")
    assert strict == [LEFT_OUT]
    assert robust == [[1, 1, 1, 0, 1, 1, 1, 1, 2, 1]]
    # With the same word at both places the program sees no error, and counts over the candidate's own words:
    # gold NP is 0-1 (the first '), candidate's NP (the second ') is 0-1 too.
    strict, robust = rows("(S (NP (POS ')) ('' ') (NN b))", "(S ('' ') (NP (POS ')) (NN b))")
    assert strict == [[2, 2, 2, 0, 1, 1, 1, 2, 2, 1]]
    # By gold tags the second ' is dropped, so that the candidate's NP is empty and its first ' has the wrong tag.
    assert robust == [[1, 2, 1, 0, 1, 1, 0, 1, 2, 1]]


def test_other_words_are_an_error_only_for_evalb() -> None:
    # The words that stay are compared; those that go are not.
    strict, robust = rows("(S (NN a) (. .))", "(S (NN b) (. .))", "(S (NN a) (. !))")
    assert strict == [LEFT_OUT, [1, 1, 1, 0, 1, 1, 1, 1, 1, 1]]
    assert robust == [[1, 1, 1, 0, 1, 1, 1, 1, 1, 1]] * 2


def test_another_number_of_words() -> None:
    # Two words against three: nothing is right; the candidate's own S, NP, VP count, as constituents that are
    # nowhere right and so cross. EVALB: length unmatch.
    gold = "(S (NP (NN a)) (VP (VB b) (NN c)))"
    forest = Forest()
    found = judge(forest.tree(gold), [forest.tree("(S (NP (NN a)) (VP (VB b)))"), forest.tree(gold)])
    assert found.parseval.astype(int).tolist() == [[0, 3, 3, 3, 0, 0, 0, 0, 3, 1], [3, 3, 3, 0, 1, 1, 1, 3, 3, 1]]
    assert found.evalb.astype(int).tolist() == [LEFT_OUT, [3, 3, 3, 0, 1, 1, 1, 3, 3, 1]]
    assert (found.misfits, found.left_out) == (1, 1)


def test_lost_punctuation_is_no_error_for_evalb() -> None:
    # The program compares what is left: a and b on both sides. By gold tags there are three words against two.
    strict, robust = rows("(S (NP (NN a)) (VB b) (. .))", "(S (NP (NN a)) (VB b))")
    assert strict == [[2, 2, 2, 0, 1, 1, 1, 2, 2, 1]]
    assert robust == [[0, 2, 2, 2, 0, 0, 0, 0, 2, 1]]


def test_a_candidate_without_words_is_skipped_by_evalb() -> None:
    # wn2 = 0 is looked at before lengths, so that even two trees of punctuation are skipped.
    strict, robust = rows("(S (. .))", "(S (. .))", "(S (-NONE- *))", "(S (NN .))")
    assert strict == [LEFT_OUT] * 3
    assert robust[0] == [0, 0, 0, 0, 1, 1, 1, 0, 0, 1]
    assert robust[1] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]  # no word against one


def test_gold_of_traces_alone() -> None:
    found = judge(parse_tree("(S (-NONE- *))"), [parse_tree("(S (NN a))"), parse_tree("(S (-NONE- *))")])
    assert found.length == 0
    assert found.evalb.sum() == 0
    assert found.parseval.astype(int).tolist() == [[0, 0, 1, 1, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 0, 0, 1]]


def test_part_of_a_tree_may_be_a_candidate() -> None:
    whole = parse_tree("(S (NN x) (NP (NN a) (NN b)))")
    assert judge(parse_tree("(NP (NN a) (NN b))"), [whole.children[1]]).evalb[0].tolist() == [
        *(1, 1, 1, 0, 1, 1, 1, 2, 2, 1)
    ]


def test_deepest_trees() -> None:
    deep = parse_tree("(X " * 398 + "(NN a)" + ")" * 398)
    assert judge(deep, [deep]).evalb[0, :3].tolist() == [398, 398, 398]


def test_cut_off_looks_at_gold_words_with_punctuation_and_without_traces() -> None:
    # 40 words of which one is a full stop, and a trace: within the cut-off. One more word is beyond it.
    def sentence(words: int) -> Tree:
        return parse_tree(f"(S (NP (-NONE- *)) {'(NN a) ' * words}(. .))")

    short, long = (judge(tree, [tree]) for tree in (sentence(39), sentence(40)))
    assert (short.length, long.length) == (40, 41)
    assert set(short.stats()) == {"parseval", "parseval@40", "evalb", "evalb@40"}
    assert short.stats()["evalb@40"].tolist() == short.evalb.tolist()
    assert long.stats()["evalb"].sum() > 0
    assert long.stats()["evalb@40"].tolist() == long.stats()["parseval@40"].tolist() == [LEFT_OUT]
    assert long.stats([41])["parseval@41"].tolist() == long.parseval.tolist()


def test_no_candidates() -> None:
    found = judge(parse_tree("(NN a)"), [])
    assert found.evalb.shape == found.parseval.shape == (0, len(COLUMNS))
    assert (found.misfits, found.left_out) == (0, 0)


def test_notes() -> None:
    assert notes(0, 0, 5) == []
    counted, left_out = notes(1200, 1300, 5000)
    assert counted.startswith("1,200 of 5,000 candidates differ from the gold tree in the number of words;")
    assert left_out.startswith("EVALB leaves out 1,300 of 5,000 candidates: without punctuation, their words differ")
