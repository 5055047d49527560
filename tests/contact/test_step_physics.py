"""Steps over time against mechanics: friction, rest, Hertz, obstacles, objectivity."""

from __future__ import annotations

import os
import subprocess
import sys
from math import radians

import numpy as np
import pytest
from doors import door
from press_cases import block
from step_cases import COM, CORNERS, INERTIA, MASS, G, Guided, go, lifting, small_pad, world

from contact.frames import rotation_of
from contact.ground import Box, Bump, CompositeGround, Plane, Slope
from contact.press import RigidMotion, Wrench, press
from contact.problem import ContactStatus
from contact.step import Body, StepMotion, StepOptions, step_solver
from contact.step.end_kernels import still_sticks
from contact.swept_step import fast_step

LOW = np.array([0.0, 0.0, 0.01])  # a centre of mass so low that nothing tips


# --- Friction -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.3, 0.7])
@pytest.mark.parametrize("stiffer", [1.0, 0.0])
def test_a_block_on_a_slope_sticks_or_slides_at_the_right_angle(mu, stiffer):
    # tan(angle) below mu: rests; above: slides with a = g (sin - mu cos).
    limit = np.degrees(np.arctan(mu))
    for angle in (limit - 1.0, limit + 1.0):
        ground = Slope(angle=radians(angle))
        body = (
            Body.of(small_pad(), eta=2e-3, friction=mu)
            if stiffer
            else Body(points=CORNERS, friction=mu)
        )
        scene, dt = world(body, ground, com=LOW), 2e-3
        Q = ground.frame
        state = scene.at((Q @ [0, 0, 0.02])[None], Q[None])
        rest = angle < limit  # let go, the pad slips until its first swing is over
        steps = go(scene, state, dt, 450 if rest and stiffer else 150)
        down = [-float(s.state.twists[0]) for s in steps]
        if rest:
            # The pad still swings; rigid feet stand at once.
            assert abs(np.mean(down[-75:])) < (5e-4 if stiffer else 1e-7)
            assert (steps[-1].contact.state.status[:, 0] == ContactStatus.STICK).any()
        else:
            a = G * (np.sin(np.radians(angle)) - mu * np.cos(np.radians(angle)))
            # The pad swings after it is let go: its mean over the second half, within a percent.
            mean = (down[-1] - down[74]) / (75 * dt)
            assert mean == pytest.approx(a, rel=2e-2 if stiffer else 1e-4)
            slipping = steps[-1].contact.state.status[:, 0] == ContactStatus.SLIP
            assert slipping.sum() >= 3


@pytest.mark.parametrize("stiffer", [30.0, 0.0])
def test_a_sliding_block_stops_at_v2_over_2_mu_g(stiffer):
    # Rigid: backward Euler brakes by mu g dt per step and stops v dt/2 early, exactly.
    v, mu, dt = 0.5, 0.5, 1e-3
    body = (
        Body.of(small_pad().scaled(stiffer), eta=1e-3, friction=mu)
        if stiffer
        else Body(points=CORNERS, friction=mu)
    )
    scene = world(body, com=LOW)
    sink = MASS * G / small_pad().foot_stiffness[2, 2] / stiffer if stiffer else 0.0
    twist = np.array([v, 0, 0, 0, 0, 0])
    steps = go(scene, scene.at(np.array([[0, 0, 0.02 - sink]]), twists=twist, inside=True), dt, 250)
    exact = v * v / (2 * mu * G)
    way = steps[-1].state.places[0, 0]
    assert abs(steps[-1].state.twists[0]) < 1e-6
    assert way == pytest.approx(exact - v * dt / 2, rel=2e-2 if stiffer else 1e-4)
    lost = sum(s.contact.energy.friction for s in steps)
    assert -lost == pytest.approx(MASS * v * v / 2, rel=2e-2)


# --- Rest ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [0.0, 50.0])
def test_deflection_at_rest_is_that_of_the_press(friction):
    foot = Guided(Body.of(small_pad(), friction=friction, eta=5e-3), lifting(MASS), tolerance=1e-10)
    foot.place[2] = 0.02
    for _ in range(400):
        done = foot.step(2e-3)
    weight = MASS * G
    sink = 0.02 - foot.place[2]
    if friction:
        assert sink == pytest.approx(weight / small_pad().foot_stiffness[2, 2], rel=1e-6)
    # The press that is held at the same place feels the same forces at every node.
    held = press(small_pad(), RigidMotion(sink=sink), friction=friction)
    np.testing.assert_allclose(foot.state.forces.sum(axis=1), held.forces, atol=1e-5 * weight)
    np.testing.assert_allclose(foot.state.displacement, held.displacements, atol=1e-5 * sink)
    assert done.wrenches[0, 2] == pytest.approx(weight, rel=1e-6)


