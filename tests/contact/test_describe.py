"""What the table of a press tells besides the numbers."""

from math import radians

import numpy as np
import pytest
from press_cases import pad

from contact.ground import Slope
from contact.press import Wrench, press
from contact.summaries.press_summary import describe_press
from sole.condense import STRAIN_LIMIT


def warnings(*arguments: object, **options: object) -> str:
    return " | ".join(describe_press(press(*arguments, **options)).warnings)  # type: ignore[arg-type]


def test_large_displacements_are_pointed_out() -> None:
    """A node that moves by more than that part of the thickness is out of the linear range."""
    sole, load = pad(), Wrench.standing(600.0)
    assert warnings(sole, load) == ""
    # No slip and no lift-off, so the deformation goes with 1/E: it passes it between the two.
    share = press(sole, load).deformation
    moved = np.linalg.norm(press(sole, load).displacements, axis=1).max()
    assert share == pytest.approx(moved / sole.thickness, rel=1e-12)
    assert warnings(sole.scaled(1.2 * share / STRAIN_LIMIT), load) == ""
    said = warnings(sole.scaled(0.8 * share / STRAIN_LIMIT), load)
    assert f"of the thickness; limit {STRAIN_LIMIT:g})" in said


def test_weight_on_a_slope_is_what_the_warning_says() -> None:
    """--force Q cos a --shear Q sin a: the reaction is Q straight up in the world."""
    Q, a = 600.0, np.radians(10.0)
    load = Wrench.standing(Q * np.cos(a), shear=(Q * np.sin(a), 0.0))
    result = press(pad().scaled(1e3), load, Slope(angle=radians(10)))
    up = result.pose[:3, :3] @ result.wrench[:3]
    assert np.allclose(up, [0, 0, Q], atol=1e-3 * Q)  # the sole itself tilts a little
    text = " ".join(describe_press(result).warnings)
    assert "sole frame" in text
    assert "--force Q*cos(a) --shear Q*sin(a) 0" in text


def test_round_off_is_not_shown() -> None:
    report = describe_press(press(pad(), Wrench.standing(600.0)))
    for name in ("cop", "moment"):
        zero = [v for v in report.quantities[name].value if v == 0.0]
        assert zero and not np.signbit(zero).any()  # "0", never "-0"
    assert np.abs(report.quantities["cop"].value).max() == 0.0


def test_values_show_themselves_in_one_line() -> None:
    result = press(pad(), Wrench.standing(600.0))
    for value in (result, result.sole, result.sole.mesh):
        assert len(repr(value)) < 300
        assert "array" not in repr(value)
