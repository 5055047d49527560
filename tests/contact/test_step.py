"""The law of one time step: recomputed in the world, its limits, its memory, its energy account."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from step_cases import CORNERS, Guided, foot_inverse, lifting, small_pad
from step_recorder import StepRecorder

from contact.frames import rotation_of
from contact.ground import Bump, Plane, Slope
from contact.problem import Problem
from contact.solvers import GaussSeidel
from contact.step import Body, SoleState, StepMotion, StepOptions, step_frame
from contact.step.look_kernels import AROUND, BELOW, SAME, align_forces
from contact.swept_step import fast_step, swept_step
from sole.base.errors import ConfigError, SoleError

TIGHT = 1e-10  # of the solver
TILT = np.array([0.004, -0.006, 0.0])


def random_case(seed: int, theta: float, eta: float, substeps: int = 1):
    """Three coupled bodies (soft, stiff, rigid) in the middle of a motion, and its two steps."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body.of(small_pad(), eta=eta, friction=0.2),
        Body.of(small_pad().scaled(20.0), eta=3 * eta, friction=0.1),
        Body(points=CORNERS, friction=0.3),
    ]
    options = StepOptions(theta=theta, tolerance=TIGHT, substeps=substeps)
    stepper = fast_step(bodies, Slope(angle=radians(5), heading=radians(30)), options)
    A = rng.standard_normal((18, 18)) * np.tile([1, 1, 1, 3, 3, 3], 3)[:, None]
    S6 = A @ A.T / 58 / 18
    R = np.stack([rotation_of(0.02 * rng.standard_normal(3)) for _ in range(3)])
    # 0.1 mm above the slope, or sunk by as much.
    n, p = stepper.ground.frame[:, 2], np.array([[0.0, 0, 0], [0.4, 0, 0], [0, 0.3, 0]])
    for b in range(3):
        x = bodies[b].points @ R[b].T + p[b]
        p[b] += n * (rng.uniform(-1e-4, 1e-4) - (x @ n).min())
    v = 0.1 * rng.standard_normal((3, 6))
    v[:, :3] += np.einsum("bij,i->bj", R, [0.3, 0.2, 0.0] - 0.3 * n)
    v = v.ravel()
    v_free = v + 0.01 * rng.standard_normal(18)
    state = stepper.start()
    for _ in range(2):
        before, done = state, stepper.step(state, R, p, StepMotion(v, v_free, S6, 2e-3))
        state, v_before = done.state, v
        p = p + 2e-3 * np.einsum("bij,bj->bi", R, done.mean_twists.reshape(3, 6)[:, :3])
        v, v_free = done.twists, done.twists + 0.01 * rng.standard_normal(18)
    return stepper, before, done, R, v_before, S6


CASES = [
    (seed, theta, eta) for seed in (1, 2, 3) for theta in (1.0, 0.7, 0.5) for eta in (0.0, 4e-3)
]


@pytest.mark.parametrize(("seed", "theta", "eta"), CASES)
def test_energy_adds_up(seed, theta, eta):
    # contact = wrench + elastic + viscous + numerical; each from K, which the step never sees.
    stepper, before, done, *_ = random_case(seed, theta, eta)
    dt, e = 2e-3, done.energy
    elastic = viscous = numerical = 0.0
    for b, (factor, rate) in enumerate([(1.0, eta), (20.0, 3 * eta)]):
        n = stepper.nodes_of(b)
        K = small_pad().stiffness * factor
        U0, U1 = before.displacement[n].ravel(), done.state.displacement[n].ravel()
        d = U1 - U0
        elastic += (U1 @ K @ U1 - U0 @ K @ U0) / 2
        viscous += rate / dt * d @ K @ d
        numerical += (theta - 0.5) * d @ K @ d
        np.testing.assert_allclose(done.state.elastic[n].ravel(), K @ U1, atol=1e-9 * abs(K).max())
    size = sum(map(abs, (e.friction, e.push, e.wrench, elastic, viscous, numerical)))
    assert size > 0.01
    # Round-off: 1e-12 of the sizes; K U loses cond(K) digits, so the parts get 1e-10.
    assert abs(e.imbalance) < 1e-12 * size
    got = [e.elastic, e.viscous, e.numerical]
    np.testing.assert_allclose(got, [elastic, viscous, numerical], rtol=0, atol=1e-10 * size)
    w = float(done.wrenches.ravel() @ done.mean_twists) * dt
    assert e.wrench == pytest.approx(w, rel=1e-12)
    # The work of the ground once more, from the solver's own velocities u = G v + dU/dt + g/dt.
    s = done.solution
    g = done.gaps[done.nodes, done.slots]
    u = s.velocity - np.outer(np.maximum(g / dt, -stepper.options.push_out), [0, 0, 1])
    assert e.contact == pytest.approx(dt * float(np.vdot(s.reactions, u)), abs=1e-12 * size)


