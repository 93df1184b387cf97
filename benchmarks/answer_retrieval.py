"""The index of passages: many small files, the speed of a search beside bm25s, and how many answers are found.

Parts: "folder" (a synthetic folder of 100,000 small files and one of a quarter of them, so that one sees what memory
grows with: indexed, indexed again unchanged, and again with one file of a hundred changed), "speed" (searches in the
passages of that folder beside bm25s, both with terms as they are, in one thread), "recall" (questions with their
answering sentences, in files like answers/*.jsonl of the data folder: the union of all sentences is searched for the
questions of one year, by BM25 and by the relaxed boolean query of España-Bonet and Comas 2012).
Usage: python benchmarks/answer_retrieval.py [--files N] [--year N] [part …]
"""

from __future__ import annotations

import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from runoff.formats.streams import lines
from runoff.tables import text_table
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.answers.retrieval.index_building import update_index
from runoff.tasks.answers.retrieval.terms import STOP_WORDS
from shared import data_folder, finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.answers.retrieval import Hit

Row = dict[str, Any]
PARTS = ("folder", "speed", "recall")
VOCABULARY, SENTENCES, WORDS = 60_000, 8, 15  # of the synthetic folder: words, sentences of a file, words of one
QUERIES = 500
DEPTHS = (1, 10, 50, 100, 750)
# How salient a word of a question is by its kind, as in section 4.1 of the paper.
QUOTED, ENTITY, SEQUENCE, NOUN, OTHER = 5.0, 4.0, 3.0, 2.0, 1.0


def main() -> None:
    """Measure the parts that were asked for."""
    words = sys.argv[1:]
    if words[:1] == ["index"]:
        finish(_timed_index(Path(words[1]), Path(words[2])))
        return
    options = {"--files": 100_000, "--year": 11}
    for name in options:
        if name in words:
            at = words.index(name)
            options[name] = int(words[at + 1])
            del words[at : at + 2]
    parts = words or list(PARTS)
    found: Row = {}
    with tempfile.TemporaryDirectory() as work:
        if "folder" in parts or "speed" in parts:
            found |= measured_folder(Path(work), options["--files"], with_quarter="folder" in parts)
        if "speed" in parts:
            found["speed"] = measured_speed(Path(work))
        if "recall" in parts:
            found["recall"] = measured_recall(Path(work), options["--year"])
    finish(found)


def measured_folder(work: Path, count: int, *, with_quarter: bool) -> Row:
    """Seconds, memory and bytes of indexing the folder, in processes of their own."""
    rng = random.Random(0)
    rows: Row = {}
    sizes = [count // 4, count] if with_quarter else [count]
    for size in sizes:
        folder, index = work / f"texts{size}", work / f"texts{size}.index"
        write_texts(folder, size, rng)
        rows[f"{size} files"] = _index_in_process(folder, index)
        rows[f"{size} files, unchanged"] = _index_in_process(folder, index)
        for name in range(0, size, 100):
            (folder / f"{name % 100:02}" / f"{name}.txt").write_text("Nothing but a changed file. " * 9)
        rows[f"{size} files, 1 of 100 changed"] = _index_in_process(folder, index)
    header = ["folder", "seconds", "CPU", "peak MB", "index MB", "passages"]
    print(text_table(header, [[name, *map(str, row.values())] for name, row in rows.items()]))
    return rows


def write_texts(folder: Path, count: int, rng: random.Random) -> None:
    """A hundred folders with files of a few sentences, whose words are as frequent as Zipf's law has it."""
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))
    words = [_word(rank) for rank in range(VOCABULARY)]
    for name in range(count):
        place = folder / f"{name % 100:02}"
        if name < 100:
            place.mkdir(parents=True)
        drawn = rng.choices(words, cum_weights=weights, k=SENTENCES * WORDS)
        sentences = (" ".join(drawn[at : at + WORDS]).capitalize() + "." for at in range(0, len(drawn), WORDS))
        (place / f"{name}.txt").write_text(" ".join(sentences))


