from __future__ import annotations

import itertools
import sys
import types

import numpy as np
import pytest

from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import BoostedChain, ChainCRF, ChainPerceptron, GreedyChain
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.lexicons import LexiconColumn
from runoff.tasks.tagging.schemes import phrases
from runoff.tasks.tagging.tag_sources import SpacyTags, StanzaTags, TagSource
from runoff.tasks.tagging.tagger_file import load_tagger
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.training import train_tagger

LINES = "word[0]\nword[-1]\nsuffix[0,2]\nword[-1] word[0]\ntag[-1]\ntag[-1] word[0]"
LEARNERS = {
    "perceptron": ChainPerceptron(epochs=4),
    "crf": ChainCRF(max_iter=30),
    "greedy": GreedyChain(kind="logistic", epochs=4, beam=2),
    "trees": BoostedChain(rounds=5, depth=2),
}


def names_corpus(seed=0, n=60):
    """Names of people and places in little sentences, as spans."""
    rng = np.random.default_rng(seed)
    words, tags, sizes = [], [], []
    for _ in range(n):
        person = [["Ann"], ["Bob", "Lee"]][rng.integers(2)]
        place = [["Rome"], ["New", "York"]][rng.integers(2)]
        verb = ["saw", "likes", "left"][rng.integers(3)]
        words += [*person, verb, *place]
        tags += [*["B-PER", "I-PER"][: len(person)], "O", *["B-LOC", "I-LOC"][: len(place)]]
        sizes.append(len(person) + 1 + len(place))
    return Corpus.of({"word": words, "entity": tags}, sizes)


def trained(name="crf", **options):
    return train_tagger(names_corpus(), "entity", templates=Templates.parse(LINES), learner=LEARNERS[name], **options)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tags_saves_and_loads_to_the_same_bits(name, tmp_path):
    tagger, test = trained(name), names_corpus(1)
    found = tagger.label(test)
    assert found.texts() == test["entity"].texts()
    tagger.save(tmp_path / "a.tagger")
    again = load_tagger(tmp_path / "a.tagger")
    assert again.label(test).texts() == found.texts()
    assert again.provenance == tagger.provenance
    again.save(tmp_path / "b.tagger")
    assert (tmp_path / "a.tagger").read_bytes() == (tmp_path / "b.tagger").read_bytes()
    if name == "crf":
        assert np.array_equal(again.marginals(test), tagger.marginals(test))
        assert again.nbest(test, 5) == tagger.nbest(test, 5)


def test_unknown_words_unknown_tags_and_empty_sentences():
    tagger = trained()
    odd = Corpus.of({"word": ["Zoë", "Ann", "123"]}, sizes=[0, 3, 0])
    assert len(tagger.label(odd)) == 3
    lists = tagger.nbest(odd, 3)
    assert (lists.tags[0], lists.scores[0]) == ([[]], [0.0])
    assert len(lists.tags[1]) == 3
    np.testing.assert_allclose(tagger.marginals(odd).sum(1), 1.0)
    none = Corpus.of({"word": []}, sizes=[])
    assert len(tagger.label(none)) == 0
    assert tagger.nbest(none, 2).tags == []
    # Dev data with a tag that training has not seen counts it as wrong.
    dev = Corpus.of({"word": ["Ann"], "entity": ["B-DOG"]}, sizes=[1])
    assert trained("perceptron", dev=dev).label(dev).texts() != ["B-DOG"]


def test_nbest_are_log_probabilities_and_agree_with_marginals():
    tagger, one = trained(), names_corpus(1)[0]
    lists = tagger.nbest(one, 10_000)
    chances = np.exp(lists.scores[0])
    assert chances.sum() == pytest.approx(1.0)
    expected = np.zeros((one.n_tokens, len(tagger.tags)))
    for tags, chance in zip(lists.tags[0], chances, strict=True):
        for token, tag in enumerate(tags):
            expected[token, tagger.tags.index(tag)] += chance
    np.testing.assert_allclose(tagger.marginals(one), expected, atol=1e-9)
    assert lists.tags[0][0] == tagger.label(one).texts()