@pytest.mark.parametrize("theta", [1.0, 0.5])
def test_energy_of_substeps_adds_up(theta):
    done = random_case(4, theta, 1e-3, substeps=5)[2]
    e = done.energy
    assert len(done.solutions) == 5 and e.viscous > 0
    assert abs(e.imbalance) < 1e-12 * (abs(e.wrench) + abs(e.elastic) + abs(e.contact))


@pytest.mark.parametrize(("seed", "theta", "eta"), CASES[:6])
def test_the_laws_hold_in_the_world(seed, theta, eta):
    # v+ = v_free + dt S6 w moves; gaps, forces and slips from positions alone.
    stepper, before, done, R, v, _ = random_case(seed, theta, eta)
    dt, n = 2e-3, Slope(angle=radians(5), heading=radians(30)).frame[:, 2]
    np.testing.assert_allclose(done.mean_twists, theta * done.twists + (1 - theta) * v, atol=1e-13)
    mu = stepper.bodies.friction
    F_all, slipped = [], []
    for b in range(3):
        k = stepper.nodes_of(b)
        y = stepper.bodies.points[k] + before.displacement[k]
        t = done.mean_twists[6 * b : 6 * b + 6]
        dU = done.state.displacement[k] - before.displacement[k]
        moved = (dt * (t[:3] + np.cross(t[3:], y)) + dU) @ R[b].T
        gap = done.gaps[k, 0] + moved @ n
        F = done.state.forces[k, 0] @ R[b].T
        Fn, short = F @ n, 1e-7 * 1e-3
        tiny = 1e-6 * max(Fn.max(), 1.0)
        deep = done.gaps[k, 0] < -stepper.options.push_out * dt
        assert not deep.any() and gap.min() > -short
        assert Fn.min() > -tiny and abs(gap * Fn).max() < short * tiny * 1e6
        Ft, mt = F - Fn[:, None] * n, moved - (moved @ n)[:, None] * n
        size, slip = np.linalg.norm(Ft, axis=1), np.linalg.norm(mt, axis=1)
        assert (size <= mu[k] * Fn + tiny).all()
        sliding = slip * (Fn > tiny) > 1e-6
        np.testing.assert_allclose(
            np.einsum("ij,ij->i", Ft, mt)[sliding], -(mu[k] * Fn * slip)[sliding], rtol=1e-3
        )
        # Wrench about the origin, in the axes of the foot, from the deformed nodes.
        f = done.state.forces[k].sum(axis=1)
        w = np.concatenate([f.sum(axis=0), np.cross(y, f).sum(axis=0)])
        np.testing.assert_allclose(done.wrenches[b], w, atol=1e-10 * (1 + np.abs(w).max()))
        F_all.append(Fn.max())
        slipped.append(sliding.sum())
    assert max(F_all) > 10 and sum(slipped) > 0


def test_twists_follow_the_wrenches():
    _, _, done, _, v, S6 = random_case(5, 0.7, 0.0)
    v_free = done.twists - 2e-3 * S6 @ done.wrenches.ravel()
    np.testing.assert_allclose(
        done.mean_twists, 0.7 * v_free + 0.3 * v + 0.7 * 2e-3 * S6 @ done.wrenches.ravel()
    )


