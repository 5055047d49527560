"""Peaks of a press: by area, with their node, and doubted on a coarse mesh."""

from __future__ import annotations

import numpy as np
from box_mesh import box_mesh

from contact.ground import Bump, Plane
from contact.press import Wrench, press
from contact.summaries.press_summary import describe_press
from sole.condense import condense
from sole.material import Material

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)


def pressed(ground, cells):
    sole = condense(box_mesh(0.20, 0.10, 0.02, cells), RUBBER, "p1")
    return press(sole, Wrench.standing(150.0), ground)


def test_the_largest_pressure_names_its_corner_and_most_of_the_area_has_less(pad):
    result = press(pad, Wrench.standing(300.0), Plane())
    report = describe_press(result)
    rows, areas = report.quantities, pad.areas
    p95 = rows["pressure p95"].value
    below = areas[result.pressure <= p95].sum() / areas.sum()
    assert 0.95 <= below < 1 or p95 == result.pressure.max()
    assert areas[result.pressure < p95].sum() / areas.sum() < 0.95
    corner = result.points[result.pressure.argmax()]
    assert f"({1e3 * corner[0]:g}, {1e3 * corner[1]:g}) mm" in rows["max pressure"].remark
    alone = areas[result.pressure.argmax()] < 0.6 * np.median(areas)
    assert ("it stands for" in rows["max pressure"].remark) == alone
    assert not any("too coarse" in note for note in report.warnings)


def test_a_mesh_too_coarse_for_its_bump_is_told():
    bump = Bump(rise=0.003, radius=0.05)
    coarse = describe_press(pressed(bump, (4, 2, 1)))
    (note,) = [w for w in coarse.warnings if "too coarse" in w]
    assert "--size-tread" in note
    fine = describe_press(pressed(bump, (20, 12, 2)))
    assert not [w for w in fine.warnings if "too coarse" in w]