def test_a_free_foot_comes_to_rest_as_pressed():
    # Turned by its off-centre weight until the CoP is below the centre of mass.
    com = np.array([0.02, 0.01, 0.05])
    scene = world(Body.of(small_pad(), eta=2e-2, friction=5.0), com=com, tolerance=1e-9)
    steps = go(scene, scene.at(np.array([[0, 0, 0.02]])), 4e-3, 400)
    last = steps[-1].state
    assert steps[-1].kinetic < 1e-12
    R, c = last.rotations[0], last.places[0] + last.rotations[0] @ com
    f = last.soles.forces.sum(axis=1) @ R.T
    p = (small_pad().points + last.soles.displacement) @ R.T + last.places[0]
    np.testing.assert_allclose(f.sum(axis=0), [0, 0, MASS * G], atol=1e-4 * MASS * G)
    np.testing.assert_allclose(np.cross(p - c, f).sum(axis=0), 0.0, atol=1e-4 * MASS * G * 0.1)
    load = Wrench.standing(MASS * G, cop=(com[0], com[1]))
    # The tilt of the press, with moments taken at undeformed points: to the order of U/length.
    tilt = press(small_pad(), load, friction=5.0).motion[3:5]
    np.testing.assert_allclose([R[2, 1], -R[2, 0]], tilt, rtol=0.05, atol=1e-4)


def test_hertz_pressure_at_rest():
    # A large block on a ball, guided: F = 4/3 E* sqrt(R) d^1.5, p0 = 3F/(2 pi a^2); the press of
    # the same sole agrees to the tolerance, Hertz to the size of the cells (tests of the press).
    patch, depth, R, fine = 0.01, 0.05, 0.08, 4
    sole = block(patch, fine, 0.08, depth)
    E, nu = sole.materials[0].young_modulus, sole.materials[0].poisson_ratio
    force = 6.0
    ground = Bump(rise=0.02, radius=R)
    foot = Guided(
        Body.of(sole, friction=0.0, eta=5e-2),
        lifting(force / G),
        ground,
        tolerance=1e-9,
        gains=True,
    )
    foot.place[2] = depth + 0.02 - 7e-4
    for _ in range(60):
        foot.step(0.02)
    assert foot.step(0.02).wrenches[0, 2] == pytest.approx(force, rel=1e-5)
    d = depth + 0.02 - foot.place[2]
    held = press(sole, RigidMotion(sink=d), ground, friction=0.0)
    f = foot.state.forces.sum(axis=1)
    np.testing.assert_allclose(f, held.forces, atol=2e-4 * force)
    a, E_star = np.sqrt(R * d), E / (1 - nu**2)
    s = 2 / np.pi * (1.2876 - 1.4678 * nu + 1.3442 * nu**2) / (1 - nu) * a / depth
    exact = 4 / 3 * E_star * np.sqrt(R) * d**1.5 * (1 + s + s**2)  # bonded layer, as the press
    h = patch / fine
    assert a < 0.85 * patch
    assert force == pytest.approx(exact, rel=(h / a) ** 2 + (a / depth) ** 2)
    pressure = np.linalg.norm(f, axis=1) / sole.areas
    assert pressure.max() == pytest.approx(1.5 * force / (np.pi * a**2), rel=2 * h / a)


# --- Obstacles ----------------------------------------------------------------------------------

KERB = CompositeGround(
    parts=(Plane(), Box(length=1.0, width=1.0, rise=0.01, x=0.6))
)  # its side at x = 0.1


def test_a_foot_that_runs_into_a_kerb_is_stopped_and_not_shot_out():
    # Guided along x at 5 mm above the floor: the front nodes meet the side of a 10 mm box.
    v, dt = 0.3, 1e-3
    along = np.diag([1 / MASS, 0, 0, 0, 0, 0])
    foot = Guided(Body.of(small_pad(), friction=0.0), along, KERB, gravity=0.0)
    foot.place[:] = [-0.0005, 0, 0.025]
    foot.twist[0] = v
    force, deep = np.zeros((100, 6)), 0.0
    for k in range(100):
        done = foot.step(dt)
        force[k] = done.wrenches[0]
        deep = min(deep, done.gaps.min())
    assert force[:, 0].min() < -1.0 and force[:, 0].max() <= 1e-9  # pushed back, never on
    assert np.abs(force[:, 2]).max() < 1e-9  # a side has no upward force
    # An elastic impact on a spring k: |F| <= v sqrt(k m); k of the front edge is below that of
    # the whole tread. The step g/dt of a height field gave 868 m/s^2 here (lab notes).
    bound = v * np.sqrt(small_pad().foot_stiffness[0, 0] * MASS)
    assert -force[:, 0].min() < bound
    assert deep > -1e-6  # the side is seen before it is crossed
    assert -v < foot.twist[0] < 0  # and it bounces back, slower