def test_a_free_sole_forgets_at_its_own_rate():
    # No force: U+ = U (1 - dt/(theta dt + eta)); theta = 1: eta/(dt + eta).
    for theta, eta, dt in ((1.0, 5e-3, 1e-3), (0.5, 5e-3, 1e-3), (1.0, 0.0, 1e-3)):
        foot = Guided(Body.of(small_pad(), eta=eta), lifting(58.0), theta=theta)
        foot.place[2] = 0.02 - 1e-3
        for _ in range(3):
            foot.step(dt)
        assert np.abs(foot.state.displacement).max() > 1e-5
        foot.place[2], foot.twist = 0.5, np.zeros(6)
        foot.step(dt)  # still looks at the contacts that carried force
        U, E = foot.state.displacement, foot.state.elastic_energy
        done = foot.step(dt)
        factor = 1 - dt / (theta * dt + eta)
        np.testing.assert_allclose(done.state.displacement, factor * U, atol=1e-16)
        assert done.solution is None and not done.wrenches.any()
        assert done.state.elastic_energy == pytest.approx(factor**2 * E)
        assert done.energy.viscous == pytest.approx(eta / dt * (1 - factor) ** 2 * 2 * E)


# --- Limits -------------------------------------------------------------------------------------


def landing(body: Body, dt: float = 1e-3, **options):
    """One step of a free foot that hits the plane with 0.5 m/s, tilted."""
    stepper = fast_step([body], Plane(), StepOptions(tolerance=1e-9, **options))
    R = rotation_of(TILT)
    low = (body.points @ R.T)[:, 2].min()
    v = np.array([0.1, 0.05, -0.5, 0.2, 0.1, 0.0])
    place, motion = np.array([[0, 0, 1e-6 - low]]), StepMotion(v, v, foot_inverse(), dt)
    return stepper.step(stepper.start(), R[None], place, motion)


def test_stiff_soles_land_like_rigid_feet():
    # |v - v_rigid| = O(C/dt): a hundred times stiffer, a hundred times nearer.
    rigid = landing(Body(points=small_pad().points)).twists
    far = [np.abs(landing(Body.of(small_pad().scaled(s))).twists - rigid).max() for s in (1e5, 1e7)]
    assert far[1] < 1.2e-2 * far[0] < 1e-3


def test_soft_soles_carry_nothing():
    # F = O(1/C): a hundred times softer, a hundredth of the force.
    force = [landing(Body.of(small_pad().scaled(s))).wrenches[0, 2] for s in (1e-4, 1e-6)]
    assert force[1] == pytest.approx(force[0] / 100, rel=1e-3) and force[0] > 0


def test_short_steps_hand_over_the_elastic_force():
    # dt -> 0 at a stuck sole: F -> K U, linear in dt.
    foot = Guided(Body.of(small_pad(), friction=50.0), lifting(58.0), tolerance=1e-12)
    foot.place[2] = 0.02
    for _ in range(4):
        foot.step(1e-3)
    e, far = foot.state.elastic.sum(axis=0)[2], []
    for dt in (1e-5, 1e-6):
        free = foot.twist - np.array([0, 0, foot.gravity * dt, 0, 0, 0])
        motion = StepMotion(foot.twist, free, foot.inverse, dt)
        done = foot.stepper.step(foot.state, np.eye(3)[None], foot.place[None], motion)
        far.append(abs(done.wrenches[0, 2] - e))
    assert far[1] == pytest.approx(far[0] / 10, rel=0.05) and far[0] < 0.1 * e


@pytest.mark.parametrize("friction", [0.0, 1e4])
def test_extreme_friction(friction):
    done = landing(Body.of(small_pad(), friction=friction))
    f = done.state.forces.sum(axis=(0, 1)) @ rotation_of(TILT).T
    assert done.solved
    if friction:
        assert np.abs(done.solution.velocity[done.solution.reactions[:, 2] > 0]).max() < 1e-6
    else:
        np.testing.assert_allclose(f[:2], 0.0, atol=1e-9 * f[2])


