"""Loads without a state of rest: refused, with the limit to one per cent, and no others."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from math import radians

import numpy as np
import pytest
from box_mesh import box_mesh
from press_cases import LENGTH, THICKNESS, WIDTH, pad
from scipy.spatial import ConvexHull

from contact.ground import Plane
from contact.ground.simple_grounds import Bar
from contact.press import PressOptions, Wrench, press
from contact.press.limit_load import _outside, check_load
from contact.press.press_state import PressSetting
from sole.base.errors import ConvergenceError, EquilibriumError
from sole.condense import condense
from sole.material import Material

standing = Wrench.standing


def named(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found.group(1))


@lru_cache
def trapezoid():
    """The pad with a tread that lacks the corner x + y > 0.08."""
    mesh = box_mesh(LENGTH, WIDTH, THICKNESS, (8, 6, 1))
    corner = mesh.points[mesh.tread].mean(axis=1)[:, :2].sum(axis=1) > 0.08
    mesh = replace(mesh, tread=mesh.tread[~corner])
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.4), "p1")


def test_shear_is_not_refused_by_the_cone_of_the_ground_alone():
    # A soft sole tilts by 0.06 rad and holds shear of 1.2 mu fz along its own axes.
    sole = pad().scaled(0.1)
    load = standing(600, cop=(-0.05, 0), shear=(216, 0))
    assert press(sole, load, friction=0.3).certificate.holds(1e-9)


def test_a_point_is_outside_a_hull_as_qhull_says():
    rng = np.random.default_rng(3)
    asked = []
    for _ in range(300):
        points = rng.normal(size=(rng.integers(3, 30), 2))
        p = points[0] if rng.random() < 0.1 else rng.normal(size=2) * rng.choice([0.2, 2.0])
        facets = ConvexHull(points).equations
        far = float((facets[:, :2] @ p + facets[:, 2]).max())
        asked.append(far > 1e-12)
        assert (_outside(points, p) > 1e-12) == asked[-1]
    assert 60 < sum(asked) < 240


# (sole's E in MPa, friction, CoP, name of the limit, unit wrench), lower and upper bound known
LIMITS = {
    "yaw off centre": (1.0, 0.1, (0.06, 0.03), "yaw", 1.9),
    "yaw, stiffer": (10.0, 0.7, (0.06, 0.03), "yaw", 15.0),
    "yaw, rough": (1.0, 2.0, (0.0, 0.0), "yaw", 110.0),
    "shear": (1.0, 0.7, (0.0, 0.0), "shear", 900.0),
    "shear, tilted": (0.1, 0.3, (-0.05, 0.0), "shear", 300.0),
    "hardly rough": (1.0, 1e-3, (0.0, 0.0), "shear", 1.0),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limit_is_within_one_per_cent(name):
    young, friction, cop, kind, asked = LIMITS[name]
    sole = pad().scaled(young)

    def load(size: float) -> Wrench:
        if kind == "yaw":
            return standing(600, cop, yaw=size)
        return standing(600, cop, shear=(size, 0.0))

    with pytest.raises(EquilibriumError, match=f"{kind} .* beyond friction") as caught:
        press(sole, load(asked), friction=friction)
    limit = named(str(caught.value), r"(?:turns|slides) at ([-\d.]+)")
    assert 0 < limit < asked
    # What is named rests, and 1 % more does not.
    assert press(sole, load(0.99 * limit), friction=friction).certificate.holds(1e-8)
    above = press(sole, load(1.015 * limit), friction=friction, check=False)
    assert not above.certificate.holds(1e-6 * min(1.0, friction))


def test_named_slide_on_the_plane_is_friction_times_force():
    with pytest.raises(EquilibriumError) as caught:
        press(pad(), standing(600, shear=(500, 0)))
    assert named(str(caught.value), r"slides at ([\d.]+) N") == pytest.approx(420, rel=0.006)


def test_shear_with_yaw_names_both():
    with pytest.raises(EquilibriumError, match=r"500 N with yaw 3 N m .* of both"):
        press(pad(), standing(600, shear=(500, 0), yaw=3))


def test_slide_without_shear_names_tilt_and_friction():
    load = standing(600, cop=(0.06, 0.03), yaw=1)
    with pytest.raises(EquilibriumError, match=r"slides without any shear.* friction 0\.001") as e:
        press(pad(), load, friction=1e-3)
    assert named(str(e.value), r"tilts by ([\d.]+) rad") > 1e-3
    assert "-" not in str(e.value).split("slides")[1]


def test_tipping_names_how_far_the_cop_may_go():
    soft = pad().scaled(0.1)
    with pytest.raises(EquilibriumError, match="tips over with the CoP at") as caught:
        press(soft, standing(600, cop=(0.09, 0)))
    x = named(str(caught.value), r"rests up to \(([\d.]+), 0\) m")
    assert press(soft, standing(600, cop=(0.995 * x, 0))).certificate.holds(1e-9)
    above = press(soft, standing(600, cop=(1.01 * x, 0)), check=False)
    assert not above.certificate.holds(1e-6)


def test_a_solver_that_stalls_names_no_limit():
    # Friction of 100 on this bar: nothing slides, but two outer iterations are too few.
    ground = Bar(rise=0.005, radius=0.01, angle=radians(10))
    load = standing(600, cop=(0.02, 0.01), shear=(126, 0))
    with pytest.raises(ConvergenceError, match="increments=5"):
        press(pad(), load, ground, 100.0, options=PressOptions(max_outer=2, polish=False))


def test_cop_is_judged_by_the_hull_of_the_tread():
    sole = trapezoid()
    setting = PressSetting(sole=sole, ground=Plane(), friction=0.7)
    x = sole.points[:, :2]
    assert x[:, 0].max() > 0.09 and x[:, 1].max() > 0.05
    check_load(setting, standing(600, cop=(0.09, -0.03)))
    check_load(setting, standing(600, cop=(0.0, 0.05)))
    with pytest.raises(EquilibriumError, match="outside the tread"):
        check_load(setting, standing(600, cop=(0.09, 0.05)))
    np.testing.assert_array_less(x.sum(axis=1), 0.139)
