"""Soles on feet: any sole on any foot, mirrored or different, and where they may lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from box_mesh import box_mesh
from doors import door
from robot_cases import G, pad

from robot.control import Stabiliser
from robot.control import stabiliser_kernels as kernels
from robot.gait import Balancing, GaitError, Squatting, Standing, Walking
from robot.gait.plan_checks import support_margins
from robot.model import load_robot, robot_names
from robot.soles import on_soles
from robot.walk import Scenario, SoleChoice, assemble_walk
from sole.base.errors import SoleError
from sole.condense import condense, save_condensed
from sole.material import Material

ROBOT = load_robot("hrp2-like")
RUBBER = Material(young_modulus=3e6, poisson_ratio=0.4)


def sole(length: float = 0.16, width: float = 0.1, thickness: float = 0.02):
    return condense(box_mesh(length, width, thickness, (4, 3, 1)), [RUBBER], element="p1")


@pytest.mark.parametrize("name", robot_names())
def test_any_sole_on_any_robot(name):
    """The tread lies under the bond plane, side by side, and the robot is heavier by the soles."""
    robot, small = load_robot(name), sole(0.12, 0.08)
    if name == "lola-like":
        with pytest.raises(SoleError, match="under no pad of the foot"):
            on_soles(robot, small)
        return
    on = on_soles(robot, small)
    assert on.robot.mass == pytest.approx(robot.mass + 2 * small.inertia.mass)
    data = on.robot.model.createData()
    pin.framesForwardKinematics(on.robot.model, data, on.robot.q0)
    for body in on.touching:
        tread = data.oMf[body.frame].act(np.array(body.body.points).mean(axis=0))
        assert tread[2] == pytest.approx(-0.02, abs=1e-4)  # Talos' soles are tilted by 0.1 degrees


def test_pads_of_a_foot_with_a_toe_go_to_their_links():
    """Each link has its own nodes, and pads share no material: C between them is zero."""
    robot = load_robot("lola-like")
    from sole.mesh import mesh_shape

    four = condense(mesh_shape(robot.left.shape(0.02), 0.04, 0.04), [RUBBER], element="p1")
    on = on_soles(robot, four)
    assert [t.name for t in on.touching] == ["left", "left toe", "right", "right toe"]
    heel, toe = (np.array(t.body.points) for t in on.touching[:2])
    assert len(heel) + len(toe) == len(four.points)
    assert heel[:, 0].max() < toe[:, 0].min()
    ahead = np.repeat(four.points[:, 0] > heel[:, 0].max() + 1e-6, 3)
    between = four.compliance[np.ix_(ahead, ~ahead)]
    assert np.abs(between).max() < 1e-9 * np.abs(four.compliance).max()


def test_the_right_sole_is_the_mirror_image_or_its_own():
    left = sole()
    skew = replace(
        left, mesh=replace(left.mesh, points=left.mesh.points + np.array([0.0, 0.01, 0.0]))
    )
    on = on_soles(ROBOT, skew)
    np.testing.assert_allclose(on.soles[1].points, on.soles[0].points * [1, -1, 1], atol=1e-15)
    other = on_soles(ROBOT, skew, pad())
    np.testing.assert_array_equal(other.soles[1].points, pad().points)


def test_rigid_and_soft_feet_differ_in_nothing_but_compliance():
    soft, hard = on_soles(ROBOT, pad()), on_soles(ROBOT, pad(), rigid=True)
    assert hard.robot.mass == soft.robot.mass and hard.thicknesses == soft.thicknesses
    for a, b in zip(soft.touching, hard.touching, strict=True):
        np.testing.assert_array_equal(a.body.points, b.body.points)
        assert a.body.compliance is not None and b.body.compliance is None
    for j in range(1, ROBOT.model.njoints):
        assert hard.robot.model.inertias[j].isApprox(soft.robot.model.inertias[j], 0.0)


# where they lie


def test_a_sole_off_the_middle():
    """Nodes, mass and stiffness are moved: K6 about the foot's middle is T' K6 T."""
    own, x, y = sole(), 0.03, -0.01
    by = np.array([x, y, 0.0])
    on = on_soles(ROBOT, own, place=(x, y))
    np.testing.assert_allclose(on.soles[0].points, own.points + by, atol=1e-15)
    np.testing.assert_allclose(on.soles[1].points, own.points * [1, -1, 1] + [x, -y, 0], atol=1e-15)
    np.testing.assert_allclose(on.edges[0], [[x - 0.08, y - 0.05], [x + 0.08, y + 0.05]])
    T = np.eye(6)
    T[0, 5], T[1, 5], T[2, 3], T[2, 4] = -y, x, y, -x  # velocity of (x, y) as the middle turns
    K6 = T.T @ own.foot_stiffness @ T
    np.testing.assert_allclose(on.stiffness[0], K6, atol=1e-9 * np.abs(K6).max())
    foot = ROBOT.left
    added = on.robot.model.inertias[foot.joint] - ROBOT.model.inertias[foot.joint]
    center = pin.SE3(np.array(foot.sole_to_joint)).actInv(added.lever)
    np.testing.assert_allclose(center, own.inertia.center_of_mass + by, atol=1e-9)
    right = on_soles(ROBOT, own, place=(x, y), right_place=(0.0, 0.02)).soles[1]
    np.testing.assert_allclose(right.points, own.points * [1, -1, 1] + [0, 0.02, 0], atol=1e-15)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((0.09, 0.0), r"left sole \(160\.0 x 100\.0 mm\) extends 50\.0 mm beyond the front edge"),
        ((-0.05, 0.0), r"10\.0 mm beyond the back edge"),
        ((0.0, 0.025), r"5\.0 mm beyond the left edge"),
        ((0.0, -0.025), r"5\.0 mm beyond the right edge"),
        ((np.nan, 0.0), "place must be x and y"),
    ],
)
def test_a_sole_not_under_the_foot_is_refused(place, said):
    with pytest.raises(SoleError, match=said):
        on_soles(ROBOT, sole(), place=place)


def test_a_mesh_that_lies_elsewhere_is_refused():
    """Also one whose bond is wider than its tread, and one that is glued to nothing."""

    def moved(*by):
        own = sole()
        return replace(own, mesh=replace(own.mesh, points=own.mesh.points + np.array(by)))

    with pytest.raises(SoleError, match="front edge"):
        on_soles(ROBOT, moved(0.09, 0, 0))
    with pytest.raises(SoleError, match=r"the right sole is 50\.0 mm above the underside"):
        on_soles(ROBOT, sole(), moved(0, 0, 0.05))
    with pytest.raises(SoleError, match=r"the left sole is 5\.0 mm below the underside"):
        on_soles(ROBOT, moved(0, 0, -0.005))
    with pytest.raises(SoleError, match="left sole does not cover the centre"):
        on_soles(ROBOT, sole(0.08), place=(-0.06, 0.0))
    own = sole(0.24)
    wide = np.where(own.mesh.points[:, 2:] > -1e-9, 1.05, 1.0) * own.mesh.points
    with pytest.raises(SoleError, match=r"6\.0 mm beyond the"):
        on_soles(ROBOT, replace(own, mesh=replace(own.mesh, points=wide)))


# of different thickness


def test_soles_of_different_thickness_are_planned_on_one_ground():
    for gait in (Walking(steps=1), Standing(), Squatting(), Balancing()):
        plan = gait.plan(ROBOT, 5e-3, (0.02, 0.035))
        treads = plan.feet[:, :, 2, 3] - [0.02, 0.035]
        assert np.abs(treads[0]).max() < 1e-12
        assert treads.min() > -1e-12
        data = ROBOT.model.createData()
        pin.framesForwardKinematics(ROBOT.model, data, plan.q_ref[0])
        reached = [data.oMf[foot.frame].translation[2] for foot in ROBOT.feet]
        assert reached == pytest.approx([0.02, 0.035], abs=1e-9)


@pytest.mark.parametrize("kind", ["pd", "stabiliser"])
def test_soles_of_different_thickness_stand_upright(kind, tmp_path):
    """With one thickness for both the waist rolled by a degree and one foot carried more."""
    save_condensed(tmp_path / "thin.npz", pad())
    save_condensed(tmp_path / "thick.npz", sole(0.24, 0.14, 0.03))
    scenario = Scenario(sole=SoleChoice(file="thin.npz", right_file="thick.npz"), gait=Standing())
    scenario = replace(scenario, control=replace(scenario.control, kind=kind), settle=0.8)
    made = assemble_walk(scenario, tmp_path)
    q, step = made.start.q, next(iter(made.steps()))[0]
    w, x, y, z = q[6], *q[3:6]
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    assert abs(roll) < (2e-3 if kind == "pd" else 1e-4)
    loads = step.contact.wrenches[:, 2]
    assert loads.sum() == pytest.approx(made.feet.robot.mass * G, rel=0.01)
    if kind == "stabiliser":
        assert made.controller.feet.thickness == pytest.approx([0.02, 0.03])
        assert abs(loads[0] - loads[1]) < 0.02 * loads.sum()


def test_the_plan_must_stay_over_the_tread(tmp_path):
    """A pad of 60 mm in length: the zero-moment point of the body leaves it, not the foot."""
    save_condensed(tmp_path / "short.npz", sole(0.06, 0.12))
    scenario = Scenario(sole=SoleChoice(file="short.npz", place=(0.025, 0.0)), settle=0.0)
    with pytest.raises(GaitError, match=r"zero-moment point .* mm outside the support"):
        assemble_walk(scenario, tmp_path)
    on = on_soles(ROBOT, sole(0.06, 0.12), place=(0.025, 0.0))
    plan = Walking(steps=1).plan(ROBOT, 5e-3, 0.02)
    free = support_margins(ROBOT, plan.schedule, plan.times, plan.zmp)
    held = support_margins(ROBOT, plan.schedule, plan.times, plan.zmp, on.edges)
    assert held.min() < 0.004 < 0.06 < free.min()
    # at rest, the feet side by side: 5 mm of tread behind the sole frames
    assert held[0] - (plan.zmp[0, 0] - plan.feet[0, 0, 0, 3]) == pytest.approx(0.005, abs=1e-9)


def test_the_stabiliser_keeps_its_point_over_the_tread(tmp_path):
    """On one foot, whichever way it is thrown: a centimetre inside the edges."""
    save_condensed(tmp_path / "small.npz", sole())
    choice = SoleChoice(file="small.npz", place=(0.03, 0.01), right_place=(0.02, 0.0))
    made = assemble_walk(Scenario(sole=choice, gait=Balancing(), settle=0.0), tmp_path)
    control, plan = made.controller, made.plan
    with pytest.raises(SoleError, match=r"a tread of 19 mm is too small .* keeps 10 mm"):
        Stabiliser(ROBOT, plan, edges=made.feet.edges * [1.0, 0.19])
    edges = control.feet.edges
    np.testing.assert_allclose(edges[0], [[-0.04, -0.03], [0.10, 0.05]], atol=1e-9)
    np.testing.assert_allclose(edges[1], [[-0.05, -0.04], [0.09, 0.04]], atol=1e-9)
    k = plan.row(4.0)
    assert list(plan.supports[k]) == [True, False]
    # omega^2 = g / height over the tread that carries, whatever the other sole's thickness
    p, force = np.empty(2), np.empty(3)
    arrays, tuning = plan.arrays, control.tuning._replace(mass=58.0)
    assert (tuning.T, tuning.k, tuning.k_i) == (1e-3, 4.0, 0.0)
    right = arrays._replace(
        dcm=plan.com[:, :2].copy(),
        com_acceleration=np.zeros_like(plan.com),
        supports=np.tile([False, True], (len(plan.times), 1)),
    )
    wide = control.feet._replace(edges=99 * edges, thickness=np.array([0.2, 0.9]))
    c = plan.com[k] + [1e-3, 0, 0]
    door(kernels.balance_body)(c, np.zeros(3), k, k, right, wide, tuning, np.zeros(2), p, force)
    omega = np.sqrt(G / (plan.com[k, 2] - plan.feet[k, 1, 2, 3] + 0.9))
    assert p[0] - plan.zmp[k, 0] == pytest.approx(1e-3 * (1 + 4.0 / omega), rel=1e-9)
    for direction in ([1, 0], [-1, 0], [0, 1], [0, -1]):
        p, force = np.empty(2), np.empty(3)
        c = plan.com[k] + [*direction, 0]
        door(kernels.balance_body)(
            c, np.zeros(3), k, k, arrays, control.feet, tuning, np.zeros(2), p, force
        )
        own = (p - plan.feet[k, 0, :2, 3]) @ plan.feet[k, 0, :2, :2]
        low, high = edges[0]
        axis = int(np.argmax(np.abs(direction)))
        assert own[axis] == pytest.approx((high if sum(direction) > 0 else low)[axis])
        assert (own >= low - 1e-12).all() and (own <= high + 1e-12).all()
