"""Zip files of others: what they unpack to is bounded, and every oddity is a sentence."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from runoff.opening import archive as module
from runoff.opening import limits
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_written_is_read_and_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with write_archive(tmp_path / name) as out:
            out.add_json("h.json", {"n": np.float64(0.5), "all": np.arange(2)})
            out.add_array("a.npy", np.arange(3))
            out.add_table("t.arrow", pa.table({"x": ["ä", None]}))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with open_archive(tmp_path / "a") as found:
        assert found.names == {"h.json", "a.npy", "t.arrow"}
        assert found.json("h.json") == {"n": 0.5, "all": [0, 1]}
        assert found.array("a.npy").tolist() == [0, 1, 2]
        assert found.table("t.arrow")["x"].to_pylist() == ["ä", None]


def deflated(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def test_a_small_file_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    bomb = deflated(tmp_path / "bomb", a=bytes(1 << 23))
    says = r"^a unpacks to 8\.0 MiB, and a file of 8\.\d KiB may unpack to 1\.0 MiB there"
    with open_archive(bomb) as found, pytest.raises(DamagedFileError, match=says):
        found.array("a")


def test_many_small_members_do_not_fill_the_memory_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    array = module.write_npy(np.zeros(1 << 16))
    bomb = deflated(tmp_path / "bomb", **{str(at): array for at in range(4)})
    with open_archive(bomb) as found:
        assert found.array("0").size == 1 << 16
        with pytest.raises(DamagedFileError, match=r"^1 unpacks to 512\.1 KiB, and .* may unpack to 511\.9 KiB there"):
            found.array("1")


def test_folders_have_names_of_their_own(tmp_path: Path) -> None:
    with write_archive(tmp_path / "a") as out:
        out.add_array("a.npy", np.arange(1))
        for at, name in enumerate(("one", "two")):
            out.folder(name).add_array("a.npy", np.arange(2 + at))
            out.folder(name).folder("in").add_json("h.json", name)
    with open_archive(tmp_path / "a") as found:
        assert found.folder("two").names == {"a.npy", "in/h.json"}
        assert [each.array("a.npy").size for each in (found, found.folder("one"), found.folder("two"))] == [1, 2, 3]
        assert found.folder("one").folder("in").json("h.json") == "one"
        with pytest.raises(DamagedFileError, match=r"^three/a\.npy is missing or damaged"):
            found.folder("three").array("a.npy")


def test_folders_together_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    array = module.write_npy(np.zeros(1 << 16))
    bomb = deflated(tmp_path / "bomb", **{f"{at}/a": array for at in range(4)})
    with open_archive(bomb) as found:
        assert found.folder("0").array("a").size == 1 << 16
        with pytest.raises(DamagedFileError, match=r"^1/a unpacks to 512\.1 KiB, .* may unpack to 511\.9 KiB"):
            found.folder("1").array("a")


def test_a_size_that_is_a_lie_is_found(tmp_path: Path) -> None:
    """The directory says 8 bytes; what is there would unpack to 8 MiB."""
    path = deflated(tmp_path / "lie", a=bytes(1 << 23))
    size = (1 << 23).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (8).to_bytes(4, "little")))
    with open_archive(path) as found, pytest.raises(DamagedFileError, match="a is missing or damaged"):
        found.array("a")


def test_a_directory_that_swallows_a_member_is_refused(tmp_path: Path) -> None:
    """The first entry says that the second one is its comment: zipfile then has one member less."""
    with write_archive(tmp_path / "a", compressed=False) as out:
        out.add_json("h.json", {})
        out.add_json("optional.json", {})
    content = bytearray((tmp_path / "a").read_bytes())
    first, second = content.index(b"PK\x01\x02"), content.rindex(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    content[first + 32 : first + 34] = (end - second).to_bytes(2, "little")
    (tmp_path / "a").write_bytes(content)
    assert zipfile.ZipFile(tmp_path / "a").namelist() == ["h.json"]
    with pytest.raises(DamagedFileError, match="its directory is damaged"), open_archive(tmp_path / "a"):
        pass


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression_is_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w", method) as out:
        out.writestr("h", b"{}")
    with open_archive(tmp_path / "a") as found, pytest.raises(DamagedFileError, match="in a way that Runoff does not"):
        found.json("h")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as out:
        out.writestr("h", b"{}")
        out.writestr("h", b"[]")
    with pytest.raises(DamagedFileError, match="two members of the same name"), open_archive(tmp_path / "a"):
        pass


def test_what_shrinks_by_more_than_is_allowed_is_written_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 10)
    monkeypatch.setattr(module, "_HEADER_ALWAYS", 1 << 10)
    zeros, text = np.zeros(1 << 18), "a" * (3 << 20)
    with write_archive(tmp_path / "a") as out:
        out.add_array("zeros", zeros)
        out.add_json("text", text)
    with open_archive(tmp_path / "a") as found:
        assert not found.array("zeros").any()
        assert found.json("text") == text


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"not a zip file" * 100])
def test_what_is_no_zip_file_has_no_members(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(DamagedFileError), open_archive(tmp_path / "a") as found:
        found.json("h")
