"""The example of margins runs with small parameters, and its numbers are checked."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load


def test_sole_margin() -> None:
    example = load("sole_margin")
    surfaces, verdicts, course = example.main(young=(3e5, 1e7), size=0.035, n=33, step=2.0)
    soft, stiff, plane, rigid = surfaces.values()
    X, Y, slide = example.X, example.Y, example.MU * example.FZ
    assert np.abs(rigid).max(axis=0) == pytest.approx([slide, 0, slide * (X + Y)])
    # Forces of any pressure can be moved to the corners: never beyond the rigid foot.
    for curve in (soft, stiff, plane):
        room = slide * (X + Y) - Y * np.abs(curve[:, 0]) - np.abs(curve[:, 2])
        assert np.abs(curve[:, 0]).max() <= slide * (1 + 1e-6)
        assert room.min() > 0
    # A stiff sole stands on the stone alone and hardly resists a turn.
    yaw = [np.abs(c[:, 2]).max() for c in (stiff, soft, plane)]
    assert yaw[0] < 0.3 * yaw[1] < yaw[2]
    percent = {name: float(text.split(": ")[1].split()[0]) for name, text in verdicts.items()}
    assert percent["stone, 10 MPa"] < percent["stone, 0.3 MPa"] < 90
    assert verdicts["plane, any E"].startswith("slide backward, turning right about")
    tz, slip = course.T
    assert slip[0] > 0.999 and (np.diff(slip) < 0).all() and 0 < slip[-1] < 0.09
    # The pressure of the start predicts where the press ends, to 5 % and its step of 2 N m.
    assert tz[-1] == pytest.approx(yaw[2], rel=0.05, abs=2.0)