def test_given_tags_legal_pairs_and_the_dictionary_are_kept(tmp_path):
    tagger = trained(legal="seen", dictionary=3)
    corpus = Corpus.of({"word": ["Ann", "saw", "Rome"]}, sizes=[3])
    assert tagger.label(corpus, given=["B-LOC", None, None]).texts()[0] == "B-LOC"
    tagger.save(tmp_path / "a.tagger")
    again = load_tagger(tmp_path / "a.tagger")
    assert again.words == tagger.words
    everything = again.nbest(Corpus.of({"word": ["Zoë", "saw", "Oz"]}, sizes=[3]), 1_000).tags[0]
    seen = {("B-PER", "I-PER"), ("B-PER", "O"), ("I-PER", "O"), ("O", "B-LOC"), ("B-LOC", "I-LOC")}
    assert {pair for tags in everything for pair in itertools.pairwise(tags)} <= seen
    assert {tags[1] for tags in everything} == {"O"}  # a frequent word
    with pytest.raises(UsageError, match="knows no tag 'B-DOG'"):
        tagger.label(corpus, given=["B-DOG", None, None])
    with pytest.raises(UsageError, match="2 given tags for 3 tokens"):
        tagger.label(corpus, given=["O", None])
    # What is given stays, also where no legal tagging has it; other sentences keep to what is legal.
    two = Corpus.of({"word": ["Ann", "saw", "Rome"] * 2}, sizes=[3, 3])
    assert tagger.label(two, given=["I-PER", *[None] * 5]).texts() == ["I-PER", "O", "B-LOC", "B-PER", "O", "B-LOC"]


def test_decoding_by_phrases():
    tagger, test = trained(), names_corpus(1)
    assert (tagger.decoding, trained("perceptron").decoding) == ("spans", "best")
    for decoding in ("best", "spans", "f1"):
        assert tagger.label(test, decoding=decoding).texts() == test["entity"].texts()
    pos = train_tagger(Corpus.of({"word": ["a", "b"], "pos": ["X", "Y"]}, sizes=[2]), "pos", "pos")
    with pytest.raises(UsageError, match="these tags are no spans"):
        pos.label(test, decoding="spans")
    with pytest.raises(ModelError, match="no probabilities"):
        trained("perceptron").label(test, decoding="spans")
    with pytest.raises(UsageError, match="there is no decoding 'fast'; there are: best, spans, f1"):
        tagger.label(test, decoding="fast")


@pytest.mark.parametrize("encoding", ["none", "bioes"])
def test_the_usual_decoding_has_the_fewest_expected_errors_of_all_taggings(encoding):
    words = ["Ann", "Rome", "Lee", "Ann", "saw", "Oslo", "Bob", "Bob", "Rome", "in", "Lee", "Rome"]
    unsure = {"templates": Templates.parse("suffix[0,1]\ntag[-1]"), "learner": ChainCRF(sigma=0.5)}
    tagger = train_tagger(names_corpus(), "entity", encoding=encoding, **unsure)
    corpus = Corpus.of({"word": words}, sizes=[4, 5, 3])
    found = iter(tagger.label(corpus).texts())
    differ = 0
    for sentence in (corpus[at] for at in range(3)):
        lists = tagger.nbest(sentence, 10_000)  # all taggings there are
        each, chances = [_phrases(tags) for tags in lists.tags[0]], np.exp(lists.scores[0])
        assert chances.sum() == pytest.approx(1.0)
        sure = {}
        for one, chance in zip(each, chances, strict=True):
            for phrase in one:
                sure[phrase] = sure.get(phrase, 0.0) + chance
        errors = [sum(1 - 2 * sure[phrase] for phrase in one) for one in each]  # less those of no phrase at all
        tags = [next(found) for _ in range(sentence.n_tokens)]
        assert sum(1 - 2 * sure[phrase] for phrase in _phrases(tags)) == pytest.approx(min(errors))
        differ += tags != tagger.label(sentence, decoding="best").texts()
        assert tags == tagger.label(sentence).texts()  # whatever the others are
    assert differ


def _phrases(tags):
    corpus = Corpus.of({"tag": tags}, [len(tags)])
    return {(span.start, span.stop, span.label) for span in phrases(corpus).of(corpus.offsets)}


@pytest.mark.parametrize("name", ["perceptron", "crf", "greedy"])
def test_an_explanation_adds_up_to_the_lead_of_the_tagging(name):
    tagger, one = trained(name), names_corpus(1)[0]
    told = tagger.explain(one, 1)
    assert told.tag == tagger.label(one).texts()[1]
    lead = sum(first - second for _, first, second in told.rows)
    if name == "perceptron":  # the score of the whole tagging with one tag changed
        tags = tagger.label(one).texts()
        other = [*tags[:1], told.against, *tags[2:]]
        lists = tagger.nbest(one, 10_000)
        scores = {tuple(each): score for each, score in zip(lists.tags[0], lists.scores[0], strict=True)}
        assert lead == pytest.approx(scores[tuple(tags)] - scores[tuple(other)])
    assert "sum" in str(told)
    with pytest.raises(UsageError, match="no token 99"):
        tagger.explain(one, 99)


