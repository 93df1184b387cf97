r"""The number that a text gives as its final answer.

Where it is looked for:

1. in the last `\boxed{…}`, after its last `=`;
2. else after the last `####`;
3. else after the last "answer is", "answer:" or "answer =", if a number follows;
4. else the last number of the text.

In 1 to 3 it is the first number there, and if there is none in 1 or 2 the text has none. Digits are those of any
script. A number may have a sign, a currency before it, thousands separators (`1,234`, `12,34,567`, `1{,}234`), a
decimal point, an exponent (`1e5`, `3 \times 10^{5}`), and it may be a fraction (`3/4`, `\frac{3}{4}`, `1 1/2`, `½`). A
percent sign or a unit after it is ignored: 50% is 50. A comma is never a decimal point, and nothing is computed.
Number words, `nan` and `inf` are not numbers, nor are digits that follow a Latin letter (`CO2`).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from decimal import Context, Decimal
from functools import cache

# As written: "answer is", "answer:", "Answer = "
_ANSWER = re.compile(r"\banswer\s*(?:is\b|:|=)", re.IGNORECASE)
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e]")
# Bounded, so that a long run of numbers is not scanned again from each of them.
_WHOLE = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3}){1,20}|[0-9]{1,2}(?:,[0-9]{2}){1,9},[0-9]{3})(?![0-9])|[0-9]+)"
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_])(?<![0-9]\.)(?<![0-9]/)"
    r"(?P<sign>(?<![\w)\]}])[-+])?"
    r"(?:\\?[$\u00a2-\u00a5\u20a0-\u20c0]\s?(?P<inner>[-+])?)?"
    r"(?:"
    rf"(?:(?P<wholes>{_WHOLE})\s*)?\\[dt]?frac\s*(?:"
    r"\{\s*(?P<above>-?[0-9]+)\s*\}\s*\{\s*(?P<below>[0-9]+)\s*\}|(?P<over>[0-9])\s*(?P<under>[0-9]))"
    r"|(?:(?P<mixed>[0-9]+)[ ]+)?(?P<left>[0-9]+)[ ]?/[ ]?(?P<right>[0-9]+)(?![0-9]*(?:[./][0-9]))"
    rf"|(?P<plain>{_WHOLE}(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:[eE](?P<exponent>[-+]?[0-9]+)(?![A-Za-z0-9_])"
    r"|\s*(?:\\times|\\cdot|\u00d7|\*)\s*10\s*(?:\^|\*\*)\s*\{?(?P<power>[-+]?[0-9]+)\}?)?"
    r")"
)
_EXACT = Context(prec=60)
_LONGEST_EXPONENT = 9  # digits; a longer exponent is out of any range


def final_number(text: str) -> Decimal | None:
    r"""Find the number that a text gives as its final answer; None if there is none. O(characters).

    Examples
    --------
    >>> final_number("5 + 7 = 12, so the answer is $1,012.50."), final_number("3 of 4, so \\boxed{\\frac{3}{4}}")
    (Decimal('1012.50'), Decimal('0.75'))
    >>> final_number("6 dozen is 72 eggs"), final_number("nan"), final_number("I do not know.")
    (Decimal('72'), None, None)
    """
    text = _plain(text)
    boxed = _boxed(text)
    if boxed is not None:
        return _first(boxed.rpartition("=")[2])
    _, mark, after = text.rpartition("####")
    if mark:
        return _first(after)
    answers = [answer.end() for answer in _ANSWER.finditer(text)]
    found = _first(text[answers[-1] :]) if answers else None
    if found is not None:
        return found
    numbers = (_value(match) for match in _NUMBER.finditer(text))
    return next((value for value in reversed(list(numbers)) if value is not None), None)


def _plain(text: str) -> str:
    """The text with ASCII digits and signs, and without what LaTeX puts between digits."""
    if not text.isascii():
        text = _VULGAR.sub(_spelled_out, text).translate(_signs())
    return text.replace("{,}", ",").replace("\\,", "").replace("\\!", "")


def _spelled_out(vulgar: re.Match[str]) -> str:
    return " " + unicodedata.normalize("NFKC", vulgar[0]).replace("\u2044", "/")


def _boxed(text: str) -> str | None:
    """What is inside the last box, up to the brace that closes it; None without a box."""
    start = max(text.rfind("\\boxed{"), text.rfind("\\fbox{"))
    if start < 0:
        return None
    start = text.index("{", start) + 1
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return text[start:at]
    return text[start:]


def _first(text: str) -> Decimal | None:
    match = _NUMBER.search(text)
    return None if match is None else _value(match)


def _value(match: re.Match[str]) -> Decimal | None:
    """The exact number as it is written; fractions are rounded to 60 digits."""
    negative = "-" in (match["sign"], match["inner"])
    if match["plain"] is not None:
        power = match["exponent"] or match["power"] or "0"
        if len(power.lstrip("+-0")) > _LONGEST_EXPONENT:
            return None
        value = Decimal(f"{match['plain'].replace(',', '')}e{power}")
    else:
        below = match["below"] or match["under"] or match["right"]
        if not Decimal(below):
            return None
        above = Decimal(match["above"] or match["over"] or match["left"])
        wholes = Decimal((match["wholes"] or match["mixed"] or "0").replace(",", ""))
        value = _EXACT.add(wholes, _EXACT.divide(above, Decimal(below)))
    return value.copy_negate() if negative else value


@cache
def _signs() -> dict[int, str]:
    digits = (code for code in range(128, sys.maxunicode + 1) if chr(code).isdecimal())
    table = {code: str(unicodedata.decimal(chr(code))) for code in digits}
    minus = dict.fromkeys((0x2212, 0xFE63, 0xFF0D), "-")
    return table | minus | {0x066B: ".", 0xFF0E: ".", 0x066C: ",", 0xFF0C: ","}
