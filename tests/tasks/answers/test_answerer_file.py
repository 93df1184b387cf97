"""Files of answerers: what is written is read, and what is none is refused with a sentence."""

from __future__ import annotations

import contextlib
import zipfile

import orjson
import pytest

from fuzzing.archive_mutants import archive_mutant
from runoff.errors import ModelError
from runoff.tasks.answers.answerer_file import HEADER, load_answerer

QUESTION = "Who invented the pocket lamp?"


def test_what_is_written_is_read(answerer, answerer_file, index, tmp_path):
    again = load_answerer(answerer_file)
    (one,), (other,) = (each.ask(index, [QUESTION]) for each in (answerer, again))
    assert one == other
    assert (again.settings, again.expected, again.counts) == (answerer.settings, answerer.expected, answerer.counts)
    assert again.provenance == answerer.provenance
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == answerer_file.read_bytes()


def with_header(path, target, change):
    """A copy of a file with another header."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == HEADER:
                header = orjson.loads(content)
                change(header)
                content = orjson.dumps(header)
            new.writestr(name, content)
    return target


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header.update(format="other"), "is not a Runoff answerer"),
        (lambda header: header.update(version=99), "has version 99 of the answerer format"),
        (lambda header: header["settings"].update(best=0), "best of AnswererSettings must be"),
        (lambda header: header["settings"].update(more=1), "is not a Runoff answerer, or it is damaged"),
        (lambda header: header["expected"]["usual"].update(PERSON=7), "shares from 0 to 1"),
        (lambda header: header["counts"].update(sentences=-1), "counts of terms are damaged"),
        (lambda header: header["counts"]["counts"].update(a="b"), "whole numbers"),
        (lambda header: header.update(provenance=[]), "'provenance' must be an object"),
        (lambda header: header.pop("expected"), "is damaged"),
    ],
)
def test_wrong_headers_are_told(answerer_file, tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        load_answerer(with_header(answerer_file, tmp_path / "b.runoff", change))


def test_what_is_missing_or_no_answerer_is_told(tmp_path, index, almanac):
    with pytest.raises(ModelError, match="no such file"):
        load_answerer(tmp_path / "none.runoff")
    with pytest.raises(ModelError, match="is not a Runoff answerer"):
        load_answerer(almanac.test)


@pytest.mark.parametrize("seed", range(6))
def test_changed_files_are_read_or_refused_with_a_sentence(answerer_file, tmp_path, seed, index):
    path = tmp_path / "changed.runoff"
    path.write_bytes(archive_mutant([answerer_file.read_bytes()], seed))
    with contextlib.suppress(ModelError):  # anything else, a traceback for a person, fails
        assert len(load_answerer(path).ask(index, [QUESTION])) == 1
