"""Energy over time: it never grows, an undamped pad rebounds, errors fall with the order."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from step_cases import CORNERS, G, Guided, go, lifting, small_pad, thrown, world

from contact.frames import rotation_of
from contact.ground import Box, Bump, CompositeGround, Plane, Slope, Step
from contact.rigid_bodies import GRAVITY_VECTOR, RigidBodies, RigidBody
from contact.step import Body, StepOptions
from contact.swept_step.swept_step_kernels import sure_part

GROUNDS = [
    Plane(),
    Slope(angle=radians(12), heading=radians(20)),
    Step(rise=0.01),
    Bump(rise=0.02, radius=0.05),
    CompositeGround(parts=(Plane(), Box(length=0.1, width=0.1, rise=0.02, x=0.05))),
]
BLOCK = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.04, 0.04)])


DT = 2e-3


def allowance(done) -> float:
    """What an inexact solution may gain in a step [J]: dt r.u <= dt e (|u| + |r|/rho).

    r = P_K(r - rho u) + e with |e| = residual rho |q|.
    """
    total = 0.0
    for s in done.solutions:
        rho, c = s.problem.rho, s.certificate
        e = max(c.natural_map, c.signorini) * rho * np.linalg.norm(s.problem.offset)
        total += e * (np.linalg.norm(s.velocity) + np.linalg.norm(s.reactions) / rho)
    return total * DT / max(len(done.solutions), 1)


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    ground=st.sampled_from(GROUNDS),
    stiffer=st.sampled_from([0.3, 1.0, 30.0, 1e3, 0.0]),
    eta=st.sampled_from([0.0, 2e-3]),
    theta=st.sampled_from([1.0, 1.0, 0.6, 0.5]),
    substeps=st.sampled_from([1, 1, 3]),
    height=st.sampled_from([0.1, 0.0, -0.3]),
)
def test_energy_never_grows(seed, ground, stiffer, eta, theta, substeps, height):
    # Drops, slides and tumbles of a pad (or rigid block): T + V + E_elastic falls in every step.
    # Turning feet and normals leave penetrations, (omega dt)^2 r/2; they are pushed out only by
    # steps whose losses pay for it.
    rng, com = np.random.default_rng(seed), np.array([0.01, 0.0, height])
    body = Body.of(small_pad().scaled(stiffer), eta=eta) if stiffer else Body(points=BLOCK)
    scene = world(body, ground, com=com, theta=theta, substeps=substeps, tolerance=1e-8)
    state = thrown(scene, rng, 0.3, 1.5) if stiffer else thrown(scene, rng, 3.0, 3.0)
    energy, touched, before = scene.energy(state), False, 0.0
    for _ in range(120):
        done = scene.step(state, DT)
        state = done.state
        touched |= done.contact.wrenches.any()
        # The error of one step is a gap that the next one pushes out.
        now = allowance(done.contact)
        # Round-off goes with what is added up: T and V may cancel to a small sum.
        scale = abs(done.kinetic) + abs(done.potential)
        assert done.energy - energy <= 1e-13 * scale + now + 2 * before
        before = now
        assert abs(done.residual) < 1e-12 * scale
        energy = done.energy
    assert touched


@pytest.mark.parametrize("theta", [1.0, 0.5])
def test_a_pendulum_gains_nothing_from_being_pushed_out(theta):
    # One node that sticks, the centre of mass 1 m below: in every step the node turns into the
    # ground by (omega dt)^2 r/2. Pushed out at any price, it would gain 1e-2 J in 10 s.
    body = RigidBody(
        contact=Body(points=np.zeros((1, 3)), friction=100.0),
        mass=1.0,
        inertia=np.full(3, 1e-3),
        com=np.array([0.0, 0.0, -1.0]),
    )
    scene = RigidBodies([body], Plane(), StepOptions(theta=theta, tolerance=1e-10))
    state = scene.at(np.zeros((1, 3)), rotation_of(np.array([0.0, 1.0, 0.0]))[None])
    swing = G * (1 - np.cos(1.0))
    energy = highest = scene.energy(state)
    for _ in range(600):
        done = scene.step(state, 5e-3)
        state = done.state
        assert done.energy - energy < 1e-10 * swing
        energy = done.energy
    assert energy < highest + 1e-9 * swing
    if theta == 0.5:
        assert energy == pytest.approx(highest, abs=1e-9 * swing)  # and loses nothing


def test_a_penetration_is_pushed_out_by_what_a_landing_loses():
    # A block lands with its nodes 0.1 mm deep on one side: out of the ground within a second.
    scene = world(Body(points=BLOCK), Plane(), com=np.zeros(3), theta=1.0)
    state = scene.at([0, 0, 0.0399], twists=[0, 0, -0.5, 0, 0, 0], inside=True)
    for _ in range(500):
        state = scene.step(state, DT).state
    assert state.places[0, 2] == pytest.approx(0.04, abs=1e-5)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_pushes_pay_for_what_they_add(seed):
    # Random outer wrenches on two feet: dE = pushed - losses, to round-off.
    rng = np.random.default_rng(seed)
    feet = [
        RigidBody(contact=Body.of(small_pad(), eta=1e-3), mass=30.0, inertia=np.ones(3) * 0.3),
        RigidBody(contact=Body(points=CORNERS), mass=5.0, inertia=np.array([0.01, 0.02, 0.02])),
    ]
    scene = RigidBodies(feet, Plane(), StepOptions())
    state = scene.at(np.array([[0, 0, 0.021], [0.0, 0.3, 0.021]]))
    for _ in range(60):
        before = scene.energy(state)
        done = scene.step(state, DT, rng.standard_normal((2, 6)) * [50, 50, 200, 2, 2, 2])
        state = done.state
        e = done.contact.energy
        lost = e.viscous + e.numerical + done.numerical - e.contact
        assert min(e.viscous, e.numerical, done.numerical) > -1e-12
        size = abs(before) + abs(done.pushed) + abs(lost)
        assert done.energy - before == pytest.approx(done.pushed - lost, abs=1e-12 * size)


def test_free_tumbling_keeps_its_energy_and_its_path():
    scene = world(Body(points=BLOCK), gravity=(0.0, 0.0, 0.0), com=np.array([0.01, 0.02, 0.03]))
    state = scene.at(np.array([[0, 0, 50.0]]), twists=np.array([0.1, 0.2, 0.3, 3.0, 8.0, 1.0]))
    momenta, centres = [], []
    for dt, n in ((1e-2, 100), (5e-3, 200)):
        steps = go(scene, state, dt, n)
        last = steps[-1].state
        assert steps[-1].kinetic == pytest.approx(scene.kinetic(state.twists), rel=1e-12)
        R, w = last.rotations[0], last.twists[3:]
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
        momenta.append(R @ (scene.bodies[0].inertia @ w))
        centres.append(last.places[0] + R @ scene.bodies[0].com)
    np.testing.assert_allclose(centres[0], centres[1], atol=1e-10)  # a straight line
    start = scene.bodies[0].inertia @ state.twists[3:]
    errors = [np.linalg.norm(m - start) for m in momenta]
    assert errors[1] < 0.3 * errors[0] < 0.3 * 0.01 * np.linalg.norm(start)  # second order


# --- Oscillator: a guided foot of mass m on a stuck pad, omega = sqrt(k/m) ----------------------

SINK = 0.02  # thickness of the pad: the foot's origin when it just touches


def stuck_pad(mass: float = 58.0, **options) -> tuple[Guided, float, float]:
    """Return the foot just touching at rest, omega, and its static deflection."""
    foot = Guided(Body.of(small_pad(), friction=50.0), lifting(mass), tolerance=1e-11, **options)
    foot.place[2] = SINK
    k = small_pad().foot_stiffness[2, 2]
    return foot, float(np.sqrt(k / mass)), mass * G / k


@pytest.mark.parametrize(("theta", "order"), [(1.0, 1), (0.5, 2)])
def test_order_of_convergence(theta, order):
    # z = -d (1 - cos omega t): released where it just touches, up to 0.4 of the period.
    errors = []
    for n in (10, 20, 40, 80):
        foot, omega, d = stuck_pad(theta=theta)
        end = 0.4 * 2 * np.pi / omega
        for _ in range(n):
            foot.step(end / n)
        exact = -d * (1 - np.cos(omega * end))
        speed = -d * omega * np.sin(omega * end)
        z, v = foot.place[2] - SINK - exact, foot.twist[2] - speed
        errors.append(np.hypot(z, v / omega) / d)
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    # The slope nears the order linearly in omega dt: 2 pi 0.4/80 = 0.03 at the end.
    assert slopes[-1] == pytest.approx(order, abs=0.1)
    assert errors[-1] < (0.1 if order == 1 else 1e-3)


def test_substeps_are_steps():
    # On flat ground a guided foot's frozen geometry is exact: n sub-steps = n steps of dt/n.
    whole, omega, d = stuck_pad(substeps=4)
    parts, *_ = stuck_pad()
    for _ in range(10):
        done = whole.step(2e-3)
        mean = np.mean([parts.step(5e-4).wrenches for _ in range(4)], axis=0)
        np.testing.assert_allclose(done.wrenches, mean, atol=1e-7 * 58 * G)
        np.testing.assert_allclose(whole.place, parts.place, atol=1e-9 * d)
    assert omega > 0


def rebound(dt: float, stiffer: float = 1.0, **options) -> tuple[float, float, float]:
    """Drop 58 kg by 5 mm: (rebound height/5 mm, peak force/exact, largest gain of energy [J])."""
    foot, _, _ = stuck_pad()
    foot = Guided(
        Body.of(small_pad().scaled(stiffer), friction=50.0),
        lifting(58.0),
        tolerance=1e-9,
        **options,
    )
    k, h = small_pad().scaled(stiffer).foot_stiffness[2, 2], 0.005
    foot.place[2], foot.twist[2] = SINK + 1e-9, -np.sqrt(2 * G * h)
    force, touched, gain, before = 0.0, False, -np.inf, None
    while True:
        done = foot.step(dt)
        f, v = done.wrenches[0, 2], foot.twist[2]
        height = foot.place[2] - SINK
        energy = 58 * (v * v / 2 + G * height) + foot.state.elastic_energy
        gain = gain if before is None else max(gain, energy - before)
        before, force = energy, max(force, f)
        touched |= f > 0
        if touched and f == 0:
            break
    # Exact: m g + sqrt((m g)^2 + 2 k m g h), all energy comes back.
    exact = 58 * G + np.sqrt((58 * G) ** 2 + 2 * k * 58 * G * h)
    return (v * v / 2 / G + height) / h, force / exact, gain


def test_rebound_of_an_undamped_pad():
    # lab result: backward Euler swallows the rebound, in proportion to omega dt.
    omega = np.sqrt(small_pad().foot_stiffness[2, 2] / 58)
    for dt in (1e-3, 2e-4):
        euler, peak, gain = rebound(dt)
        # dE/dt = -(dt/2)(k v^2 + m a^2) = -omega^2 dt E: over half a period exp(-pi omega dt).
        assert euler == pytest.approx(np.exp(-np.pi * omega * dt), abs=0.1)
        assert gain <= 1e-9 and peak < 1.001
        middle, peak, gain = rebound(dt, theta=0.55)
        assert middle == pytest.approx(np.exp(-0.1 * np.pi * omega * dt), abs=0.05)
        assert gain <= 1e-9 and peak < 1.001
        half, peak, gain = rebound(dt, theta=0.5)
        assert half == pytest.approx(1.0, abs=(omega * dt) ** 2)  # only touching and leaving lose
        assert peak == pytest.approx(1.0, abs=(omega * dt) ** 2)
        assert gain < 1e-5 * 58 * G * 0.005  # its worst, measured
    fine, _, gain = rebound(1e-3, substeps=10)
    assert fine == pytest.approx(np.exp(-np.pi * omega * 1e-4), abs=0.03) and gain <= 1e-9
    chosen, _, gain = rebound(1e-3, error=0.02)
    assert chosen > rebound(1e-3)[0] + 0.05 and gain <= 1e-9


def test_rigid_feet_rebound_as_theta_says():
    # v+ = -(1 - theta)/theta v: none for backward Euler, all of it for theta = 1/2.
    for theta in (1.0, 0.8, 0.5):
        foot = Guided(Body(points=CORNERS), lifting(58.0), gravity=0.0, theta=theta)
        foot.place[2], foot.twist[2] = 0.02, -0.3
        done = foot.step(1e-3)
        assert done.solved
        assert foot.twist[2] == pytest.approx(0.3 * (1 - theta) / theta, abs=1e-6)
    assert GRAVITY_VECTOR[2] == -G


@settings(deadline=None)
@given(
    st.floats(1e2, 1e8), st.floats(-1e-4, 1e-4), st.floats(0.0, 1e-4), st.floats(0.0, 0.02),
    st.floats(0.5, 1.0), st.floats(1.0, 1e3),
)  # fmt: skip
def test_a_sure_gain_is_one(stiffness, own, push, eta, theta, more):
    """A spring k moved by x, and by x + g, with the least work p that `sure_part` asks for."""
    dt, k, x, g = 1e-3, stiffness, own, push
    c = eta / dt + theta - 0.5

    def force(motion):  # of a spring that is not strained before
        return k * theta * motion + eta * k * motion / dt

    def gain(motion):  # work of the ground less what the time step loses
        stored = 0.5 * k * motion * motion
        return force(motion) * motion - stored

    np.testing.assert_allclose(gain(x), c * k * x * x, atol=1e-12 * k * x * x * (1.0 + c))
    p = more * c * k * x * x / door(sure_part)(np.array([eta]), dt, theta)
    # Forces of the step without push do the work p; those that pushing adds, more.
    pushed = p + (force(x + g) - force(x)) * g - c * k * (x + g) ** 2
    assert pushed >= 0.5 * p - 1e-12 * (p + k * (x * x + g * g) * (1.0 + c))
