"""Lists of sentences that may answer a question, as answer sentence selection has them, in two kinds of files.

Pairs in the manner of TREC QA (Wang, Smith & Mitamura 2007): blocks `<QApairs id='…'>` with a `<question>`, and
`<positive>` and `<negative>` sentences, each with a line of words between tabs; below it are lines of parts of speech,
relations, heads and entities.

Tables in the manner of WikiQA (Yang, Yih & Meek 2015): a line for every sentence, with the columns Question, Sentence
and Label, and QuestionID if there is one, by their names in the first line; or, without names, question number, label,
question, sentence.

Candidates become texts, words with blanks between them; quality is 1 for a sentence that answers, else 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats import Format
from runoff.formats.text_file import text_of
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from runoff.formats import Sample

METRIC = "map,mrr"
PLACE, ENTITIES = "place", "entities"  # a feature of tables, and an attribute of pairs
_BLOCK = re.compile(r"<QApairs\s+id\s*=\s*['\"]([^'\"]*)['\"]\s*>")
_LABELS = {"positive": 1.0, "negative": 0.0}
_KINDS = ("question", *_LABELS)
_ENTITIES_LINE = 4
_NAMES = {"question": "question", "sentence": "sentence", "label": "label", "questionid": "id"}


@dataclass
class _SentenceList:
    """A question and its sentences, as they are read."""

    id: str
    line: int
    question: str | None = None
    sentences: list[str] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)  # tags of the words of every sentence


# ---------------------------------------------------------------- pairs


def recognise_pairs(sample: Sample) -> bool:
    """Whether the first line opens a block of pairs."""
    return _BLOCK.match(sample.first_line.decode(errors="replace").strip()) is not None


def read_pairs(path: Path) -> NBest:
    r"""Read blocks of pairs. O(characters).

    Such files have the right sentences before the others; candidates are put in an order that says nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.xml"
    >>> pair = "<question>\nWho\t?\n</question>\n<positive>\nAda\tdid\n</positive>"
    >>> _ = path.write_text(f"<QApairs id='7'>\n{pair}\n</QApairs>\n")
    >>> data = read_pairs(path)
    >>> data, data.inputs[0].as_py(), data.texts[0].as_py(), data.quality.tolist()
    (NBest(1 group, 1 candidate, 0 features, quality), 'Who ?', 'Ada did', [1.0])
    """
    lists = list(_pairs(text_of(path).split("\n"), path))
    for each in lists:
        order = [at for _, at in sorted((_digest(text), at) for at, text in enumerate(each.sentences))]
        for name in ("sentences", "labels", "entities"):
            values = getattr(each, name)
            setattr(each, name, [values[at] for at in order])
    attributes = {ENTITIES: ["\n".join(each.entities) for each in lists]}
    note = "Sentences were put in another order: in such files the right ones come first."
    return _nbest(lists, path, attributes=attributes, notes=[note])


def _pairs(lines: Sequence[str], path: Path) -> Iterator[_SentenceList]:
    block: _SentenceList | None = None
    rows: list[str] = []
    kind, start = "", 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if kind:
            if text == f"</{kind}>" and block is not None:
                _take(block, kind, rows, path, start)
                kind, rows = "", []
            else:
                rows.append(line)
            continue
        opened = _BLOCK.fullmatch(text)
        if opened and block is None:
            block = _SentenceList(opened[1], number)
        elif text == "</QApairs>" and block is not None:
            if block.question is None:
                raise DataError(f"the block {brief(block.id)} has no question.", path=path, line=block.line)
            yield block
            block = None
        elif block is not None and text[1:-1] in _KINDS and text == f"<{text[1:-1]}>":
            kind, start = text[1:-1], number
        elif text:
            expected = "<question>, <positive>, <negative> or </QApairs>" if block else "<QApairs id='…'>"
            raise DataError(f"expected {expected}, found {brief(text)}.", path=path, line=number)
    if block is not None:
        raise DataError(f"the block {brief(block.id)} has no end.", path=path, line=block.line)


def _take(block: _SentenceList, kind: str, rows: Sequence[str], path: Path, line: int) -> None:
    """Add a question or sentence, given as its lines."""
    words = rows[0].split("\t") if rows else []
    if not any(word.strip() for word in words):
        raise DataError(f"the {kind} has no words.", path=path, line=line)
    text = " ".join(" ".join(words).split())
    if kind == "question":
        if block.question is not None:
            raise DataError(f"the block {brief(block.id)} has a second question.", path=path, line=line)
        block.question = text
        return
    tags = rows[_ENTITIES_LINE].split("\t") if len(rows) > _ENTITIES_LINE else ["-"] * len(words)
    if len(tags) != len(words):
        raise DataError(f"there are {len(words)} words and {len(tags)} tags of entities.", path=path, line=line + 5)
    # A word with a blank inside is two.
    pairs = [(part, tag) for word, tag in zip(words, tags, strict=True) for part in word.split()]
    block.sentences.append(" ".join(part for part, _ in pairs))
    block.labels.append(_LABELS[kind])
    block.entities.append(" ".join(tag.strip() or "-" for _, tag in pairs))


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


# ---------------------------------------------------------------- tables


def recognise_table(sample: Sample) -> bool:
    """Whether the first line has a number, a label and two texts; files with names for columns may be other tables."""
    return _is_bare(sample.first_line.decode(errors="replace").rstrip("\r").split("\t"))


def read_table(path: Path) -> NBest:
    r"""Read a table of sentences. O(characters).

    The sentences of a question, which follow each other, are in the order of their document: their places become the
    feature `place`, from 1 at the first down to 0.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.tsv"
    >>> _ = path.write_text("2\t0\twho left ?\tada stayed .\n2\t1\twho left ?\tbob left .\n")
    >>> data = read_table(path)
    >>> data, data.quality.tolist(), data.features.column_names().to_pylist()
    (NBest(1 group, 2 candidates, 1 feature, quality), [0.0, 1.0], ['place'])
    """
    lists: dict[str, _SentenceList] = {}
    last = ""
    lines = text_of(path).split("\n")
    columns = _columns(lines[0].split("\t"))
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == 1 and columns is not None):
            continue
        fields = line.split("\t")
        found = _row(fields, columns, path, number)
        if found["id"] not in lists:
            lists[found["id"]] = _SentenceList(found["id"], number, found["question"])
        elif last != found["id"]:
            raise DataError(f"the question {brief(found['id'])} comes again after another.", path=path, line=number)
        own = lists[found["id"]]
        last = own.id
        if own.question != found["question"]:
            raise DataError(
                f"the question {brief(own.id)} has another text on line {own.line}.", path=path, line=number
            )
        own.sentences.append(found["sentence"])
        own.labels.append(float(found["label"]))
    made = list(lists.values())
    places = [1.0 - at / len(each.sentences) for each in made for at in range(len(each.sentences))]
    return _nbest(made, path, places=places)


def _columns(fields: Sequence[str]) -> dict[str, int] | None:
    """Which column is what, by the names in a first line; None where these are no names."""
    found = {_NAMES[name.strip().lower()]: at for at, name in enumerate(fields) if name.strip().lower() in _NAMES}
    return found if {"question", "sentence", "label"} <= found.keys() else None


def _is_bare(fields: Sequence[str]) -> bool:
    return len(fields) == 4 and fields[0].isalnum() and fields[1] in ("0", "1") and bool(fields[2] and fields[3])


def _row(fields: Sequence[str], columns: dict[str, int] | None, path: Path, line: int) -> dict[str, str]:
    where = columns or {"id": 0, "label": 1, "question": 2, "sentence": 3}
    if len(fields) <= max(where.values()) or (columns is None and len(fields) != 4):
        raise DataError(
            f"expected {max(where.values()) + 1} columns between tabs, found {len(fields)}.", path=path, line=line
        )
    found = {name: fields[at].strip() for name, at in where.items()}
    found.setdefault("id", found["question"])
    for name in ("id", "question", "sentence"):
        if not found[name]:
            raise DataError(f"the {name} is empty.", path=path, line=line)
    if found["label"] not in ("0", "1"):
        raise DataError(f"expected the label 0 or 1, found {brief(found['label'])}.", path=path, line=line)
    return found


# ---------------------------------------------------------------- both


def _nbest(
    lists: Sequence[_SentenceList],
    path: Path,
    *,
    attributes: dict[str, list[str]] | None = None,
    places: list[float] | None = None,
    notes: Sequence[str] = (),
) -> NBest:
    if not lists:
        raise DataError("the file has no questions.", path=path)
    seen: dict[str, int] = {}
    for each in lists:
        if each.id in seen:
            raise DataError(f"the id {brief(each.id)} is that of line {seen[each.id]}.", path=path, line=each.line)
        seen[each.id] = each.line
    return NBest.from_arrays(
        None if places is None else [[place] for place in places],
        quality=[label for each in lists for label in each.labels],
        sizes=[len(each.sentences) for each in lists],
        texts=[text for each in lists for text in each.sentences],
        group_ids=[each.id for each in lists],
        inputs=[each.question for each in lists],
        attributes=attributes,
        feature_names=None if places is None else [PLACE],
        metric=METRIC,
        notes=notes,
    )


PAIRS = Format(
    "qa-pairs", "blocks <QApairs> of a question and sentences that answer it or not", recognise_pairs, read_pairs
)
TABLE = Format(
    "qa-table", "question number, label 0 or 1, question and sentence between tabs", recognise_table, read_table
)