def test_a_node_inside_an_obstacle_is_pushed_out_slowly():
    # 3 mm deep in the floor: out at 0.1 m/s at most, whatever dt; the face it came by is kept.
    for dt in (1e-3, 2e-4):
        foot = Guided(Body(points=CORNERS), lifting(MASS), gravity=0.0, gains=True)
        foot.place[2] = 0.017
        heights = [foot.place[2]]
        for _ in range(round(0.05 / dt)):
            foot.step(dt)
            heights.append(foot.place[2])
        # The solver ends at 1e-6 of |q|, which here is the speed of the push-out at every corner.
        assert np.diff(heights).max() <= 0.1 * dt * (1 + 1e-6)
        assert heights[-1] > 0.02 - 1e-9
    quick = Guided(Body(points=CORNERS), lifting(MASS), gravity=0.0, push_out=1.0, gains=True)
    quick.place[2] = 0.017
    quick.step(1e-3)
    assert quick.place[2] == pytest.approx(0.018, abs=1e-8)


def test_a_node_inside_keeps_the_face_it_came_by():
    # Carried 3 mm through the side of the box, 1 mm below its top, and held there: pushed back
    # through the side, step after step, though the top is nearer. Seen there first: up.
    held = np.diag([1.0, 1.0, 1.0, 0, 0, 0]) / MASS
    for outside in (True, False):
        stepper = fast_step([Body(points=CORNERS, friction=0.0)], KERB, StepOptions(gains=True))
        state, still = stepper.start(), np.zeros(6)
        inside = np.array([0.003, 0.0, 0.029])
        for place in ([inside - [0.01, 0, 0]] if outside else []) + [inside] * 3:
            done = stepper.step(
                state, np.eye(3)[None], place[None], StepMotion(still, still, held, 1e-3)
            )
            state = done.state
        pushed = np.abs(done.wrenches[0, :3])
        assert pushed.argmax() == (0 if outside else 2)
        assert pushed.max() == pytest.approx(0.1 * MASS / 1e-3, rel=1e-6)
        assert np.sort(pushed)[1] < 1e-6 * pushed.max()


def test_sliding_onto_nothing_and_against_a_wall_uses_two_slots():
    # In the corner between floor and box a front node touches both.
    body = Body.of(small_pad().scaled(10), friction=0.3, eta=2e-3)
    scene = world(body, KERB, com=LOW)
    start = scene.at(np.array([[-0.002, 0, 0.0199]]), twists=[0.5, 0, 0, 0, 0, 0], inside=True)
    steps = go(scene, start, 1e-3, 12)
    both = max((np.abs(s.state.soles.forces).max(axis=2) > 0).all(axis=1).sum() for s in steps)
    assert both >= 1
    assert max(s.state.places[0, 2] for s in steps) < 0.021
    assert min(s.contact.gaps.min() for s in steps) > -2e-4


# --- Objectivity --------------------------------------------------------------------------------


def trajectories(angle: float, heading: float, start_tilt, twist, dt: float, count: int):
    """A foot above the plane, and all of it (ground, gravity, start) turned by the slope's Q."""
    out = []
    for ground in (Plane(), Slope(angle=radians(angle), heading=radians(heading))):
        Q = ground.frame
        scene = world(
            Body.of(small_pad(), eta=1e-3), ground, gravity=Q @ [0, 0, -G], tolerance=1e-13
        )
        R = Q @ rotation_of(np.array(start_tilt))
        state = scene.at((Q @ [0, 0, 0.021])[None], R[None], twist, inside=True)
        out.append([s.state for s in go(scene, state, dt, count)])
    return out, Q


def test_turned_world_turned_answer():
    (flat, turned), Q = trajectories(
        35.0, 50.0, [0.01, -0.02, 0.3], [0.3, -0.1, -0.4, 0.2, 0.3, -0.1], 1e-3, 60
    )
    for k, exact in ((10, 1e-12), (59, 1e-9)):  # contact multiplies round-off with time
        a, b = flat[k], turned[k]
        assert a.soles.elastic_energy > 0
        np.testing.assert_allclose(b.rotations[0], Q @ a.rotations[0], atol=exact)
        np.testing.assert_allclose(b.places[0], Q @ a.places[0], atol=exact)
        np.testing.assert_allclose(b.twists, a.twists, atol=exact * 1e2)
        U = a.soles.displacement
        np.testing.assert_allclose(b.soles.displacement, U, atol=exact)