def _word(rank: int) -> str:
    """A word for every number, the shorter the smaller it is."""
    letters = ""
    while rank or not letters:
        rank, rest = divmod(rank, 100)
        letters += "bdfgklmnprstvzchjqwx"[rest // 5] + "aeiou"[rest % 5]
    return letters


def _index_in_process(folder: Path, index: Path) -> Row:
    command = [sys.executable, __file__, "index", str(folder), str(index)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def _timed_index(folder: Path, index: Path) -> Row:
    started = time.perf_counter(), time.process_time()
    done = update_index(folder, index, verbose=True)
    return {
        "seconds": round(time.perf_counter() - started[0], 1),
        "cpu": round(time.process_time() - started[1], 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "index_mb": round(index.stat().st_size / 1e6, 1),
        "passages": done.passages,
    }


def measured_speed(work: Path) -> Row:
    """Milliseconds of a search for ten passages, for queries of three words from the passages."""
    path = max(work.glob("*.index"), key=lambda each: each.stat().st_size)
    started = time.process_time()
    index = PassageIndex.open(path)
    rows: Row = {"runoff": {"ready_cpu_s": round(time.process_time() - started, 2)}}
    passages = [index.terms(index.passage(number).text) for number in range(len(index))]
    rng = random.Random(1)
    queries = [rng.sample(passage, 3) for passage in rng.sample(passages, QUERIES) if len(passage) > 3]
    rows["runoff"] |= _latency(lambda query: index.search(query, 10), queries)
    try:
        import bm25s
    except ImportError:
        print("bm25s is not installed", file=sys.stderr)
    else:
        started = time.process_time()
        other = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
        other.index(passages, show_progress=False)
        rows["bm25s"] = {"ready_cpu_s": round(time.process_time() - started, 2)}
        rows["bm25s"] |= _latency(lambda query: other.retrieve([query], k=10, show_progress=False), queries)
        rows["same best score"] = sum(
            abs(index.search(query, 1)[0].score - float(other.retrieve([query], k=1, show_progress=False)[1][0, 0]))
            < 1e-4
            for query in queries
        )
        rows["queries"] = len(queries)
    return rows


def _latency(search: Callable[[list[str]], object], queries: list[list[str]]) -> Row:
    for query in queries[:20]:
        search(query)
    times = []
    for query in queries:
        started = time.thread_time()  # others may use the same cores
        search(query)
        times.append((time.thread_time() - started) * 1000)
    times.sort()
    return {
        "median_cpu_ms": round(times[len(times) // 2], 3),
        "p95_cpu_ms": round(times[int(0.95 * len(times))], 3),
    }


# ---------------------------------------------------------------- recall


def measured_recall(work: Path, year: int) -> Row:
    """Shares of the questions for which an answering sentence is among the first, and of answering sentences."""
    data = data_folder()
    paths = [] if data is None else sorted((data / "answers").glob("*.jsonl*"))
    read = (orjson.loads(line) for path in paths for _, line in lines(path))
    records = [record for record in read if record.get("answering")]
    if not records:
        return {"skipped": "no questions with answering sentences; set RUNOFF_DATA"}
    numbers: dict[str, int] = {}
    for record in records:
        for text in (*(each["text"] for each in record["answering"]), *record.get("other", ())):
            numbers.setdefault(text, len(numbers))
    source = work / "union.jsonl"
    source.write_text("".join(json.dumps({"id": str(at), "text": text}) + "\n" for text, at in numbers.items()))
    index = PassageIndex.build(source, work / "union.index")
    rows: Row = {"sentences": len(index)}
    table = []
    for name, chosen in {f"year {year}": True, "other years": False}.items():
        asked = [record for record in records if (record.get("trec") == year) == chosen]
        gold = [{numbers[each["text"]] for each in record["answering"]} for record in asked]
        for method, search in SEARCHES.items():
            started = time.process_time()
            found = [
                [int(index.passage(hit.passage).id) for hit in search(index, record, DEPTHS[-1])] for record in asked
            ]
            seconds = time.process_time() - started
            row = {
                "questions": len(asked),
                **{
                    f"any@{k}": _share(bool(set(hits[:k]) & right) for hits, right in zip(found, gold, strict=True))
                    for k in DEPTHS
                },
                **{
                    f"all@{k}": _share(
                        len(set(hits[:k]) & right) / len(right) for hits, right in zip(found, gold, strict=True)
                    )
                    for k in DEPTHS
                },
                "ms": round(1000 * seconds / len(asked), 2),
            }
            rows[f"{name}, {method}"] = row
            table.append([f"{name}, {method}", *map(str, row.values())])
    print(text_table(["questions of", *row], table))
    return rows


def _share(values: Any) -> float:
    found = [float(value) for value in values]
    return round(sum(found) / len(found), 3)


def keywords_of(record: Row) -> list[tuple[str, float]]:
    """Keywords with saliences by the rules of the paper, from the tags and entities that come with the question."""
    words, tags = record["question"].split(), record["question_pos"].split()
    entities = record["question_ner"].split()
    found = [(each, QUOTED) for each in _between(words)]
    for salience, marks in ((ENTITY, entities), (SEQUENCE, ["JJNN"[: 4 * (tag[:2] in ("JJ", "NN"))] for tag in tags])):
        is_entity = salience == ENTITY
        run: list[str] = []
        for word, mark in [*zip(words, marks, strict=True), ("", "")]:
            goes_on = mark.endswith("-I") if is_entity else bool(mark)
            if run and not goes_on:
                found.append((" ".join(run), salience))
                run = []
            if goes_on or (is_entity and mark.endswith("-B") and not mark.startswith("-")):
                run.append(word)
    for word, tag in zip(words, tags, strict=True):
        if word.lower() not in STOP_WORDS and tag[:1] not in "W.,`':-":
            found.append((word, NOUN if tag.startswith("NN") else OTHER))
    return list(dict.fromkeys(found))


def _between(words: list[str]) -> list[str]:
    """What stands between quotes."""
    text = " ".join(words).replace("``", '"').replace("''", '"')
    return [part.strip() for part in text.split('"')[1::2] if part.strip()]


SEARCHES: dict[str, Callable[[PassageIndex, Row, int], list[Hit]]] = {
    "BM25": lambda index, record, k: index.search(record["question"], k),
    "BM25, k1 1.5, b 0.75": lambda index, record, k: index.search(record["question"], k, k1=1.5, b=0.75),
    "boolean, 50 wanted": lambda index, record, k: index.relaxed_search(keywords_of(record), k),
    "boolean, 750 wanted": lambda index, record, k: index.relaxed_search(keywords_of(record), k, least=750),
}

if __name__ == "__main__":
    main()
