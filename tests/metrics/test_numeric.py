"""Final answers as numbers: where they are found, what they are worth, which are equal."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics.final_number import final_number
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest

NUMERIC = metrics.get("numeric")


# Every expected number is what a person reads in the text.
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("He pays 3 * 4 = 12.\n#### 12", "12"),  # the form of GSM8K's references
        ("#### 1,200 dollars, not 7", "1200"),
        (r"so $\boxed{3}$, or rather $\boxed{\frac{3}{4}}$ of 8", "0.75"),
        (r"\boxed{x = -5}", "-5"),
        (r"\boxed{1{,}234\text{ cm}^2}", "1234"),
        (r"\boxed{12,\!345}", "12345"),
        (r"\boxed{-\dfrac12}", "-0.5"),
        (r"\boxed{50\%}", "50"),
        ("The answer is 7 because 3 + 4 = 7, and 8 is not.", "7"),
        ("First answer: 3. Final Answer: **$4.50**", "4.5"),
        ("The answer is clear. In 1999 it was 42 apples", "1999"),
        ("12 is it. That is my answer: none", "12"),
        ("He has 5 apples and 12 pears.", "12"),
        ("temperature fell to -3.5 degrees", "-3.5"),
        ("minus sign \u22127", "-7"),
        ("5-3", "3"),
        ("(2)-3", "3"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("€ 12.50", "12.5"),
        ("50%", "50"),
        ("1,234,567.89", "1234567.89"),
        ("12,34,567", "1234567"),
        ("1, 2, 3", "3"),
        ("1,2,3", "3"),
        (".5", "0.5"),
        ("it is 5.", "5"),
        ("6.02e23", "6.02e23"),
        ("2.5E-3", "0.0025"),
        (r"3 \times 10^{5}", "300000"),
        ("3 × 10^-2", "0.03"),
        ("3/4", "0.75"),
        ("1 1/2 cups", "1.5"),
        ("1½", "1.5"),
        ("١٢٣٫٥", "123.5"),  # Arabic digits and decimal separator
        ("४२", "42"),
        ("１２", "12"),
        ("答案是42。", "42"),
        ("5kg of CO2", "5"),
        ("v1.2.3 costs 9", "9"),
    ],
)
def test_the_number_is_found(text: str, number: str) -> None:
    assert final_number(text) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "inf", "-Infinity", "five", r"\boxed{A} of 5", "5 so ####", "CO2", "3/0",
     r"\frac{1}{0}", "1e99999999999", "👍🏽", "-", "$", "²"],
)  # fmt: skip
def test_no_number(text: str) -> None:
    assert final_number(text) is None
    assert NUMERIC.canonical(text) == " ".join(text.split())


def hit(text: str, *references: str, name: str = "numeric") -> bool:
    data = NBest.from_arrays(texts=[text], sizes=[1], references=[list(references)])
    return bool(metrics.get(name).quality(data)[0])


def test_what_is_equal() -> None:
    assert hit("12.0", "#### 12")
    assert hit("0.3333333", "1/3")
    assert not hit("0.333", "1/3")
    assert hit("0.333", "1/3", name="numeric[tolerance=0.01]")
    assert hit("50%", "50")
    assert not hit("50%", "0.5")
    assert hit("7", "8", "7")
    assert not hit("1000001", "1000000")  # whole numbers, though within a millionth
    assert hit("1000000.5", "1000000")
    assert not hit("12345678901234567891", "12345678901234567890")  # beyond what a float tells apart
    assert hit("1e400", f"1{'0' * 400}")
    assert not hit("1e400", "1e401")
    assert hit("-0", "0")
    assert not hit("none", "none")
    assert not hit("0.30000000000000004", "0.3", name="numeric[tolerance=0]")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1,200.00", "1200"),
        ("1.2e3", "1200"),
        ("-0.0", "0"),
        ("1/3", "0.333333"),
        ("0.33333333", "0.333333"),
        ("2.00000001", "2"),
        ("1e400", "1e400"),
        ("-10e399", "-1e400"),
        ("12345678901234567890", "12345678901234567890"),
        ("1e-400", "1e-400"),
    ],
)
def test_canonical_is_one_way_to_write_it(text: str, written: str) -> None:
    assert NUMERIC.canonical(text) == written


def test_expected_is_self_consistency() -> None:
    texts = ["so 12", "12.0 it is", "13", "no idea"]
    found = NUMERIC.expected(texts, np.array([0, 4]), np.array([[1.0], [1.0], [2.0], [4.0]]))
    assert found.ravel().tolist() == [0.25, 0.25, 0.25, 0]


@pytest.mark.parametrize("name", ["numeric", "numeric[tolerance=0]", "numeric[tolerance=0.5]"])
def test_expected_equals_judging_every_pair(name: str) -> None:
    draw = np.random.default_rng(0)
    kinds = [
        "1",
        "2",
        "1.0000001",
        "1.5",
        "1000000",
        "1000001",
        "1000000.5",
        "1/3",
        "0.33333333",
        "x",
        "",
        "-1",
        "1e400",
    ]
    texts = [str(text) for text in draw.choice(kinds, 60)]
    offsets, weights = np.array([0, 1, 1, 20, 60]), draw.random((60, 2))
    metric = metrics.get(name)
    slow = TextMetric.expected(metric, texts, offsets, weights)
    np.testing.assert_allclose(metric.expected(texts, offsets, weights), slow, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("piece", "number"),
    [
        ("12,34,", "34"),
        ("1,234,", "1234"),
        ("1 ", "1"),
        ("1/", "1"),
        (r"\frac{1}{", "1"),
        (r"\boxed{", None),
        ("answer ", None),
        ("$-", None),
        ("9", "9" * 20_000),
    ],
)
def test_long_texts_are_read_in_linear_time(piece: str, number: str | None) -> None:
    # In quadratic time each of these would take minutes.
    assert final_number(piece * 20_000) == (None if number is None else Decimal(number))


def test_groups_without_candidates() -> None:
    data = NBest.from_arrays(texts=["5", "6"], sizes=[0, 2, 0], references=[[], ["6", "7"], ["5"]])
    assert NUMERIC.statistics(data).tolist() == [[0, 1], [1, 1]]
    assert NUMERIC.score(metrics.first_rows(NUMERIC, data).sum(axis=0)) == 0


def test_signature_and_wrong_options() -> None:
    assert NUMERIC.signature == "numeric|answer:boxed,####,answer-is,last|tolerance:1e-06|percent:as-number|whole:exact"
    for wrong in ("1", "-0.1", "nan"):
        with pytest.raises(UsageError, match="must be at least 0 and below 1"):
            metrics.get(f"numeric[tolerance={wrong}]")