# --- Selection of contacts ----------------------------------------------------------------------


@pytest.mark.parametrize("slack", [-10.0, 0.0, 1e9])
def test_contacts_left_out_are_found_again(monkeypatch, slack):
    # Whatever is selected first, the step ends with the same forces and no gap closed unseen.
    reference = landing(Body.of(small_pad()))
    monkeypatch.setattr(step_frame, "SPEED_SLACK", slack)
    monkeypatch.setattr(swept_step, "SPEED_SLACK", slack)
    done = landing(Body.of(small_pad()))
    np.testing.assert_allclose(done.wrenches, reference.wrenches, rtol=1e-6, atol=1e-3)
    touching = (done.solution.reactions[:, 2] > 0).sum()
    assert 1 < touching <= len(reference.nodes) < 15
    assert len(done.nodes) == 15 or slack < 1


def test_nothing_near_costs_no_solve():
    foot = Guided(Body.of(small_pad()), lifting(58.0))
    foot.place[2] = 1.0
    done = foot.step(1e-3)
    assert done.solution is None and done.solved and len(done.nodes) == 0 and done.iterations == 0
    assert done.twists[2] == pytest.approx(-9.81e-3)


# --- Memory -------------------------------------------------------------------------------------


def test_state_comes_back_bit_for_bit(tmp_path):
    def walk(foot, count):
        return [foot.step(1e-3).wrenches.copy() for _ in range(count)]

    def fresh():
        made = Guided(Body.of(small_pad(), eta=2e-3), lifting(58.0), Bump(rise=0.01, radius=0.05))
        made.place[2] = 0.0301
        return made

    foot = fresh()
    walk(foot, 20)
    np.savez(tmp_path / "state.npz", **foot.state.arrays())
    place, twist, expected = foot.place.copy(), foot.twist.copy(), walk(foot, 20)
    again = fresh()
    with np.load(tmp_path / "state.npz") as arrays:
        again.state = SoleState.from_arrays(arrays)
    again.place, again.twist = place, twist
    np.testing.assert_array_equal(walk(again, 20), expected)
    for name, array in foot.state.arrays().items():
        np.testing.assert_array_equal(array, again.state.arrays()[name])
    assert foot.state.elastic_energy > 0
    with pytest.raises(ValueError, match="read-only"):
        foot.state.displacement[0] = 1.0


def test_parts_of_a_state():
    stepper, _, done, *_ = random_case(1, 1.0, 0.0)
    part = done.state.of(stepper.nodes_of(1))
    assert part.nodes == 15
    np.testing.assert_array_equal(part.elastic, done.state.elastic[15:30])


def test_forces_follow_their_surface_when_slots_swap():
    f = np.arange(12.0).reshape(2, 2, 3) + 1
    new, earlier = np.empty((2, 2, 2, 3))
    now, old = np.array([[5, 3], [4, -1]]), np.array([[3, 5], [7, -1]])
    assert door(align_forces)(now, old, f, 2 * f, new, earlier) == BELOW
    np.testing.assert_array_equal(new[0], f[0, ::-1])
    np.testing.assert_array_equal(earlier[0], 2 * f[0, ::-1])
    assert not new[1].any()  # another piece of the ground: nothing is carried over


# --- Sub-steps ----------------------------------------------------------------------------------


def test_two_facets_of_one_field_keep_their_forces():
    # Both slots of a node carry the number of the field; another node changes its surface.
    old = np.array([[7, 7], [3, -1]])
    forces = np.arange(12.0).reshape(2, 2, 3) + 1
    moved = np.empty((2, *forces.shape))
    assert door(align_forces)(np.array([[7, 7], [4, -1]]), old, forces, -forces, *moved) == BELOW
    np.testing.assert_array_equal(moved[0][0], forces[0])
    np.testing.assert_array_equal(moved[1][0], -forces[0])
    assert not moved[:, 1].any()


