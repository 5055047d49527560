"""Printed tables are in mm, kPa, kN and deg; --json stays SI."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from sole.base.readable import SHARE, for_people, in_words
from sole.base.report import Quantity, Report, emit

READ = [
    (38774.0, "Pa", 38.774, "kPa"),
    (7.9361e-5, "m", 0.079361, "mm"),
    (1.25, "m", 1.25, "m"),
    (-0.0006, "rad", -0.0343775, "deg"),
    (0.0336, "m^2", 336.0, "cm^2"),
    (2.5e6, "Pa", 2.5, "MPa"),
    (999999.0, "Pa", 999.999, "kPa"),
    (600, "N", 600, "N"),
    (2060.7, "N", 2.0607, "kN"),
    (3.2e6, "N/m", 3.2, "MN/m"),
    (0.02, "s", 0.02, "s"),
    (12.0, "rad/s", 12.0, "rad/s"),
    (0.0, "m", 0.0, "mm"),
    (0.035, SHARE, 3.5, "%"),
    (True, "m", True, "m"),
    (None, "Pa", None, "kPa"),
    (math.inf, "m", math.inf, "mm"),
    ("rectangle 0.2 x 0.1", "m", "rectangle 0.2 x 0.1", "m"),
]


@pytest.mark.parametrize(("value", "unit", "read", "read_unit"), READ)
def test_a_value_gets_the_unit_that_people_read(value, unit, read, read_unit):
    told, told_unit = for_people(value, unit)
    assert told_unit == read_unit
    assert told == (pytest.approx(read, rel=1e-5) if isinstance(read, float) else read)


def test_all_numbers_of_a_value_get_one_unit():
    values, unit = for_people(np.array([0.01, -2.0, np.nan]), "m")
    assert unit == "m" and np.array_equal(values, [0.01, -2.0, np.nan], equal_nan=True)
    assert for_people([3e5, 3e6], "Pa") == (pytest.approx([0.3, 3.0]), "MPa")
    assert for_people(["a", 1.0], "Pa") == (["a", 1.0], "Pa")
    mixed = for_people([3e6, 0.45, 1100.0], "Pa, -, kg/m^3")
    assert mixed == ([pytest.approx(3.0), 0.45, 1100.0], "MPa, -, kg/m^3")


def test_numbers_of_a_remark_carry_their_unit():
    assert in_words([2.9e6, 3.1e6], "Pa") == "2.9 to 3.1 MPa"
    assert in_words([0.45], "") == "0.45"


def test_a_table_is_for_people_and_json_is_si(capsys):
    report = Report("press", {"peak": Quantity(38774.0, "Pa"), "tilt": Quantity(-0.0006, "rad")})
    emit(report, as_json=False, quiet=False)
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "│" in line]
    assert lines == [
        ["│", "peak", "│", "38.774", "│", "kPa", "│"],
        ["│", "tilt", "│", "-0.034377", "│", "deg", "│"],
    ]
    emit(report, as_json=True, quiet=False)
    told = json.loads(capsys.readouterr().out)
    assert (told["peak"], told["tilt"]) == (38774.0, -0.0006)
    assert told["units"] == {"peak": "Pa", "tilt": "rad"}
