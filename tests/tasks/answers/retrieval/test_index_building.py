"""Indexing folders as they are: what is left out, what changes, and what goes wrong."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from runoff.errors import DataError, ModelError, RunoffError, UsageError
from runoff.tasks.answers.retrieval import PassageIndex, index_building, segment_builder
from runoff.tasks.answers.retrieval.index_building import update_index
from runoff.tasks.answers.retrieval.text_passages import passages_of_text

QUERIES = ("golden bridge", "who built it", "span of the longest bridge in Japan", "1894")


def results(index: PassageIndex) -> list[list[tuple[str, str, int, float]]]:
    """What searches give, whatever the numbers of passages are."""
    found = []
    for query in QUERIES:
        hits = [(*index.passage(hit.passage), round(hit.score, 9)) for hit in index.search(query, 100)]
        found.append(sorted((name, text, line, score) for name, text, _, line, score in hits))
    return found


def texts(index: PassageIndex) -> set[str]:
    return {index.passage(number).text for number in range(len(index))}


def test_a_folder_becomes_sentences_with_file_and_line(folder: Path) -> None:
    index = PassageIndex.build(folder, folder.parent / "i")
    assert len(index) == 9
    (hit,) = index.search("1894")
    assert index.passage(hit.passage) == ("europe/tower.txt#3", "It opened in 1894.", "europe/tower.txt", 3)
    assert index.notes == ()
    with pytest.raises(UsageError, match="there is no passage 9; they are numbered from 0 to 8"):
        index.passage(9)


def test_what_has_not_changed_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.parent / "i"
    update_index(folder, path)
    content = path.read_bytes()
    read: list[str] = []

    def watched(place: Path, name: str, sentences: int) -> Any:
        read.append(name)
        return passages_of_text(place, name, sentences)

    monkeypatch.setattr(index_building, "passages_of_text", watched)
    assert str(update_index(folder, path)) == "9 passages of 3 files: 0 added, 0 changed, 0 removed, 3 kept"
    assert read == []
    assert path.read_bytes() == content
    (folder / "america.txt").write_text("The Brooklyn Bridge is old.")
    (folder / "africa.txt").write_text("A bridge crosses the Zambezi.")
    (folder / "asia.txt").unlink()
    done = update_index(folder, path)
    assert str(done) == "5 passages of 3 files: 1 added, 1 changed, 1 removed, 1 kept"
    assert read == ["africa.txt", "america.txt"]
    update_index(folder, path, fresh=True)
    assert len(read) == 5


@pytest.mark.parametrize("most", [1, 12, 40, 1 << 22])
def test_brought_up_to_date_it_finds_the_same_as_a_new_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    # The truth is an index of the same folder that was made at once, in one segment.
    path = folder.parent / "i"
    steps: list[dict[str, str | None]] = [
        {},
        {"a.txt": "Golden gates are built of gold. No bridge."},
        {"america.txt": None},
        {"b/c.txt": "In Japan, 1894 was golden. Who built what?", "a.txt": "One bridge."},
        {"a.txt": None, "asia.txt": None, "europe/tower.txt": "Tower Bridge."},
    ]
    for at, step in enumerate(steps):
        for name, text in step.items():
            (folder / name).parent.mkdir(exist_ok=True)
            if text is None:
                (folder / name).unlink()
            else:
                (folder / name).write_text(text)
        with monkeypatch.context() as patch:
            patch.setattr(segment_builder, "MOST_TERMS", most)
            patch.setattr(index_building, "MOST_TERMS", most)
            index = PassageIndex.build(folder, path)
        new = PassageIndex.build(folder, folder.parent / f"new{at}")
        assert results(index) == results(new)
        assert texts(index) == texts(new)


def test_other_settings_make_all_be_read_again_and_stay(folder: Path) -> None:
    path = folder.parent / "i"
    update_index(folder, path)
    index = PassageIndex.build(folder, path, sentences=2, stemmer="none")
    assert len(index) == 5
    assert index.search("bridges") == []
    (folder / "more.txt").write_text("One. Two. Three.")
    assert len(PassageIndex.build(folder, path)) == 7
    with pytest.raises(UsageError, match="sentences of an index must be a whole number of at least 1; found 0"):
        update_index(folder, path, sentences=0)
    with pytest.raises(UsageError, match="stemmer of an index must be one of porter, none; found 'snowball'"):
        update_index(folder, path, stemmer="snowball")


def test_what_is_left_out_is_counted(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"\x89PNG\0\0")
    (folder / "b.bin").write_bytes(b"abc\0")
    (folder / "latin.txt").write_bytes("Señor".encode("latin-1"))
    (folder / "empty.txt").touch()
    (folder / "marks.txt").write_text("* * *")
    (folder / ".hidden").write_text("Hidden.")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("Hidden.")
    (folder / "lines.jsonl").write_text('{"text": "a"}\n')
    (folder / "broken").symlink_to(folder / "nowhere")
    (folder / "loop").symlink_to(folder)
    (folder / "damaged.gz").write_bytes(gzip.compress(b"Damaged bridges. " * 99)[:-9])
    os.mkfifo(folder / "pipe")
    os.close(os.open(os.fsencode(folder) + b"/\xff.txt", os.O_CREAT))
    done = update_index(folder, folder / "own.index")
    assert sorted(done.notes) == [
        "left out: 1 file of JSON lines (name it itself to index its passages), lines.jsonl",
        "left out: 1 file that is not UTF-8, latin.txt",
        "left out: 1 file that is not regular, pipe",
        "left out: 1 file with a name that is not UTF-8, '\\udcff.txt'",
        "left out: 1 link to a folder, loop",
        "left out: 1 passage without a word, marks.txt, line 1",
        "left out: 2 binary files, such as a.png",
        "left out: 2 files that cannot be read, such as broken (no such file or directory)",
        "left out: 2 files without a word, such as empty.txt",
        "left out: 2 hidden files or folders, such as .git",
    ]
    assert done.passages == 9
    assert done.added == 3
    # Again: the index, which is in the folder itself, is not indexed, and everything is counted again.
    assert sorted(update_index(folder, folder / "own.index").notes) == sorted(done.notes)
    assert PassageIndex.open(folder / "own.index").notes == done.notes


def test_a_file_that_cannot_be_read_is_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _failing(monkeypatch, "asia.txt", PermissionError(errno.EACCES, "Permission denied"))
    done = update_index(folder, folder.parent / "i")
    assert done.notes == (
        "left out: 1 file that cannot be read, asia.txt (the file cannot be read: permission denied)",
    )
    assert done.added == 2


def test_a_folder_that_cannot_be_read_is_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def failing(path: Any) -> Any:
        if Path(path).name == "europe":
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", failing)
    done = update_index(folder, folder.parent / "i")
    assert done.notes == ("left out: 1 folder that cannot be read, europe (permission denied)",)


def test_a_folder_without_text(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match="empty: there is no text to index"):
        update_index(empty, tmp_path / "i")
    (empty / "a.png").write_bytes(b"\0")
    with pytest.raises(DataError, match=r"there is no text to index \(left out: 1 binary file, a.png\)"):
        update_index(empty, tmp_path / "i")
    with pytest.raises(DataError, match="the source cannot be read: no such file or directory"):
        update_index(tmp_path / "nowhere", tmp_path / "i")
    with pytest.raises(DataError, match="the source is neither a folder nor a regular file"):
        update_index("/dev/null", tmp_path / "i")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]


def test_a_folder_that_is_removed_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.parent / "i"
    update_index(folder, path)
    before = path.read_bytes()
    (folder / "asia.txt").write_text("New.")

    def removing(place: Path, name: str, sentences: int) -> Any:
        shutil.rmtree(folder)
        return passages_of_text(place, name, sentences)

    monkeypatch.setattr(index_building, "passages_of_text", removing)
    with pytest.raises(DataError, match="it was removed while it was being indexed; the index was not changed"):
        update_index(folder, path)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["i"]


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (OSError(errno.ENOSPC, "No space"), RunoffError, "the disk is full. The previous file is unchanged"),
        (KeyboardInterrupt("stop"), KeyboardInterrupt, "stop"),
    ],
)
def test_a_full_disk_or_an_interruption_leaves_the_old_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, raised: type[BaseException], message: str
) -> None:
    path = folder.parent / "i"
    update_index(folder, path)
    before = path.read_bytes()
    (folder / "asia.txt").write_text("New.")

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(index_building, "write_header", failing)
    with pytest.raises(raised, match=message):
        update_index(folder, path)
    assert path.read_bytes() == before
    assert sorted(each.name for each in path.parent.iterdir()) == ["i", "texts"]


def test_files_and_indexes_of_others_are_not_overwritten(folder: Path) -> None:
    other = folder.parent / "letter.doc"
    other.write_text("Dear all")
    with pytest.raises(ModelError, match=r"letter.doc is not a Runoff index"):
        update_index(folder, other, fresh=True)
    assert other.read_text() == "Dear all"
    path = folder.parent / "i"
    update_index(folder, path)
    with pytest.raises(UsageError, match=r"is an index of .*texts; name another output, or read all anew \(--fresh\)"):
        update_index(folder / "europe", path)
    assert update_index(folder / "europe", path, fresh=True).passages == 3


def test_single_files(folder: Path) -> None:
    index = PassageIndex.build(folder / "asia.txt", folder.parent / "i")
    assert index.passage(0).file == "asia.txt"
    passages = folder.parent / "p.jsonl.gz"
    passages.write_bytes(gzip.compress(b'{"id": "x", "text": "A bridge. No gate."}\n{"text": "..."}\n{"text": "b"}\n'))
    index = PassageIndex.build(passages, folder.parent / "j")
    assert [index.passage(at) for at in range(2)] == [
        ("x", "A bridge. No gate.", "p.jsonl.gz", 1),
        ("3", "b", "p.jsonl.gz", 3),
    ]
    assert index.notes == ("left out: 1 passage without a word, p.jsonl.gz, line 2",)
    passages.write_bytes(b'{"text": "bad"\n')
    with pytest.raises(DataError, match=r"p.jsonl.gz, line 1: the line is not JSON"):
        update_index(passages, folder.parent / "j")


def test_a_file_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changing(place: Path, name: str, sentences: int) -> Any:
        yield from passages_of_text(place, name, sentences)
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "")

    monkeypatch.setattr(index_building, "passages_of_text", changing)
    with pytest.raises(DataError, match=r"america.txt: the file was changed while it was read; index it again"):
        update_index(folder, folder.parent / "i")


def _failing(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let one file fail to open; the tests may run as a user for whom no permission is missing."""
    real = Path.open

    def opening(path: Path, *arguments: Any, **more: Any) -> Any:
        if path.name == name:
            raise error
        return real(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", opening)
