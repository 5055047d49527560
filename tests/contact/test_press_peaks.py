"""Peaks of a press: by area, with their node, and doubted on a coarse mesh."""

from __future__ import annotations

import numpy as np
from box_mesh import box_mesh

from contact.ground import Bump, Plane
from contact.press import PEAK_AREA, Wrench, peak_pressure, press
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


def test_the_peak_of_an_elliptic_pressure_is_its_integral():
    # Hertz: p = p0 sqrt(1 - r^2/a^2); over the disc of radius s a: p0 2/3 (1 - (1-s^2)^1.5) / s^2.
    a, p0, share = 0.02, 5e5, 0.3
    step = a / 200
    x = np.arange(-a, a, step) + step / 2
    r = np.hypot(*np.meshgrid(x, x)).ravel()
    pressure = p0 * np.sqrt(np.maximum(1 - (r / a) ** 2, 0))
    peak = peak_pressure(pressure, np.full(len(r), step**2), share * np.pi * a**2)
    assert abs(peak / (p0 * 2 / 3 * (1 - (1 - share) ** 1.5) / share) - 1) < 1e-3


def test_a_load_on_less_than_the_area_counts_with_the_bare_tread_around_it():
    areas = np.full(4, PEAK_AREA / 4)
    assert peak_pressure(np.array([0.0, 8e5, 0.0, 0.0]), areas) == 2e5
    assert peak_pressure(np.array([3e5, 1e5]), np.full(2, 5 * PEAK_AREA)) == 3e5  # one node has it
    assert peak_pressure(np.array([3e5, 1e5]), np.full(2, PEAK_AREA / 4)) == 2e5  # a smaller tread


def test_the_peak_rises_on_a_bump_where_the_percentile_falls():
    def both(scale):
        result = press(SOLE.scaled(scale), Wrench.standing(400.0), Bump(rise=0.002, radius=0.05))
        rows = describe_press(result).quantities
        return rows["peak pressure"].value, rows["pressure p95"].value

    (soft, soft_p95), (hard, hard_p95) = both(1.0), both(4.0)
    coarse = describe_press(pressed(Bump(rise=0.003, radius=0.05), (4, 2, 1))).quantities
    told = coarse["peak pressure"].remark
    assert "one node stands for" in told and told.endswith("a finer mesh may have more or less")
    assert hard > 1.5 * soft
    assert hard_p95 < soft_p95


SOLE = condense(box_mesh(0.20, 0.10, 0.02, (20, 12, 2)), RUBBER, "p1")
