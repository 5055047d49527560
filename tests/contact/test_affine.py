"""The affine form of sticking soles: dense algebra, term by term, over time, restored."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from math import radians

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from step_cases import Guided, foot_inverse, go, lifting, made_by, small_pad, world

from contact.frames import rotation_of
from contact.ground import Plane, Slope, parse_ground
from contact.problem import Compliances, certify
from contact.solvers import StickBase, StickFactor, StickRun, solve_maps, sum_fields
from contact.step import Body, SoleState, StepMotion, StepOptions, StepResult
from contact.swept_step import (
    BufferStepResult,
    affine_step,
    affine_step_kernels,
    fast_step,
    ways_of,
)
from sole.base.errors import SoleError

H = 1e-3  # s
COM = np.array([0.01, 0.004, 0.1])
TERMS = ("gap", "turn", "twist", "eta", "F0", "open", "old")


class Feet:
    """Two small soles on a plane each, some nodes stuck, in the second step of a run.

    The reference is the linear system u_A = 0, F_open = 0 of the time step, dense.
    """

    def __init__(self, seed: int, theta: float, eta: float, part: float) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.theta, self.eta, m = theta, np.array([eta, eta / 2]), 8
        self.x = rng.uniform(-0.1, 0.1, (2 * m, 3))
        self.C = []
        for _ in range(2):
            B = rng.normal(size=(3 * m, 3 * m))
            self.C.append(1e-6 * (B @ B.T / (3 * m) + 0.3 * np.eye(3 * m)))
        self.compliances = Compliances.of(self.C)
        stuck = rng.random(2 * m) < part
        stuck[[0, 1, m]] = True
        self.body = np.repeat([0, 1], m)
        self.group = np.where(stuck, self.body, -1)
        self.n = rng.normal(size=(2, 3))
        self.n /= np.linalg.norm(self.n, axis=1)[:, None]
        S = rng.normal(size=(12, 12))
        self.S6 = S @ S.T / 12 * 0.05
        self.ahead = rng.normal(size=12) * 1e-2
        self.U0 = rng.normal(size=(2 * m, 3)) * 1e-4
        self.e0 = np.concatenate([self.K(b) @ self.U0[self.body == b].ravel() for b in (0, 1)])
        self.e0 = self.e0.reshape(-1, 3)
        turned = [np.column_stack([rotation_of(rng.normal(size=3) * 1e-3), [1e-5, 0, 2e-5]])]
        self.maps = np.array([*turned, np.column_stack([np.eye(3), rng.normal(size=3) * 1e-05])])
        y0 = self.x + self.U0
        self.U = self.U0 + rng.normal(size=(2 * m, 3)) * 1e-5  # open nodes are anywhere
        for i in np.flatnonzero(stuck):
            a = self.maps[self.group[i]]
            self.U[i] = a[:, :3] @ y0[i] + a[:, 3] - self.x[i]
        y = self.x + self.U
        # The planes pass some micrometres from the nodes, which lie off them by as much.
        self.c = np.array([-y[self.body == b].mean(axis=0) @ self.n[b] for b in (0, 1)])
        self.base = StickBase(self.U0, self.e0, self.group, np.where(stuck, 0, -1))

    def K(self, b: int) -> np.ndarray:
        return np.linalg.inv(self.C[b])

    def dense(self) -> tuple[np.ndarray, np.ndarray]:
        """Forces (M, 3) and wrenches (12,) by one linear solve of u_A = 0."""
        y, rows = self.x + self.U, np.flatnonzero(np.repeat(self.group >= 0, 3))
        G = np.zeros((len(y), 3, 12))
        for i, b in enumerate(self.body):
            G[i, :, 6 * b : 6 * b + 3] = np.eye(3)
            G[i, :, 6 * b + 3 : 6 * b + 6] = -np.array(
                [[0, -y[i, 2], y[i, 1]], [y[i, 2], 0, -y[i, 0]], [-y[i, 1], y[i, 0], 0]]
            )
        G = G.reshape(-1, 12)
        rate = 1 / (self.theta * H + self.eta)
        W, m = self.theta * H * G @ self.S6 @ G.T, 3 * len(y) // 2
        for b in (0, 1):
            W[m * b : m * b + m, m * b : m * b + m] += rate[b] * self.C[b]
        gap = (y * self.n[self.body]).sum(axis=1) + self.c[self.body]
        q = G @ self.ahead + (-rate[self.body, None] * self.U).ravel()
        q += (self.n[self.body] * gap[:, None] / H).ravel()
        f = np.zeros(3 * len(y))
        f[rows] = np.linalg.solve(W[np.ix_(rows, rows)], -q[rows])
        return f.reshape(-1, 3), G.T @ f

    def affine(self) -> tuple[np.ndarray, np.ndarray]:
        """The same by the kernels."""
        run = StickRun.of(self.compliances, self.x, self._rigid(), self.base, {})
        after, z, w = np.empty((2, 3, 4)), np.empty(24), np.empty(12)
        door(solve_maps)(
            run.arrays, self.maps, self.n, self.c, self.ahead, self.S6, H, self.theta, self.eta,
            after, z, w,
        )  # fmt: skip
        a = run.arrays
        forces = np.zeros_like(self.x)
        for b in (0, 1):
            found = np.empty((3, 8))
            door(sum_fields)(
                a.fields[a.place[b] : a.place[b + 1]].reshape(13, 3, 8),
                z[12 * b : 12 * b + 12],
                found,
            )
            forces[self.body == b] = found.T
        forces[self.group < 0] = 0.0
        return forces, w

    def _rigid(self) -> np.ndarray:
        from contact.step.look_kernels import fill_rigid_geometry

        G = np.empty((3 * len(self.x), 6))
        fill_rigid_geometry(self.x, G)
        return G

    def derived(self, without: str = "") -> tuple[np.ndarray, np.ndarray]:
        """The equations of `contact.solvers.affine` once more, without one of their terms."""
        forces, wrenches = (np.zeros((13, *shape)) for shape in ((*self.x.shape,), (12,)))
        for k in range(13):  # affine in v_bar: at 0 and along every axis
            v = np.eye(13)[k, :12] * 1e-2
            forces[k], wrenches[k] = self._at(v, without)
        L = (wrenches[:12] - wrenches[12]).T / 1e-2
        s = self.theta * H * self.S6
        v = np.linalg.solve(np.eye(12) - s @ L, self.ahead + s @ wrenches[12])
        return self._at(v, without)

    def _at(self, v: np.ndarray, without: str) -> tuple[np.ndarray, np.ndarray]:
        forces, w = np.zeros_like(self.x), np.zeros(12)
        for b in (0, 1):
            a, n, here = self.maps[b], self.n[b], np.flatnonzero(self.body == b)
            held = self.group[here] >= 0
            star = a - np.outer(n, n @ a + self.c[b] * np.eye(4)[3]) if without != "gap" else a
            linear, spin = v[6 * b : 6 * b + 3], v[6 * b + 3 : 6 * b + 6]
            after = star - H * np.outer(linear, np.eye(4)[3]) * (without != "twist")
            after = after - H * np.cross(spin, a, axisb=0).T * (without != "turn")
            weight = self.theta + (self.eta[b] / H if without != "eta" else 0.0)
            z = weight * after + (1 - weight) * (a if without != "old" else after) - np.eye(3, 4)
            s = np.column_stack([(self.x + self.U0)[here[held]], np.ones(held.sum())])
            i = np.flatnonzero(np.repeat(held, 3))
            j = np.setdiff1d(np.arange(24), i)
            K = np.linalg.inv(self.C[b][np.ix_(i, i)])
            F0 = self.e0[here[held]].ravel() * (without != "F0")
            if without != "open":
                F0 = F0 + K @ (self.C[b][np.ix_(i, j)] @ self.e0[here[~held]].ravel())
            f = F0 + K @ (s @ z.T).ravel()
            forces[here[held]] = f.reshape(-1, 3)
            y = (self.x + self.U)[here[held]]
            w[6 * b : 6 * b + 3] = forces[here].sum(axis=0)
            w[6 * b + 3 : 6 * b + 6] = np.cross(y, f.reshape(-1, 3)).sum(axis=0)
        return forces, w


def far(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


@settings(max_examples=10)
@given(
    st.integers(0, 10**6),
    st.floats(0.5, 1.0),
    st.one_of(st.just(0.0), st.floats(1e-4, 0.05)),
    st.floats(0.2, 1.0),
)
def test_forces_are_those_of_the_dense_system(seed, theta, eta, part):
    feet = Feet(seed, theta, eta, part)
    (f, w), (F, W) = feet.affine(), feet.dense()
    # Both lose the digits of the condition of C_AA, some 1e4 here.
    assert far(f, F) < 1e-11 and far(w, W) < 1e-11


@pytest.mark.parametrize("term", TERMS)
def test_every_term_counts(term):
    feet = Feet(3, 0.7, 4e-3, 0.6)
    F, W = feet.dense()
    f, w = feet.derived()
    assert far(f, F) < 1e-11 and far(w, W) < 1e-11
    f, w = feet.derived(without=term)
    assert far(f, F) > 1e-6


def sway(scene, state, count, size=40.0):
    """Stand and be pushed to and fro, below the friction."""
    steps = []
    for k in range(count):
        push = size * np.array([np.sin(k / 40), np.cos(k / 60), 0, 0, 0, 0.02 * np.sin(k / 25)])
        steps.append(scene.step(state, H, push[None]))
        state = steps[-1].state
    return steps


def stuck_factor_forces(step) -> np.ndarray:
    """Contact forces (K, 3) of the problem of a step by the closed form with K_A."""
    solution = step.contact.solution
    W = solution.problem.operator
    factor = StickFactor.of(W, np.ones(len(W.node), bool))
    return factor.solve(solution.problem, 1e-15, solution.reactions).reactions


@pytest.mark.parametrize(
    ("theta", "eta"), [(1.0, 0.0), pytest.param(0.6, 4e-3, marks=pytest.mark.nightly)]
)
def test_a_run_of_1500_steps_neither_drifts_nor_ends(theta, eta):
    scene = world(Body.of(small_pad(), eta=eta), com=COM, theta=theta)
    settled = go(scene, scene.at([[0, 0, 0.02]]), H, 150)[-1].state
    steps = sway(scene, settled, 1500)
    assert {s.contact.solution.method for s in steps[::50]} == {"affine"}
    bases = {id(s.state.soles.run.base.displacement) for s in steps}
    assert len(bases) == 1  # never renewed
    K = np.linalg.inv(small_pad().compliance)
    for s in (steps[0], steps[700], steps[-1]):
        soles, expected = s.state.soles, stuck_factor_forces(s)
        assert far(s.contact.solution.reactions, expected) < 1e-11
        assert far(soles.elastic.ravel(), K @ soles.displacement.ravel()) < 1e-10
        told, seen = (
            s.contact.solution.certificate,
            certify(s.contact.solution.problem, s.contact.solution.reactions),
        )
        assert told.holds(1e-8) and seen.holds(1e-8)
    assert max(abs(s.residual) for s in steps) < 1e-11
    assert max(abs(s.contact.energy.imbalance) for s in steps) < 1e-14


def test_results_are_copied_pickled_and_keep_their_start():
    body, S6 = Body.of(small_pad()), foot_inverse()
    stepper, twist, p = fast_step([body], Plane()), np.zeros(6), np.array([[0, 0, 0.02]])
    R, state, free = np.eye(3)[None].copy(), None, np.zeros(6)
    for _ in range(60):  # in arrays that this loop writes again and again
        free[:] = twist
        free[2] -= 9.81 * H
        state = stepper.start() if state is None else state
        done = stepper.step(state, R, p, StepMotion(twist, free, S6, H))
        p[0] += H * done.mean_twists[:3]
        twist[:], state = done.twists, done.state
    assert type(done) is BufferStepResult  # its details come when asked for
    # The gaps at the start of the last step: the foot had not yet moved by H v_bar.
    moved = small_pad().points + done.details.before.displacement
    before = moved[:, 2] + p[0, 2] - H * done.mean_twists[2]
    p[:], R[:], free[:], twist[:] = 7.0, 0.0, 7.0, 7.0
    np.testing.assert_allclose(done.gaps[:, 0], before, atol=1e-12)
    for other in (copy.copy(done), copy.deepcopy(done), pickle.loads(pickle.dumps(done))):
        assert type(other) is StepResult and other.solved
        assert other.contacts == done.contacts and other.residual == done.residual
        np.testing.assert_array_equal(other.wrenches, done.wrenches)
        np.testing.assert_array_equal(other.state.displacement, done.state.displacement)
        np.testing.assert_array_equal(other.gaps, done.gaps)


def test_restored_in_a_run_it_goes_on_with_the_same_bits(tmp_path):
    def scene():
        return world(Body.of(small_pad(), eta=2e-3), com=COM, theta=0.8)

    one = scene()
    state = sway(one, go(one, one.at([[0, 0, 0.02]]), H, 60)[-1].state, 30)[-1].state
    assert state.soles.run is not None
    np.savez(tmp_path / "state.npz", **state.arrays())
    expected = sway(one, state, 40)
    for other in (scene(), one):
        with np.load(tmp_path / "state.npz") as arrays:
            again = sway(other, type(state).from_arrays(arrays), 40)
        for a, b in zip(expected, again, strict=True):
            assert made_by(a.contact) == made_by(b.contact)
            np.testing.assert_array_equal(a.contact.wrenches, b.contact.wrenches)
        for name, array in expected[-1].state.soles.arrays().items():
            np.testing.assert_array_equal(array, again[-1].state.soles.arrays()[name])


def test_a_run_in_a_file_must_fit():
    foot = Guided(Body.of(small_pad()), lifting(58.0))
    foot.place[2] = 0.02
    for _ in range(12):
        foot.step(H)
    arrays = foot.state.arrays()
    assert SoleState.from_arrays(arrays).run is not None
    with pytest.raises(SoleError, match="base_group has shape"):
        SoleState.from_arrays({**arrays, "base_group": arrays["base_group"][1:]})
    with pytest.raises(SoleError, match="base_elastic missing"):
        SoleState.from_arrays({k: a for k, a in arrays.items() if k != "base_elastic"})
    # Without its run, or with one of other nodes, a state is still a state.
    bare = {k: a for k, a in arrays.items() if k != "maps" and not k.startswith("base_")}
    other = dict(arrays, base_slot=np.roll(np.where(np.arange(15) < 3, -1, 0), 1))
    other["base_group"] = other["base_slot"]
    wrenches, place, twist = [], foot.place, foot.twist
    for kept in (arrays, bare, other):
        foot.state, foot.place, foot.twist = SoleState.from_arrays(kept), place, twist
        wrenches.append(foot.step(H).wrenches)
    np.testing.assert_allclose(wrenches[1:], wrenches[:1] * 2, rtol=1e-6, atol=1e-6)


def compare(scene, state, count, tight=1e-9):
    """Walk on by the affine form and by the general way; return the methods of the former."""
    methods = []
    ends = []
    for allowed in (True, False):
        ways_of(scene.stepper)[0].allowed = allowed
        steps = sway(scene, state, count, 10.0)
        ends.append(steps[-1])
        if allowed:
            methods = [s.contact.solution.method for s in steps]
    a, b = ends
    f = b.contact.wrenches
    assert np.abs(a.contact.wrenches - f).max() < tight * np.abs(f).max()
    np.testing.assert_allclose(a.state.places, b.state.places, atol=1e-12)
    np.testing.assert_allclose(a.state.soles.displacement, b.state.soles.displacement, atol=1e-12)
    scale = np.abs(b.state.soles.forces).max()
    np.testing.assert_allclose(a.state.soles.forces, b.state.soles.forces, atol=tight * scale)
    np.testing.assert_allclose(a.contact.frame.near.gaps, b.contact.frame.near.gaps, atol=1e-12)
    np.testing.assert_allclose(a.state.soles.outside, b.state.soles.outside, atol=1e-12)
    return methods


def test_on_a_tilted_plane():
    slope = Slope(angle=radians(8), heading=radians(30))
    scene = world(Body.of(small_pad(), eta=3e-3), slope, com=COM, theta=0.9, tolerance=1e-12)
    n = slope.frame[:, 2]
    R = rotation_of(np.cross([0, 0, 1], n) / np.linalg.norm(np.cross([0, 0, 1], n)) * radians(8))
    start = scene.at((0.0201 * n)[None], R[None])
    methods = compare(scene, go(scene, start, H, 150)[-1].state, 60)
    assert methods.count("affine") >= 50


@pytest.mark.parametrize(
    ("text", "opened"), [("step:0.002,0.03", True), ("step:0.0002,0.05", False)]
)
def test_on_several_planes_and_with_open_nodes(text, opened):
    """The pad stands on a step and on the floor before it; by the higher edge some nodes hang."""
    body = Body.of(small_pad(), eta=3e-3, friction=1.5)
    scene = world(body, parse_ground(text), com=COM, tolerance=1e-12, theta=0.9)
    start = scene.at([[0.0, 0, 0.0221 if opened else 0.0203]])
    settled = go(scene, start, H, 400)[-1].state
    methods = compare(scene, settled, 60, 1e-7)
    assert methods.count("affine") >= 40
    ways_of(scene.stepper)[0].allowed = True
    run = sway(scene, settled, 20, 15.0)[-1].state.soles.run
    assert run is not None and len(run.maps) == 2
    assert (run.base.group < 0).any() == opened


def test_where_it_does_not_hold_the_general_way_is_taken():
    body = Body.of(small_pad(), friction=0.5)
    scene = world(body, com=COM)
    standing = go(scene, scene.at([[0, 0, 0.02]]), H, 80)[-1].state
    pushes = {
        "cone": [[900.0, 0, 0, 0, 0, 0]],
        "opening": [[0, 0, 3000.0, 0, 0, 0]],
        "tilting": [[0, 0, 0, 0, 45.0, 0]],
    }
    assert scene.step(standing, H).contact.solution.method == "affine"
    for wrench in pushes.values():
        state, methods = standing, set()
        for _ in range(25):
            done = scene.step(state, H, wrench)
            state = done.state
            methods |= {s.method for s in done.contact.solutions}
            assert done.contact.solved
        assert "gauss-seidel" in methods
    bump = parse_ground("bump:0.01,0.5")
    curved = world(body, bump, com=COM)
    steps = go(curved, curved.at([[0, 0, 0.0301]]), H, 120)
    for s in steps:  # a node that sticks alone has a plane of its own
        run = s.state.soles.run
        assert run is None or len(run.maps) <= affine_step.MOST
    most = max(int((s.state.soles.status == 1).sum()) for s in steps)
    assert most > affine_step.MOST


def test_an_open_node_that_closes_ends_the_run():
    """A foot in the air comes down while the other one stands: its nodes are checked, too."""
    pad = small_pad()
    stepper = fast_step([Body.of(pad), Body.of(pad)], parse_ground("plane"), StepOptions())
    p = np.array([[0.0, 0, 0.02], [0.0, 0.3, 0.0240]])
    R, v = np.tile(np.eye(3), (2, 1, 1)), np.zeros(12)
    S6 = np.kron(np.eye(2), foot_inverse())
    state, kinds = stepper.start(), []
    for _ in range(60):
        free = v - 9.81 * H * np.eye(12)[2] - (0.1 * np.eye(12)[8] if not kinds else 0)
        done = stepper.step(state, R, p, StepMotion(v, free, S6, H))
        v, state = done.twists, done.state
        p = p + H * done.mean_twists.reshape(2, 6)[:, :3]
        loaded = state.forces[15:].any() and state.displacement[15:].any()
        kinds.append((done.solution.method, bool(loaded)))
    touch = [loaded for _, loaded in kinds].index(True)
    assert 25 < touch < 55 and kinds[touch - 1][0] == "affine"
    assert kinds[touch][0] == "gauss-seidel"


def test_a_clipped_penetration_is_left_to_the_general_way():
    scene = world(Body.of(small_pad()), com=COM, gains=True)
    steps = go(scene, scene.at([[0, 0, 0.0185]], inside=True), H, 60)
    deep = [s for s in steps if s.contact.gaps.min() < -0.1 * H * (1 + 1e-9)]
    assert deep and all(s.contact.solution.method != "affine" for s in deep)
    steps = [s for s in steps if s.contact.solutions]
    steps = go(scene, steps[-1].state, H, 200)
    assert "affine" in {s.contact.solution.method for s in steps if s.contact.solutions}


def test_a_possible_gain_is_left_to_the_general_way(monkeypatch):
    scene = world(Body.of(small_pad()), com=COM)
    state = go(scene, scene.at([[0, 0, 0.02]]), H, 80)[-1].state
    # The ground rises by a micrometre: pushing the sole out does work that no loss pays for.
    state = type(state)(
        rotations=state.rotations, places=state.places - [[0, 0, 1e-6]], twists=state.twists,
        soles=state.soles,
    )  # fmt: skip
    assert scene.step(state, H).contact.solution.method != "affine"
    scene = world(Body.of(small_pad()), com=COM, gains=True)
    assert scene.step(state, H).contact.solution.method == "affine"


def test_a_failing_run_is_not_begun_in_every_step(monkeypatch):
    begun = []
    of = StickRun.of
    monkeypatch.setattr(affine_step, "SAME_PLANE", 1e-12)
    monkeypatch.setattr(
        affine_step.AffineStep, "_known", lambda self, base: begun.append(1) or of(
            self.bodies.compliances, self.bodies.points, self.bodies.geometry, base, {}
        ),
    )  # fmt: skip
    scene = world(Body.of(small_pad()), com=COM)
    theta, push_out, gains, steepest, _, slots = ways_of(scene.stepper)[0].limits
    unmet = theta, push_out, gains, steepest, 0.0, slots  # a tolerance that no step meets
    monkeypatch.setattr(ways_of(scene.stepper)[0], "limits", unmet)
    steps = go(scene, scene.at([[0, 0, 0.02]]), H, 80)
    assert steps[-1].contact.solution.method == "gauss-seidel"
    assert 5 < len(begun) <= 80 / affine_step_kernels.AGAIN + 1


@pytest.mark.parametrize(("theta", "eta"), [(1.0, 0.0), (0.7, 3e-3)])
def test_whole_soles_and_parts_are_advanced_alike(theta, eta):
    """Two loops over the nodes, one without branches: the same sums in another order."""
    scene = world(Body.of(small_pad(), eta=eta), com=COM, theta=theta)
    state = go(scene, scene.at([[0, 0, 0.02]]), H, 90)[-1].state
    affine = ways_of(scene.stepper)[0]
    one = scene.step(state, H, [[20.0, 5, 0, 0, 0, 0]])
    run = affine.runs[0]
    assert run.arrays.whole.all()
    affine.runs = [replace(run, arrays=run.arrays._replace(whole=np.zeros(1, np.int64)))]
    other = scene.step(state, H, [[20.0, 5, 0, 0, 0, 0]])
    for name, array in one.state.soles.arrays().items():
        expected = other.state.soles.arrays()[name]
        scale = np.abs(expected).max() if expected.size else 1.0
        np.testing.assert_allclose(array, expected, atol=1e-12 * scale, err_msg=name)
    a, b = one.contact, other.contact
    assert a.residual == pytest.approx(b.residual, rel=1e-6)
    for name in ("friction", "push", "wrench", "elastic", "viscous", "numerical"):
        assert getattr(a.energy, name) == pytest.approx(getattr(b.energy, name), abs=1e-15)
    lowest = [x.least_gaps(np.array([0])) for x in (a, b)]
    np.testing.assert_allclose(*lowest, atol=1e-18)