def test_tags_that_say_where_spans_end_stay_inside(tmp_path):
    tagger, test = trained(encoding="bioes"), names_corpus(1)
    assert "S-PER" in tagger.states
    assert set(tagger.tags) == {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}
    for decoding in ("best", "spans", "f1"):
        assert tagger.label(test, decoding=decoding).texts() == test["entity"].texts()
    tagger.save(tmp_path / "a.tagger")
    again = load_tagger(tmp_path / "a.tagger")
    assert again.label(test).texts() == test["entity"].texts()
    one = test[0]
    lists = again.nbest(one, 10_000)
    assert len({tuple(tags) for tags in lists.tags[0]}) == len(lists.tags[0])  # every tagging comes once
    chances = np.exp(lists.scores[0])
    assert chances.sum() == pytest.approx(1.0)
    expected = np.zeros((one.n_tokens, len(again.tags)))
    for tags, chance in zip(lists.tags[0], chances, strict=True):
        for token, tag in enumerate(tags):
            expected[token, again.tags.index(tag)] += chance
    np.testing.assert_allclose(again.marginals(one), expected, atol=1e-9)
    given: list[str | None] = [None] * one.n_tokens
    given[0] = "B-LOC"
    assert again.label(one, given=given).texts()[0] == "B-LOC"
    assert trained("perceptron", encoding="bioes", dev=test).label(test).texts() == test["entity"].texts()
    no_spans = Corpus.of({"word": ["a", "b"], "pos": ["D", "N"], "class": ["X", "Y"]}, sizes=[2])
    with pytest.raises(UsageError, match="only tags that are spans"):
        train_tagger(no_spans, "class", "pos", encoding="bioes")
    assert train_tagger(no_spans, "class", "chunks").encoding == "none"  # what a recipe asks for where it can be


def test_lexicons_travel_in_the_file(tmp_path):
    people = LexiconColumn("people", "gazetteer", {"Ann": "P", "Bob Lee": "P"})
    templates = Templates.parse("word[0]\ntag[-1]").with_lexicons([people], "people[0]")
    tagger = train_tagger(names_corpus(), "entity", templates=templates, learner=ChainPerceptron(epochs=3))
    tagger.save(tmp_path / "a.tagger")
    again = load_tagger(tmp_path / "a.tagger")
    assert again.features.templates == tagger.features.templates
    assert "people[0]=B-P" in again.features.names


def test_training_tells_what_it_cannot_do():
    with pytest.raises(UsageError, match="needs a recipe"):
        train_tagger(names_corpus(), "entity")
    with pytest.raises(UsageError, match="which is to be found"):
        train_tagger(names_corpus(), "entity", templates=Templates.parse("entity[0]"), learner=ChainCRF())
    with pytest.raises(UsageError, match="no column 'pos'"):
        train_tagger(names_corpus(), "pos", "pos")
    with pytest.raises(DataError, match="no tokens"):
        train_tagger(Corpus.of({"word": [], "pos": []}, sizes=[]), "pos", "pos")
    with pytest.raises(ModelError, match="from left to right"):
        trained("greedy").nbest(names_corpus(), 2)


def test_pipelines_of_others_are_sources_of_tags(monkeypatch):
    class Doc(list):
        def __init__(self, vocab, words):
            assert vocab == "en"
            super().__init__(
                types.SimpleNamespace(tag_=word[0].upper(), ent_iob_="B", ent_type_="X" if word == "Ann" else "")
                for word in words
            )

    spacy = types.ModuleType("spacy")
    spacy.tokens = types.SimpleNamespace(Doc=Doc)
    spacy.load = lambda name: types.SimpleNamespace(vocab=name, pipe=list)
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    corpus = Corpus.of({"word": ["Ann", "sleeps", "so"]}, sizes=[2, 0, 1])
    assert SpacyTags("en", "pos").label(corpus).texts() == ["A", "S", "S"]
    assert SpacyTags("en", "entities").label(corpus).texts() == ["B-X", "O", "O"]

    def pipeline(sentences):
        tokens = [
            [types.SimpleNamespace(words=[types.SimpleNamespace(xpos=word[-1])]) for word in one] for one in sentences
        ]
        return types.SimpleNamespace(sentences=[types.SimpleNamespace(tokens=each) for each in tokens])

    assert StanzaTags(pipeline).label(corpus).texts() == ["n", "s", "o"]
    assert isinstance(StanzaTags(pipeline), TagSource)
    assert isinstance(trained(), TagSource)
    with pytest.raises(DataError, match="it must not change the words"):
        StanzaTags(lambda sentences: pipeline(sentences[:1])).label(corpus)
    with pytest.raises(UsageError, match="no tags 'mood'"):
        SpacyTags("en", "mood")


@pytest.mark.parametrize(("kind", "name"), [(SpacyTags, "spacy"), (StanzaTags, "stanza")])
def test_a_pipeline_that_is_not_installed_names_the_install_line(kind, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=f"{name} is not installed; install it with `pip install {name}`"):
        kind("en")