def test_a_run_goes_on_while_nodes_that_bear_nothing_meet_other_pieces():
    old = np.array([[7, 3], [3, -1]])
    forces = np.zeros((2, 2, 3))
    forces[0, 0] = 1.0, 2.0, 3.0
    new = np.empty((2, *forces.shape))
    assert door(align_forces)(old, old, forces, -forces, *new) == SAME
    assert door(align_forces)(np.array([[7, 5], [4, 2]]), old, forces, -forces, *new) == AROUND
    np.testing.assert_array_equal(new, [forces, -forces])
    assert door(align_forces)(np.array([[3, 7], [3, -1]]), old, forces, -forces, *new) == BELOW


def test_every_node_has_its_own_friction():
    # Pushed aside at 1 m/s every node slides, with the part of its normal force that is its own.
    pad = small_pad()
    mu = np.linspace(0.0, 0.8, len(pad.points))
    stepper = fast_step([Body.of(pad, friction=mu)], Plane(), StepOptions(tolerance=1e-10))
    place, v = np.array([[0.0, 0.0, pad.thickness - 1e-4]]), np.array([1.0, 0, 0, 0, 0, 0])
    motion = StepMotion(v, v, 1e-6 * np.eye(6), 1e-3)
    done = stepper.step(stepper.start(), np.eye(3)[None], place, motion)
    r, k = done.solution.reactions, done.nodes
    loaded = r[:, 2] > 0
    assert loaded.sum() > 0.8 * len(mu)
    ratio = np.hypot(r[loaded, 0], r[loaded, 1]) / r[loaded, 2]
    np.testing.assert_allclose(ratio, mu[k[loaded]], atol=1e-8)


def test_error_decides_on_substeps_and_is_met():
    def land(**options):
        foot = Guided(Body.of(small_pad().scaled(20), friction=50.0), lifting(58.0), **options)
        foot.place[2], foot.twist[2] = 0.02, -0.3
        parts = [foot.step(1e-3).state.substeps for _ in range(4)]
        return foot.twist[2], parts

    exact, _ = land(substeps=256, max_substeps=256)
    errors = []
    for error in (0.1, 0.01):
        v, parts = land(error=error, max_substeps=256)
        errors.append(abs(v - exact) / abs(exact))
        assert max(parts) > 1
    assert errors[1] < 0.3 * errors[0]
    assert max(land(error=1e-9, max_substeps=8)[1]) == 8
    assert min(land(error=0.5)[1]) <= 2


# --- Records ------------------------------------------------------------------------------------


def test_every_problem_is_handed_out_as_its_operator_works_it_out():
    """`StepOptions.record` gets each problem, whole: blocks and motions are not worked out anew."""
    recorder = StepRecorder(every=3)
    options = StepOptions(record=recorder)
    stepper = fast_step(
        [Body.of(small_pad()), Body(points=CORNERS + np.array([0, 0.3, 0]))], Plane(), options
    )
    state, p, v = stepper.start(), np.array([[0, 0, 0.0201]] * 2), np.zeros(12)
    S6 = np.kron(np.eye(2), foot_inverse())
    for k in range(12):
        recorder.label = "landing" if k < 6 else "standing"
        free = v - np.tile([0, 0, 9.81e-3, 0, 0, 0], 2)
        done = stepper.step(state, np.stack([np.eye(3)] * 2), p, StepMotion(v, free, S6, 1e-3))
        state, v = done.state, done.twists
        p = p + 1e-3 * done.mean_twists.reshape(2, 6)[:, :3]
    assert recorder.seen > 6 and len(recorder.records) == -(-recorder.seen // 3)
    assert {r.label for r in recorder.records} == {"landing", "standing"}
    for record in recorder.records:
        problem = record.problem
        operator = problem.operator
        fields = ("compliances", "scale", "node", "frames", "geometry", "support")
        anew = type(operator)(**{name: getattr(operator, name) for name in fields})
        fresh = Problem(anew, problem.offset, problem.friction)
        np.testing.assert_array_equal(anew.dense(), operator.dense())
        np.testing.assert_allclose(fresh.blocks, problem.blocks, rtol=1e-12, atol=1e-18)
        np.testing.assert_allclose(anew.motions, operator.motions, atol=1e-15)


@pytest.mark.parametrize("seed", [1, 2])
def test_scales_worked_out_on_the_way_are_those_of_the_problem(seed):
    problem = random_case(seed, 0.7, 4e-3)[2].solution.problem
    anew = Problem(problem.operator, problem.offset, problem.friction)
    assert problem.rho == pytest.approx(anew.rho, rel=1e-12)
    assert problem.size == pytest.approx(anew.size, rel=1e-12)


def test_warm_start_is_the_extrapolation():
    recorder = StepRecorder()
    foot = Guided(
        Body.of(small_pad()), lifting(58.0), record=recorder, solver=GaussSeidel(tolerance=1e-9)
    )
    foot.place[2] = 0.02
    for _ in range(4):
        foot.step(1e-3)
    f = [r.previous for r in recorder.records] + [foot.state.forces[:, 0]]
    assert not recorder.records[0].start.any()
    np.testing.assert_allclose(recorder.records[1].start, f[1])
    np.testing.assert_allclose(recorder.records[3].start, 2 * f[3] - f[2], atol=1e-12)


# --- Determinism and bad input ------------------------------------------------------------------


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000))
def test_same_seed_same_bits(seed):
    a, b = random_case(seed, 1.0, 0.0)[2], random_case(seed, 1.0, 0.0)[2]
    np.testing.assert_array_equal(a.wrenches, b.wrenches)


