"""Motions of a body on penalty vertices: conservation, impulses, closed forms, energy made."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from contact.papers.penalty import (
    BouncingBall,
    PenaltyLaw,
    VertexBody,
    VertexRun,
    VertexState,
    run_in_steps,
    run_with_events,
)
from contact.rigid_bodies import RigidBody
from contact.step import Body
from sole.base.errors import SoleError

G, MASS = 9.81, 40.0
BOX = VertexBody.box(MASS, (0.2, 0.1, 0.3))
LAW = PenaltyLaw(kp=2000.0, kv=500.0, friction=0.7, epsilon=-1e-6)
TILTED = VertexState.at((0, 0, 0.02), (0.03, 0.06, 0))
TIMES = np.linspace(0.0, 0.45, 451)


@lru_cache
def tilted_drop() -> VertexRun:
    return run_with_events(BOX, LAW, TILTED, TIMES)


# --- Against closed forms -----------------------------------------------------------------------


@pytest.mark.parametrize("kp, kv", [(500.0, 250.0), (1e4, 100.0), (5.0, 5000.0)])
def test_a_box_that_falls_flat_is_the_ball(kp, kv):
    # Mass and number of contacts do not matter: all four vertices move as the ball does.
    ball = BouncingBall(PenaltyLaw(kp=kp, kv=kv), mass=MASS, height=0.01)
    times = np.linspace(0.0, 0.08, 81)
    run = run_with_events(BOX, ball.law, VertexState.at((0, 0, 0.01)), times)
    exact = ball.motion(times)
    # The integrator's tolerance 1e-9 of 10 mm and 0.44 m/s, over some ten restarts.
    assert run.heights == pytest.approx(np.repeat(exact.height[:, None], 4, axis=1), abs=2e-10)
    assert run.forces[:, :, 2].sum(axis=1) == pytest.approx(exact.force, abs=1e-6 * ball.peak_force)
    assert run.peak == pytest.approx(ball.peak_force, rel=1e-8)


def test_in_flight_momentum_is_that_of_a_thrown_body_and_energy_stays():
    start = VertexState.at((0, 0, 3.0), (0.3, -0.5, 1.0), (1.0, -2.0, 3.0), (4.0, -7.0, 2.0))
    times = np.linspace(0.0, 0.5, 6)
    run = run_with_events(BOX, LAW, start, times)
    assert run.touching.max() == 0
    first = BOX.momentum(start)
    for k, t in enumerate(times):
        now = BOX.momentum(run.state(k))
        assert now[:3] - first[:3] == pytest.approx([0, 0, -MASS * G * t], abs=1e-7)
        assert now[3:] == pytest.approx(first[3:], rel=1e-8)  # 1e-9 per step, some ten steps
    energies = run.energies(BOX)
    assert energies == pytest.approx(np.full(6, energies[0]), rel=1e-8)
    assert (run.impulse == 0).all()


@pytest.mark.nightly
def test_the_impulse_is_the_change_of_momentum_event_aware_and_held():
    T = TIMES[-1]
    run = tilted_drop()
    gained = BOX.momentum(run.state(-1))[:3] - BOX.momentum(TILTED)[:3] + [0, 0, MASS * G * T]
    # The integrator's tolerance of 1e-9, times MASS, over some hundred restarts.
    assert run.impulse[-1] == pytest.approx(gained, abs=1e-6)
    # A held force is a sum: nothing but the rounding of 450 steps.
    held = run_in_steps(BOX, LAW, TILTED, 1e-3, 450)
    gained = BOX.momentum(held.state(-1))[:3] + np.array([0, 0, MASS * G * T])
    assert held.touching.max() >= 2
    assert held.impulse[-1] == pytest.approx(gained, abs=1e-10 * MASS * G)


# --- The tilted drop ----------------------------------------------------------------------------


def test_a_tilted_box_lands_on_a_vertex_tips_to_the_face_and_rests():
    run = tilted_drop()
    touched = [int(np.argmax(run.heights[:, i] <= 0)) for i in range(4)]
    assert (run.touching[: min(touched)] == 0).all()
    assert run.touching[min(touched)] == 1  # one vertex first
    assert run.touching[-1] == 4
    # Settled within the steady penetration, whose pull is kp epsilon/g of the weight.
    assert run.forces[-1, :, 2] == pytest.approx(np.full(4, MASS * G / 4), rel=2e3 * 1e-6 / G)
    assert run.forces[-1, :, :2] == pytest.approx(np.zeros((4, 2)), abs=2e-3 * MASS)
    assert (np.abs(run.heights[-1]) <= 1e-6).all()


def test_the_forces_of_a_tilted_drop_stay_in_their_cones_and_dissipate():
    run = tilted_drop()
    tangential = np.hypot(run.forces[:, :, 0], run.forces[:, :, 1])
    assert (run.forces[:, :, 2] >= 0).all()
    assert (tangential <= LAW.friction * run.forces[:, :, 2] * (1 + 1e-14)).all()
    assert (run.forces[run.heights > 1e-12] == 0).all()
    energies = run.energies(BOX)
    assert energies.max() <= energies[0] * (1 + 1e-8)
    assert energies[-1] < energies[0] - 0.5 * MASS * G * (TILTED.place[2] - 0.02)


def test_the_motion_does_not_depend_on_the_mass():
    # (16)-(18) cancel m: all forces scale with it.
    heavy = run_with_events(VertexBody.box(400.0, (0.2, 0.1, 0.3)), LAW, TILTED, TIMES[:121])
    light = tilted_drop()
    assert 1 <= heavy.touching.max() <= 2
    assert heavy.heights == pytest.approx(light.heights[:121], abs=1e-9)


# --- Where the law makes energy -----------------------------------------------------------------


@pytest.mark.parametrize("phase, u, gains", [(0.5, 1e-5, True), (1.0, 3e-4, False)])
def test_touching_while_another_vertex_is_in_the_ground_changes_the_energy_as_derived(
    phase, u, gains
):
    """Two vertices, no gravity, friction or damping: p1'' = -kp p1 and p2'' = -kp p2 in contact.

    The energy kept is 1/2 kp p' W^-1 p, so that of p1 jumps from kp p1^2/(2 W11) to that with
    (W^-1)_11 when vertex 2 touches, and that of p2 back when vertex 1 leaves:
    dE = W12^2 / (2 W11 det W) sin^2(phase) (v^2 - u_touch^2), v and u_touch the speeds of touching.
    """
    m, I, arm, kp, v = 2.0, 0.05, 0.3, 1e4, 1e-4
    points = np.array([[-arm, 0, 0], [arm, 0, 0]])
    bar = VertexBody(
        RigidBody(contact=Body(points=points), mass=m, inertia=np.full(3, I)), gravity=(0, 0, 0)
    )
    W11, W12, omega = 1 / m + arm**2 / I, 1 / m - arm**2 / I, np.sqrt(kp)
    wait, ratio = phase / omega, W12 / W11
    touch = u - ratio * v * (1 - np.cos(phase))
    height = u * wait - ratio * v * (wait - np.sin(phase) / omega)
    start = VertexState.at(
        (0, 0, height / 2),
        (0, -np.arcsin(height / (2 * arm)), 0),
        (0, 0, -(u + v) / 2),
        (0, (u - v) / (2 * arm), 0),
    )
    law = PenaltyLaw(kp=kp, kv=0.0, friction=0.0)
    times = np.array([0.0, wait + 2 * np.pi / omega])
    run = run_with_events(bar, law, start, times, rtol=1e-11, atol=1e-16)
    assert run.touching[-1] == 0
    change = np.diff(run.energies(bar))[0]
    derived = W12**2 / (2 * W11 * (W11**2 - W12**2)) * np.sin(phase) ** 2 * (v**2 - touch**2)
    assert (change > 0) == gains
    assert change == pytest.approx(derived, rel=1e-6)  # rotations of 1e-6 rad are linear so far


@pytest.mark.parametrize("v", [0.01, 0.1, 0.5])
def test_a_sliding_box_is_pressed_by_the_friction_that_saturation_then_takes_away(v):
    # (18) asks for the friction m kv v at the face, h below the centre of mass, and for normal
    # forces against its moment; (20) cuts the friction, (19) the pulling ones, none the pushing.
    h, a, mu = 0.15, 0.1, 0.3
    state = VertexState.at((0, 0, 0), velocity=(v, 0, 0))
    done = BOX.dynamics(state).contact(PenaltyLaw(kp=500.0, kv=250.0, friction=mu))
    lever = 250.0 * v * h / (G * a)
    assert done.required[:2, 2] == pytest.approx(np.full(2, MASS * G / 4 * (1 + lever)))
    assert done.required[2:, 2] == pytest.approx(np.full(2, MASS * G / 4 * (1 - lever)))
    expected = max(1.0, (1 + lever) / 2)
    assert done.forces[:, 2].sum() == pytest.approx(MASS * G * expected)
    assert expected == 1 or v > G * a / (250 * h)


def test_a_box_sliding_at_half_a_metre_per_second_leaps_and_gains_energy():
    # Measured, not wanted: Coulomb's law would stop it level after v^2/(2 mu g) = 42 mm.
    start = VertexState.at((0, 0, 0), velocity=(0.5, 0, 0))
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.3)
    run = run_in_steps(BOX, law, start, 1e-4, 3000)
    energies = run.energies(BOX)
    kinetic = MASS * 0.5**2 / 2
    assert energies.max() - energies[0] > kinetic / 2  # 1.3 at this step, 1.2 at a fifth of it
    assert run.heights.max() > 0.02
    # Friction as low as the centre of mass has no lever: the same slide is Coulomb's.
    low = VertexBody.box(MASS, (0.2, 0.1, 0.3), com=(0, 0, -0.15))
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.3, epsilon=-1e-8)  # beyond round-off
    start = VertexState.at((0, 0, -1e-8), velocity=(0.5, 0, 0))
    run = run_in_steps(low, law, start, 1e-4, 3000)
    v_s = 0.3 * G / 250
    way = (0.25 - v_s**2) / (2 * 0.3 * G) + v_s / 250
    # Half a step early, and within the step in which it changes from slipping to sticking.
    assert run.states[-1, 0] == pytest.approx(way - 0.5 * 1e-4 / 2, abs=v_s * 1e-4)
    assert (np.abs(run.heights + 1e-8) < 1e-10).all()


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.nan]])
def test_bad_times_are_refused(times):
    with pytest.raises(SoleError, match="times must"):
        run_with_events(BOX, LAW, TILTED, times)
