from __future__ import annotations

import re

import pytest

from runoff.errors import DataError, UsageError
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.lexicons import LexiconColumn, read_lexicon
from runoff.tasks.tagging.recipes import RECIPES, tagger_recipe
from runoff.tasks.tagging.templates import Atom, Templates


def test_lines_are_atoms_conjunctions_and_tags():
    templates = Templates.parse(
        "word[-1]  pos[0]\n# a comment\n\nsuffix[1,3]\ntag[-1] tag[-2] lower[0]\nprefix(pos)[0,1]\n"
    )
    one, two, three, four = templates.templates
    assert one.atoms == (Atom("word", "", 0, -1), Atom("pos", "", 0, 0))
    assert two.atoms == (Atom("word", "suffix", 3, 1),)
    assert (three.history, three.atoms) == (3, (Atom("word", "lower", 0, 0),))
    assert four.atoms == (Atom("pos", "prefix", 1, 0),)
    assert Templates.parse("\n".join(templates.lines)) == templates
    assert templates.columns == ["word", "pos"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("word[0]\nword[zero]", "mine.txt, line 2: expected an atom such as"),
        ("suffix[0]", "line 1: expected suffix[0,3], found 'suffix[0]'"),
        ("word[0,3]", "line 1: expected word[0], found 'word[0,3]'"),
        ("prefix[0,0]", "line 1: expected prefix[0,3]"),
        ("tag[0]", "line 1: expected tag[-1] or tag[-2], found 'tag[0]'"),
        ("roman(word)[0]", "line 1: there is no function 'roman'; there are: lower"),
        ("word[99]", "line 1: expected a distance of at most 50"),
        ("word[0]\nword[0]", "line 2: the template 'word[0]' comes twice"),
        ("# nothing", "mine.txt: there is no template"),
        ("gazetteer places", "line 1: expected `gazetteer NAME FILE`"),
        ("gazetteer places nowhere.txt", "nowhere.txt cannot be read: no such file"),
    ],
)
def test_mistakes_are_told_with_their_line(lines, message):
    with pytest.raises((DataError, UsageError), match=re.escape(message)):
        Templates.parse(lines, path="mine.txt")


def test_lexicons_are_read_beside_the_templates(tmp_path):
    (tmp_path / "places.txt").write_text("New York\tcity\nYork\tcity\n\nthe Bay\n", encoding="utf-8")
    (tmp_path / "clusters.txt").write_text("dog\t0110\ncat\t0111\n", encoding="utf-8")
    path = tmp_path / "a.templates"
    path.write_text(
        "gazetteer place places.txt\nclusters brown clusters.txt\nplace[0]\nprefix(brown)[0,2]\n", encoding="utf-8"
    )
    templates = Templates.read(path)
    place, brown = templates.lexicons
    corpus = Corpus.of({"word": ["York", "New", "York", "dog", "the", "Bay"]}, sizes=[2, 4])
    # A phrase does not go over the end of a sentence.
    assert place.column(corpus).texts() == ["B-city", "", "B-city", "", "B-place", "I-place"]
    assert brown.column(corpus).texts() == ["", "", "", "0110", "", ""]
    assert templates.columns == ["word"]
    with pytest.raises(DataError, match=r"no template looks at the gazetteer 'place'; add a line place\[0\]"):
        Templates.parse("word[0]\ngazetteer place places.txt", path=path)


def test_a_lexicon_tells_what_is_wrong_with_a_line(tmp_path):
    path = tmp_path / "clusters.txt"
    path.write_text("dog\t01\ntwo words\t01\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"clusters.txt, line 2: expected a word, a tab and a value"):
        read_lexicon(path, "brown", "clusters")
    with pytest.raises(UsageError, match="no kind of lexicon"):
        LexiconColumn("a", "thesaurus", {})


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_have_templates_and_a_learner_that_can_be_cloned(name):
    recipe = tagger_recipe(name)
    recipe.learner.check_params()
    assert "tag[-1]" in recipe.templates.lines
    assert ("chunk" in recipe.templates.columns) == (name == "clauses")


def test_an_unknown_recipe_is_told():
    with pytest.raises(UsageError, match="there is no recipe 'verbs'; there are: pos, chunks, clauses, entities"):
        tagger_recipe("verbs")