def test_the_default_is_the_scheme_that_never_gains():
    assert StepOptions().theta == 1.0  # tests/contact/test_step_energy.py


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"theta": 0.4}, r"theta must be in \[1/2, 1\]"),
        ({"theta": np.nan}, "theta"),
        ({"substeps": 0}, "substeps must be between 1 and max_substeps = 64"),
        ({"substeps": 100}, "substeps must be between 1 and max_substeps = 64"),
        ({"push_out": -1.0}, "push_out"),
        ({"error": np.nan}, "error"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ConfigError, match=words):
        StepOptions(**options)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"points": np.zeros((3, 2))}, r"\(m, 3\)"),
        ({"points": np.full((3, 3), np.nan)}, "finite"),
        ({"points": CORNERS, "compliance": np.eye(9)}, "need C"),
        ({"points": CORNERS, "eta": -1.0}, "eta"),
        ({"points": CORNERS, "friction": -0.1}, "friction"),
        ({"points": CORNERS, "friction": np.ones(3)}, "friction has shape"),
    ],
)
def test_bad_bodies(body, words):
    with pytest.raises(SoleError, match=words):
        Body(**body)
    with pytest.raises(SoleError, match="at least one"):
        fast_step([], Plane())


def test_bad_arguments_of_a_step():
    stepper = fast_step([Body(points=CORNERS)], Plane())
    good = {
        "state": stepper.start(),
        "rotations": np.eye(3)[None],
        "places": np.zeros((1, 3)),
        "twists": np.zeros(6),
        "free_twists": np.zeros(6),
        "inverse_inertia": np.eye(6),
        "dt": 1e-3,
    }
    for name, bad, words in (
        ("state", SoleState.at_rest(3), "take CompliantStep.start"),
        ("rotations", np.eye(3), "have shapes"),
        ("twists", np.zeros(12), "have shapes"),
        ("free_twists", np.full(6, np.inf), "finite"),
        ("places", np.full((1, 3), np.nan), "finite"),
        ("inverse_inertia", np.eye(12), "have shapes"),
        ("inverse_inertia", np.eye(6) + np.eye(6, k=1), "symmetric"),
        ("inverse_inertia", -np.eye(6), "symmetric"),
        ("dt", 0.0, "dt must be positive"),
        ("dt", np.nan, "dt must be positive"),
    ):
        with pytest.raises(SoleError, match=words):
            given = {**good, name: bad}
            motion = StepMotion(*(given.pop(name) for name in StepMotion._fields))
            stepper.step(**given, motion=motion)
    with pytest.raises(SoleError, match="missing"):
        SoleState.from_arrays({"displacement": np.zeros((1, 3))})
