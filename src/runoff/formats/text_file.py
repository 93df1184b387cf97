"""The text of a file: decompressed, checked, without byte-order mark, with one kind of line end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import BYTE_ORDER_MARK, check_utf8, read_all

if TYPE_CHECKING:
    from pathlib import Path


def text_of(path: str | Path, *, may_be_blank: bool = False) -> str:
    r"""The whole text with `\n` as line end, whatever the file has; gzip and zstd are unpacked. O(characters).

    A file without a character is refused, and so is one of blank lines, unless it `may_be_blank`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_bytes(b"\xef\xbb\xbfa B-NP\r\n\r\nb O")
    >>> text_of(path)
    'a B-NP\n\nb O'
    """
    content = read_all(path)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError("the text is UTF-16; convert the file to UTF-8.", path=path)
    content = content.removeprefix(BYTE_ORDER_MARK)
    zero = content.find(b"\0")
    if zero >= 0:
        line = content.count(b"\n", 0, zero) + 1
        raise DataError("the file is not text: it has zero bytes.", path=path, line=line)
    check_utf8(content, path)
    text = content.decode()
    if not (text if may_be_blank else text.strip(" \t\r\n")):
        raise DataError("the file is empty.", path=path)
    if "\r" in text:
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    return text
