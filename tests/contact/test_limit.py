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
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from contact.ground import Bump, Plane
from contact.ground.simple_grounds import Bar
from contact.press import PressOptions, Wrench, divide_load, press
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


FEET = {"two layers": (8, 6, 2), "coarse": (4, 3, 1), "fine": (12, 8, 2)}


@pytest.mark.parametrize("young", [0.3, 1.0, 30.0])
@pytest.mark.parametrize("cells", FEET.values(), ids=FEET)
def test_central_shear_is_limited_by_friction_times_force(cells, young):
    """A soft sole tilts by some mrad under shear; the load keeps its direction all the same."""
    sole, friction = pad(cells).scaled(young), 0.5
    for degrees in 0, 35, 90:
        along = np.array([np.cos(radians(degrees)), np.sin(radians(degrees))])
        rests = press(sole, standing(600, shear=0.9999 * 300 * along), friction=friction)
        assert rests.certificate.holds(1e-8)
        with pytest.raises(EquilibriumError, match=r"slides at 300 N under this load"):
            press(sole, standing(600, shear=1.0002 * 300 * along), friction=friction)


@pytest.mark.parametrize("increments", [1, 10])
def test_increments_name_the_limit_of_the_whole_load(increments):
    path = divide_load(standing(600, shear=(0, 310)), increments)
    with pytest.raises(EquilibriumError, match=r"shear of 310 N is .* slides at 300 N"):
        press(pad(), path, friction=0.5)
    path = divide_load(standing(600, shear=(0, 299.97)), increments)
    assert press(pad(), path, friction=0.5).certificate.holds(1e-8)


# E [MPa], by how much less the limit may be: what gives slides askew until the foot has turned far.
@pytest.mark.parametrize(("young", "less"), [(1.0, 0.007), (10.0, 0.002), (100.0, 0.001)])
def test_central_yaw_is_limited_as_the_nodes_that_all_turn(young, less):
    """T = min over c of mu sum n_i |x_i - c|: the nodes turn about the c that friction allows."""
    sole, mu = pad().scaled(young), 0.7
    with pytest.raises(EquilibriumError) as caught:
        press(sole, standing(600, yaw=200), friction=mu)
    found = named(str(caught.value), r"turns at about ([\d.]+)")
    rests = press(sole, standing(600, yaw=0.999 * found), friction=mu)
    R, p = rests.pose[:3, :3], rests.pose[:3, 3]
    x = ((rests.points + rests.displacements) @ R.T + p)[:, :2]
    n = (rests.forces @ R.T)[:, 2]
    bound = minimize(lambda c: mu * n @ np.linalg.norm(x - c, axis=1), n @ x / 600).fun
    assert -less < found / bound - 1 < 6e-4


def test_cop_a_millimetre_inside_the_edge_rests_on_a_stiff_sole():
    sole = pad().scaled(10)
    for cop in (LENGTH / 2 - 1e-3, 0.0), (0.0, 1e-3 - WIDTH / 2):
        done = press(sole, standing(600, cop))
        assert done.certificate.holds(1e-8)
        np.testing.assert_allclose(done.cop, cop, atol=1e-9)
    with pytest.raises(EquilibriumError, match="outside the tread"):
        press(sole, standing(600, cop=(LENGTH / 2 + 1e-3, 0)))


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
    "yaw off centre": (1.0, 0.1, (0.06, 0.03), "yaw", 5.0),
    "yaw, stiffer": (10.0, 0.7, (0.06, 0.03), "yaw", 30.0),
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
    limit = named(str(caught.value), r"(?:turns at about|slides at) ([-\d.]+)")
    assert 0 < limit < asked
    # What is named rests, and 1.5 % more does not.
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
    load, stone = standing(600), Bump(rise=0.01, radius=0.03, x=0.03)
    with pytest.raises(EquilibriumError, match=r"slides without any shear.* friction 0\.001") as e:
        press(pad(), load, stone, 1e-3)
    assert named(str(e.value), r"tilts by ([\d.]+) rad") > 1e-3
    assert "-" not in str(e.value).split("slides")[1]


def test_tipping_names_how_far_the_cop_may_go():
    soft = pad().scaled(0.1)
    with pytest.raises(EquilibriumError, match="tips over with the CoP at") as caught:
        press(soft, standing(600, cop=(0.09, 0)))
    x = named(str(caught.value), r"rests up to \(([\d.]+), 0\) m")
    assert press(soft, standing(600, cop=(x, 0))).certificate.holds(1e-9)
    above = press(soft, standing(600, cop=(1.01 * x, 0)), check=False)
    assert not above.certificate.holds(1e-6)


def test_a_solver_that_stalls_names_no_limit():
    # Friction of 100 on this bar: nothing slides, but one outer iteration is too little.
    ground = Bar(rise=0.005, radius=0.01, angle=radians(10))
    load = standing(600, cop=(0.02, 0.01))
    with pytest.raises(ConvergenceError, match="increments=5"):
        press(pad(), load, ground, 100.0, options=PressOptions(max_outer=1, polish=False))
    with pytest.raises(ConvergenceError, match="at the limit of what rests"):
        options = PressOptions(max_outer=1, polish=False)
        press(pad(), load, ground, 100.0, increments=10, options=options)


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
