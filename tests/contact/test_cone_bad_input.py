"""Nonsense for cones, margins and stiffness is refused by name, with one kind of error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from contact.frames import wrenches_about
from contact.margins import LimitSurface
from contact.margins.sole_margin import sole_margin
from contact.papers.foundation import (
    ForceLaw,
    WinklerFoundation,
    four_pads,
    inverse,
    pad_moduli,
    rectangle_region,
    segments_region,
    triangles_region,
)
from contact.wrench_cone import CircularCone, Hull, WrenchCone
from contact.wrench_cone import rectangle as closed
from contact.wrench_cone.polygon import checked_polygon
from sole.base.errors import SoleError

X, Y, MU = 0.112, 0.065, 0.4
FLAT = np.column_stack([closed.rectangle_corners(X, Y), np.zeros(4)])
MIRROR = np.tile(np.diag([1.0, 1.0, -1.0]), (4, 1, 1))
RAGGED = [[1, 2, 3], [1, 2]]
REGION = rectangle_region(0.2, 0.1)
U = WinklerFoundation(region=REGION, c_A=1e7).U
LAW = ForceLaw.of(U, 0.02)
SURFACE = LimitSurface(FLAT, np.ones(4), MU)


@pytest.mark.parametrize(
    "call",
    [
        lambda: WrenchCone.of_contacts("abc", np.eye(3), MU),
        lambda: WrenchCone.of_contacts(RAGGED, np.eye(3), MU),
        lambda: WrenchCone.of_polygon(1e160 * FLAT[:, :2], MU),
        lambda: checked_polygon(RAGGED),
        lambda: CircularCone(vertices=1e160 * FLAT[:, :2], friction=MU),
        lambda: WrenchCone.of_rectangle(X, Y, MU).margin([0, 0, 1e200, 0, 0, 0]),
        lambda: wrenches_about([0, 0, 1, 0, 0, 0], "abc"),
        lambda: Hull.of(RAGGED),
        lambda: LimitSurface("abc", np.ones(4), MU),
        lambda: LimitSurface(FLAT, np.ones(4), "rough"),
        lambda: LimitSurface(FLAT, np.ones(4), MU, MIRROR),
        lambda: LimitSurface(FLAT, np.full(4, 1e-200), MU),
        lambda: SURFACE.slip([1, 2, "a"]),
        lambda: SURFACE.boundary(RAGGED),
        lambda: SURFACE.support("abc"),
        lambda: sole_margin("abc", FLAT, MU),
        lambda: sole_margin(FLAT, RAGGED, MU),
        lambda: sole_margin(FLAT, np.ones((4, 3)), MU, frames=MIRROR),
        lambda: sole_margin(FLAT, np.ones((4, 3)), "rough"),
        lambda: rectangle_region("a", 0.1),
        lambda: rectangle_region([0.1, 0.2], 0.1),
        lambda: four_pads(-0.2, 0.1, 0.05, 0.02),
        lambda: four_pads(0.2, 0.1, 0.3, 0.02),
        lambda: four_pads(0.2, 0.1, -0.05, 0.02),
        lambda: triangles_region([[0, 0], [1, 0], [0, 1]], [[0, 1, 2], [2, 0, 1]]),
        lambda: triangles_region([[0, 0], [1, 0], [0, 1]], "abc"),
        lambda: triangles_region([[0, 0], [1, 0], [0, 1]], [[0, 1, 1.5]]),
        lambda: segments_region(RAGGED),
        lambda: WinklerFoundation(region=REGION, c_A="a"),
        lambda: WinklerFoundation(region=REGION, c_A=np.array([1.0, 2.0])),
        lambda: WinklerFoundation(region=REGION, c_A=1e7).wrench("abc"),
        lambda: WinklerFoundation(region=REGION, c_A=1e7).U_of_pieces(["a"]),
        lambda: WinklerFoundation(region=REGION, c_A=1e7).pressed([0, 0, 0], "high"),
        lambda: pad_moduli("a", 0.4, 0.2, 0.1, 0.01),
        lambda: pad_moduli(1e6, "a", 0.2, 0.1, 0.01),
        lambda: pad_moduli(1e6, [0.1, 0.2], 0.2, 0.1, 0.01),
        lambda: pad_moduli(1e6, 0.4, None, 0.1, 0.01),
        lambda: inverse("abc"),
        lambda: inverse(-U),
        lambda: inverse(np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1.0]])),
        lambda: ForceLaw.of(-U, 0.02),
        lambda: ForceLaw.of(np.diag([-1.0, 1.0, -1.0]), 0.02),
        lambda: ForceLaw.of(U, "a"),
        lambda: ForceLaw.of(U, np.array([0.1, 0.2])),
        lambda: LAW.rate("abc", [0, 0, 0]),
        lambda: LAW.increment([0, 0, 0], [0, 0, 0], dt="a"),
    ],
)
def test_refused_in_one_line_without_warnings(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SoleError) as caught:
            call()
    assert "\n" not in str(caught.value)


def test_loads_too_small_for_quotients_are_none():
    w = [1e-200, 0, 1e-200, 0, 0, 0]
    assert WrenchCone.of_rectangle(X, Y, MU).margin(w).value == -np.inf
    assert closed.rectangle_margin(w, X, Y, MU).value == -np.inf
    found = CircularCone.of_rectangle(X, Y, MU).margin(w)
    assert found.value == found.bound == -np.inf


def test_good_numbers_in_other_dress_are_taken():
    assert inverse(U) @ U == pytest.approx(np.eye(3), abs=1e-9)
    assert ForceLaw.of(U.tolist(), np.float32(0.5)).delta == 0.5
    assert rectangle_region(np.float64(0.2), np.array(0.1)).area == pytest.approx(0.02)
    assert pad_moduli(1e6, 0, 0.2, 0.1, 0.01).vertical == pytest.approx(1e6)
