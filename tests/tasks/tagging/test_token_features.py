"""Features of tokens against a slow version that makes their names one by one."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from runoff.errors import UsageError
from runoff.tasks.tagging.atoms import atom_values
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.token_features import TokenFeatures

LINES = """
word[0]
word[-2]
suffix[0,2]
capital[0]
word[-1] word[1]
pos[-1] pos[0] suffix[1,2]
tag[-1]
tag[-1] word[0]
tag[-1] tag[-2]
"""


def random_corpus(seed, n=40):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 7, n).tolist()
    words = rng.choice(["a", "Bob", "walks", "talks", "Ann", "é", "NY"], sum(sizes)).tolist()
    return Corpus.of({"word": words, "pos": [word[0] for word in words]}, sizes)


def slow_names(corpus, templates):
    """Names of the features of every token, by the definition."""
    texts = {name: column.texts() for name, column in corpus.columns.items()}
    found = []
    for first, last in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        for token in range(first, last):
            names = []
            for template in templates.templates:
                told = [f"tag[-{back}]" for back in (1, 2) if template.history & back]
                for atom in template.atoms:
                    at = token + atom.offset
                    value = "<before>" if at < first else "<after>" if at >= last else None
                    if value is None:
                        value = atom_values(atom.function, atom.length, [texts[atom.column][at]])[0]
                    if value is None:
                        break
                    told.append(f"{atom}={value}")
                else:
                    names.append((template.history > 0, " ".join(told)))
            found.append(names)
    return found


@pytest.mark.parametrize("min_count", [1, 3])
def test_features_are_those_of_the_slow_version_on_new_text_too(min_count):
    templates = Templates.parse(LINES)
    train, test = random_corpus(0), random_corpus(1)
    features = TokenFeatures.fit(train, templates, min_count=min_count)
    counts = Counter(name for names in slow_names(train, templates) for name in names)
    known = {name for name, count in counts.items() if count >= min_count}
    assert {(False, name) for name in features.names} | {(True, name) for name in features.history_names} == known
    for corpus in (train, test):
        data = features.transform(corpus)
        for token, names in enumerate(slow_names(corpus, templates)):
            own = data.features[data.indptr[token] : data.indptr[token + 1]].tolist()
            joined = data.history[data.history_indptr[token] : data.history_indptr[token + 1]].tolist()
            told = {(False, features.name(each)) for each in own}
            told |= {(True, features.name(each, history=True)) for each in joined}
            assert told == {each for each in names if each in known and each[1] != "tag[-1]"}
    assert data.transitions


def test_numbers_are_those_of_the_names():
    features = TokenFeatures.fit(random_corpus(0), Templates.parse(LINES))
    assert [features.name(number) for number in range(features.n_features)] == features.names
    assert len(features.modes) == len(features.history_names)
    with pytest.raises(UsageError, match="no feature"):
        features.name(features.n_features)


def test_many_conjunctions_are_counted_over_several_sizes_of_the_table():
    words = [f"w{at % 9_001}" for at in range(20_000)]
    features = TokenFeatures.fit(Corpus.of({"word": words}, sizes=[20_000]), Templates.parse("word[0] word[1]"))
    assert features.n_features == len({*itertools.pairwise(words)}) + 1  # and the last one with <after>


def test_a_column_that_is_not_there_is_told():
    with pytest.raises(UsageError, match="the templates look at the column 'chunk', and the sentences have none"):
        TokenFeatures.fit(random_corpus(0), Templates.parse("chunk[0]"))


def test_a_corpus_without_tokens_has_no_features():
    features = TokenFeatures.fit(random_corpus(0), Templates.parse(LINES))
    data = features.transform(Corpus.of({"word": [], "pos": []}, sizes=[0, 0]))
    assert (len(data), data.n_tokens, data.features.size) == (2, 0, 0)