def test_order_of_nodes_does_not_matter():
    pad, rng = small_pad(), np.random.default_rng(1)
    order = rng.permutation(15)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    C = pad.compliance[np.ix_(rows, rows)]
    ends = []
    for body in (Body.of(pad), Body(points=pad.points[order], compliance=C)):
        scene = world(body, tolerance=1e-11)
        twist = np.array([0.3, 0.1, -0.3, 0.5, -0.4, 1.0])
        ends.append(go(scene, scene.at(np.array([[0, 0, 0.0205]]), twists=twist), 1e-3, 30)[-1])
    a, b = (e.state.soles.displacement for e in ends)
    np.testing.assert_allclose(a[order], b, atol=1e-10)
    np.testing.assert_allclose(ends[0].state.twists, ends[1].state.twists, atol=1e-8)


# --- Closed form, other methods, no compiler ----------------------------------------------------


def test_standing_is_solved_in_closed_form_and_gives_the_same():
    ends = []
    for sticking in (True, False):
        scene = world(Body.of(small_pad(), eta=5e-3), com=COM, tolerance=1e-10, sticking=sticking)
        steps = go(scene, scene.at(np.array([[0, 0, 0.02]])), 1e-3, 120)
        ends.append(steps)
    methods = [s.contact.solution.method for s in ends[0]]
    assert methods.count("affine") > 60 and methods[0] == "gauss-seidel"
    assert all(s.contact.solution.method == "gauss-seidel" for s in ends[1])
    for a, b in zip(*ends, strict=True):
        np.testing.assert_allclose(a.state.places, b.state.places, atol=1e-9)
        assert a.contact.solved
    slide = ends[0][-1].state
    # A push that makes it slide: the closed form is not accepted, the sweeps take over.
    pushed = scene.step(slide, 1e-3, np.array([[600.0, 0, 0, 0, 0, 0]]))
    assert pushed.contact.solved


def test_what_counts_as_sticking_on():
    stick, slip, none = (np.array([[1, 0], [k, 0]]) for k in (1, 2, 0))
    assert door(still_sticks)(stick, stick) and door(still_sticks)(none, none)
    assert not door(still_sticks)(slip, slip) and not door(still_sticks)(stick, none)
    assert not door(still_sticks)(np.zeros((2, 2), int), np.zeros((2, 2), int))


def test_where_gauss_seidel_stalls_the_other_methods_are_asked(monkeypatch):
    monkeypatch.setattr(step_solver, "PATIENCE", 1)
    scene = world(Body.of(small_pad(), friction=0.3), com=LOW, tolerance=1e-8)
    twist = np.array([0.3, 0.1, -0.3, 0.5, -0.4, 1.0])
    steps = go(scene, scene.at(np.array([[0, 0, 0.0205]]), twists=twist), 1e-3, 6)
    assert all(s.contact.solved for s in steps)
    last = steps[-1].contact.solution
    assert last.iterations > 1 and last.certificate.holds(2e-8)


def test_redundant_rigid_feet_are_solved():
    # 4 x 16 points on a block: 64 contacts, 6 freedoms; forces are not unique, the motion is.
    grid = np.array([[x, y, -0.02] for x in np.linspace(-0.1, 0.1, 8) for y in (-0.05, 0, 0.05)])
    for points in (grid, grid[:4]):
        scene = world(Body(points=points, friction=0.5), com=LOW)
        twist = np.array([0.4, 0.1, -0.2, 0.1, 0.2, 1.0])
        steps = go(scene, scene.at(np.array([[0, 0, 0.0202]]), twists=twist), 1e-3, 200)
        assert all(s.contact.solved for s in steps)
    assert INERTIA.shape == (3,)


PROGRAM = """
import numpy as np
from contact.ground import Plane
from contact.step import Body, StepMotion
from contact.swept_step import fast_step
C = 1e-5 * (np.eye(12) + 0.1)
x = np.array([[a, b, -0.02] for a in (-0.1, 0.1) for b in (-0.05, 0.05)])
stepper = fast_step([Body(points=x, compliance=C, eta=1e-3)], Plane())
state, p, v = stepper.start(), np.array([[0, 0, 0.0201]]), np.array([0.2, 0, -0.4, 0.3, 0.1, 0])
S6 = np.diag([0.02, 0.02, 0.02, 1.0, 1.2, 2.0])
for _ in range(4):
    r = stepper.step(state, np.eye(3)[None], p, StepMotion(v, v, S6, 1e-3))
    state, v, p = r.state, r.twists, p + 1e-3 * r.mean_twists[:3]
print(*(float(w).hex() for w in r.wrenches.ravel()), *(float(u).hex() for u in v))
"""


def test_the_same_numbers_without_a_compiler(root):
    def run(**environment):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=root,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()

    compiled, plain = (
        np.array([float.fromhex(x) for x in run(NUMBA_DISABLE_JIT=flag)]) for flag in "01"
    )
    assert len(plain) == 12 and np.abs(plain[:6]).max() > 10
    np.testing.assert_allclose(plain, compiled, rtol=1e-12, atol=1e-12 * np.abs(plain).max())
