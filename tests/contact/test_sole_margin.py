"""Margins of a compliant sole: limit surfaces, tilting, presses and time steps."""

from __future__ import annotations

import json
from math import radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from press_cases import LENGTH, WIDTH, pad
from step_cases import MASS, G, go, small_pad, world

from contact.frames import frames_of, rotation_of
from contact.ground import Bump, Slope, Step
from contact.ground.simple_grounds import Bar
from contact.margins import LimitSurface, press_margin, step_margins
from contact.margins.sole_margin import sole_margin
from contact.press import RigidMotion, Wrench, load_press, press, save_press
from contact.step import Body
from contact.summaries.press_summary import describe_press
from contact.wrench_cone import Hull, WrenchCone
from sole.base.errors import EquilibriumError, SoleError

standing = Wrench.standing
MU, N = 0.7, 600.0
X, Y = LENGTH / 2, WIDTH / 2
CORNERS = np.array([[X, Y, 0], [-X, Y, 0], [-X, -Y, 0], [X, -Y, 0]])


def flat(points: np.ndarray) -> np.ndarray:
    return np.column_stack([points, np.zeros(len(points))])


def grid(n: int) -> np.ndarray:
    """n x n midpoints of the rectangle 2X x 2Y."""
    t = (np.arange(n) + 0.5) / n * 2 - 1
    return flat(np.stack(np.meshgrid(X * t, Y * t, indexing="ij"), axis=-1).reshape(-1, 2))


def contacts(rng: np.random.Generator, count: int, lean: float = 0.0):
    """Random points, normal forces, friction and frames that lean to z by up to `lean` rad."""
    x = rng.uniform(-1, 1, (count, 3)) * [X, Y, 0.01 if lean else 0.0]
    n = np.column_stack([lean * rng.uniform(-1, 1, (count, 2)) / 2, np.ones(count)])
    frames = frames_of(n / np.linalg.norm(n, axis=1)[:, None])
    return x, rng.uniform(0, 1, count) ** 2 * 50 + 1e-3, rng.uniform(0.2, 1.0, count), frames


# --- limit surfaces in closed form ----------------------------------------------------------


def test_disc_under_uniform_pressure_yaws_at_two_thirds_mu_n_a():
    n, a = 50, 0.05
    r = (np.arange(n) + 0.5) / n * a
    angle = np.arange(90) / 90 * 2 * np.pi
    points = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], axis=-1)
    p = np.repeat(r, 90)
    disc = LimitSurface(flat(points.reshape(-1, 2)), N * p / p.sum(), MU)
    # sum r^2 / sum r of n midpoints is 2/3 a (1 - 1/(4 n^2)).
    yaw = 2 / 3 * MU * N * a * (1 - 1 / (4 * n**2))
    assert disc.slip([0, 0, yaw]).gauge == pytest.approx(1.0, rel=1e-7)
    assert disc.slip([MU * N, 0, 0]).gauge == pytest.approx(1.0, rel=1e-7)
    assert disc.radius == pytest.approx(a / np.sqrt(2) * np.sqrt(1 - 1 / (2 * n**2)), rel=1e-9)


def test_rectangle_under_uniform_pressure_yaws_at_mu_n_times_the_mean_distance():
    d = np.hypot(X, Y)
    mean = (d + X**2 / (2 * Y) * np.arcsinh(Y / X) + Y**2 / (2 * X) * np.arcsinh(X / Y)) / 3
    surface = LimitSurface(grid(40), np.full(1600, N / 1600), MU)
    # The midpoint rule is of second order, with (h/d)^2/12 about 1e-4 here.
    assert surface.slip([0, 0, MU * N * mean]).gauge == pytest.approx(1.0, rel=5e-4)


def test_load_on_the_corners_yaws_like_the_rigid_foot():
    surface = LimitSurface(CORNERS, np.full(4, N / 4), MU)
    assert surface.slip([0, 0, MU * N * np.hypot(X, Y)]).gauge == pytest.approx(1.0, rel=1e-8)
    assert surface.slip([0, 0.5 * MU * N, 0]).gauge == pytest.approx(0.5, rel=1e-8)


@given(st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=30, derandomize=True)
def test_two_points_share_side_force_and_yaw(side, yaw):
    """Without f1: s = f2/2 +- m/(2 b) at either end, each at most mu N/2."""
    b = 0.1
    surface = LimitSurface([[b, 0, 0], [-b, 0, 0]], [N / 2, N / 2], MU)
    f, m = side * MU * N, yaw * MU * N * b
    expected = max(abs(f + m / b), abs(f - m / b)) / (MU * N)
    assert surface.slip([0, f, m]).gauge == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_one_point_holds_no_yaw():
    surface = LimitSurface([[0.1, 0, 0]], [10.0], 0.5)
    assert surface.slip([3, 0, 0]).gauge == pytest.approx(0.6)
    assert surface.slip([0, 3, 0.3]).gauge == pytest.approx(0.6)  # about the point itself
    assert np.isinf(surface.slip([0, 3, 0.31]).gauge)


# --- limit surfaces proved -------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(2, 40), st.booleans())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_gauge_is_proved_from_both_sides(seed, count, rough):
    rng = np.random.default_rng(seed)
    x, p, mu, frames = contacts(rng, count, 0.4 if rough else 0.0)
    surface = LimitSurface(x, p, mu, frames)
    w = rng.normal(size=3) * [1, 1, 0.07] * 10.0 ** rng.uniform(-2, 2)
    slip = surface.slip(w)
    assert 0 < slip.least <= slip.gauge * (1 + 1e-12)
    assert slip.gauge <= slip.least * (1 + 1e-7)
    # From above: forces within gauge times the discs. From below: w . d <= gauge h(d).
    used = np.linalg.norm(slip.forces, axis=1) / (mu * p)
    assert used.max() <= slip.gauge * (1 + 1e-9)
    assert surface.load(slip.forces) == pytest.approx(w, rel=1e-9, abs=1e-9 * np.abs(w).max())
    assert w @ slip.motion == pytest.approx(1.0, rel=1e-9)
    assert surface.support(slip.motion) == pytest.approx(1 / slip.least, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_gauge_agrees_with_a_linear_programme_of_polygons(seed):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    x, p, mu, frames = contacts(rng, 12)
    surface = LimitSurface(x, p, mu, frames)
    w = rng.normal(size=3) * [1, 1, 0.07]
    sides = 64
    angle = 2 * np.pi * np.arange(sides) / sides
    rays = np.stack([np.cos(angle), np.sin(angle)], axis=-1)  # polygons inside the discs
    columns = []
    for k in range(12):
        for ray in rays:
            s = np.zeros((12, 2))
            s[k] = mu[k] * p[k] * ray
            columns.append(surface.load(s))
    # minimise g: sum of weights of every disc at most g, forces sum up to w
    A_eq = np.column_stack([np.array(columns).T, np.zeros(3)])
    A_ub = np.column_stack([np.kron(np.eye(12), np.ones(sides)), -np.ones(12)])
    c = np.append(np.zeros(12 * sides), 1.0)
    found = linprog(c, A_ub=A_ub, b_ub=np.zeros(12), A_eq=A_eq, b_eq=w)
    gauge = surface.slip(w).gauge
    assert gauge * (1 - 1e-7) <= found.fun <= gauge / np.cos(np.pi / sides) * (1 + 1e-7)


def test_gauge_does_not_depend_on_the_origin_or_the_frames():
    rng = np.random.default_rng(5)
    x, p, mu, _ = contacts(rng, 20)
    w = np.array([5.0, -3.0, 0.4])
    expected = LimitSurface(x, p, mu).slip(w).gauge
    a = np.array([0.3, -0.2, 0.0])
    moved = LimitSurface(x + a, p, mu).slip(w + np.array([0, 0, a[0] * w[1] - a[1] * w[0]]))
    assert moved.gauge == pytest.approx(expected, rel=1e-7)
    c, s = np.cos(0.7), np.sin(0.7)  # each contact may call its tangents what it likes
    turned = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
    frames = LimitSurface(x, p, mu, np.tile(turned, (20, 1, 1)))
    assert frames.slip(w).gauge == pytest.approx(expected, rel=1e-7)
    R = rotation_of(np.array([0.3, -0.2, 0.0]))  # all of it leans: another plane, same body
    leaning = LimitSurface(x @ R.T, p, mu, np.tile(np.eye(3) @ R.T, (20, 1, 1)))
    force = R @ [w[0], w[1], 0]
    rotated = np.append(leaning.axes[:2] @ force, w[2])
    assert leaning.slip(rotated).gauge == pytest.approx(expected, rel=1e-7)


@given(st.integers(0, 10_000))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_any_pressure_is_inside_the_rigid_cone(seed):
    """[CaronPhamNakamura2015], Proposition 1: forces inside can be moved to the corners."""
    rng = np.random.default_rng(seed)
    x, p, _, _ = contacts(rng, rng.integers(2, 30))
    surface = LimitSurface(x, p, MU)
    w3 = surface.boundary(rng.normal(size=3) * [1, 1, 0.07])
    wrench = [w3[0], w3[1], p.sum(), p @ x[:, 1], -p @ x[:, 0], w3[2]]
    rigid = WrenchCone.of_rectangle(X, Y, MU)
    assert rigid.margin(wrench).value >= -1e-7
    margin = sole_margin(x, np.column_stack([np.zeros((len(p), 2)), p]), MU, support=CORNERS)
    vertical = [0, 0, p.sum(), p @ x[:, 1], -p @ x[:, 0], 0]
    assert margin.tilt == pytest.approx(float(rigid.margin(vertical).value), abs=1e-9)


# --- words and tilting -----------------------------------------------------------------------


def sheared(direction, yaw=0.0) -> np.ndarray:
    """Friction (sx, sy) on all corners plus a yaw; the ground pushes along `direction`."""
    f = np.tile([*direction, N / 4], (4, 1)).astype(float)
    f[:, :2] += yaw * np.column_stack([-CORNERS[:, 1], CORNERS[:, 0]])
    return f


@pytest.mark.parametrize(
    ("direction", "yaw", "words"),
    [
        ((-60, 0), 0, "slide forward"),  # the ground brakes: the foot would slide forward
        ((60, 0), 0, "slide backward"),
        ((0, -60), 0, "slide left"),
        ((60, 60), 0, "slide backward right"),
        ((0, 0), -500, "yaw left about (0, 0) m"),
        ((0, 0), 500, "yaw right about (0, 0) m"),
        ((-60, 0), -100, "slide forward, turning left about"),
    ],
)
def test_slip_in_words_is_the_motion_of_the_foot(direction, yaw, words):
    margin = sole_margin(CORNERS, sheared(direction, yaw), MU)
    assert margin.slip_words.startswith(words)
    assert margin.first == margin.slip_words
    assert str(margin) == f"{margin.first} first: {100 * margin.slip:.3g} % margin"


def test_a_leaning_foot_has_the_slip_margin_of_its_own_plane():
    R, f = rotation_of(np.array([0.3, -0.2, 0.0])), sheared((-60, 20), 100)
    upright = sole_margin(CORNERS, f, MU)
    frames = np.tile(R.T, (4, 1, 1))  # rows t1, t2, n
    leaning = sole_margin(CORNERS @ R.T, f @ R.T, MU, frames=frames)
    assert leaning.slip == pytest.approx(upright.slip, abs=1e-7)
    assert leaning.force == pytest.approx(upright.force)


def test_a_corner_that_carries_most_is_the_pivot():
    """Two forces turn the foot about the corner with the load: that one does not slip."""
    f = np.array([[0, 0, 570.0], [0, -1, 10.0], [1, 0, 10.0], [1, 0, 10.0]])
    margin = sole_margin(CORNERS, f, MU)
    assert margin.pivot == pytest.approx([X, Y], abs=1e-6)


@given(st.floats(-0.99, 0.99), st.floats(-0.99, 0.99))
@settings(max_examples=30, derandomize=True)
def test_tilt_of_a_rectangle_is_that_of_the_rigid_foot(a, b):
    hull = Hull.of(grid(6) * [6 / 5, 6 / 5, 1])
    value, edge = hull.margin(np.array([a * X, b * Y]))
    assert value == pytest.approx(1 - max(abs(a), abs(b)), abs=1e-12)
    expected = WrenchCone.of_rectangle(X, Y, 10.0).margin([0, 0, N, b * Y * N, -a * X * N, 0])
    assert value == pytest.approx(float(expected.value), abs=1e-12)
    side = hull.normals[edge] @ [a / X, b / Y]
    assert side >= -1e-12


@pytest.mark.parametrize(
    ("cop", "words"),
    [((0.8, 0), "toe"), ((-0.8, 0), "heel"), ((0, 0.8), "left edge"), ((0, -0.8), "right edge")],
)
def test_tilt_in_words(cop, words):
    p = N / 4 * (1 + np.sign(CORNERS[:, 0]) * cop[0]) * (1 + np.sign(CORNERS[:, 1]) * cop[1])
    margin = sole_margin(CORNERS, np.column_stack([np.zeros((4, 2)), p]), MU)
    assert margin.first == f"tilt about {words}"
    assert margin.value == pytest.approx(0.2)


def test_hull_is_that_of_qhull():
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(3)
    for count in (3, 5, 40):
        points = rng.normal(size=(count, 2))
        other = points[ConvexHull(points).vertices]
        ours = Hull.of(points)
        assert {tuple(v) for v in ours.vertices} == {tuple(v) for v in other}
        inside = (points - ours.centre) @ ours.normals.T
        assert (inside <= ours.reach + 1e-12).all() and (ours.reach > 0).all()


def test_a_line_of_contact_tips_to_both_sides():
    line = flat(np.array([[0.02, -0.05], [0.02, 0.0], [0.02, 0.05]]))
    margin = sole_margin(line, [[0, 0, 10], [0, 0, 20], [0, 0, 10]], MU)
    assert margin.tilt == 0.0 and margin.value == 0.0
    assert Hull.of(line).margin(np.array([0.03, 0.0]))[0] == -np.inf
    assert Hull.of(line[:1]).margin(np.array([0.02, -0.05]))[0] == 0.0


def test_one_node_alone_cannot_hold_a_twist():
    """Two contacts of one node, as at the foot of a step, still are one point."""
    twisted = sole_margin(CORNERS[[0, 0]], [[3, 0, 10], [-3, 0, 10.0]], MU)
    assert twisted.slip == pytest.approx(1.0) and twisted.tilt == 0.0
    surface = LimitSurface(CORNERS[[0, 0]], [10.0, 10.0], MU)
    slip = surface.slip([0, 0, -1.0])
    assert slip.gauge == np.inf and slip.motion[2] < 0


# --- presses ---------------------------------------------------------------------------------


def test_shear_of_a_press_is_its_share_of_friction():
    result = press(pad(), standing(N, shear=(200, 50)))
    force = result.wrench[:3]  # in the ground's frame, as the load
    share = np.hypot(*force[:2]) / (MU * force[2])
    # The pressure is centred up to the tilt: hardly any moment about its centre is left.
    assert press_margin(result).slip == pytest.approx(1 - share, abs=1e-5)
    assert press_margin(result).slip_words == "slide backward"
    assert press_margin(result).value == press_margin(result).slip
    assert press_margin(press(pad(), standing(N))).first == "pressed straight at the centre"


def test_margin_of_a_file_is_that_of_the_result(tmp_path):
    result = press(
        pad(), standing(N, cop=(0.03, 0.01), shear=(80, 20), yaw=3), Slope(angle=radians(10))
    )
    save_press(tmp_path / "press.npz", result)
    again = press_margin(load_press(tmp_path / "press.npz"))
    assert again.slip == pytest.approx(press_margin(result).slip, abs=1e-9)
    assert again.tilt == press_margin(result).tilt and str(again) == str(press_margin(result))
    report = describe_press(result).as_json()
    assert report["margin"] == press_margin(result).value
    assert report["slip_margin"] == press_margin(result).slip
    json.dumps(report, allow_nan=False)
    assert describe_press(result).quantities["margin"].remark == f"{again.first} first"


# (E in MPa, CoP, shear [N] or yaw [N m]) and what the press itself names as its limit.
LIMITS = [(1.0, (0.0, 0.0), "shear"), (0.3, (0.03, 0.02), "shear"), (1.0, (0.0, 0.0), "yaw")]


@pytest.mark.parametrize(("young", "cop", "kind"), LIMITS)
def test_margin_goes_to_zero_where_the_press_has_no_state_of_rest(young, cop, kind):
    sole = pad().scaled(young)

    def load(size):
        return standing(N, cop, **({"yaw": size} if kind == "yaw" else {"shear": (size, 0.0)}))

    with pytest.raises(EquilibriumError) as caught:
        press(sole, load(900.0 if kind == "shear" else 60.0))
    told = str(caught.value).split(" at ")[-1].removeprefix("about ")
    limit = float(told.split()[0])
    slips = [press_margin(press(sole, load(share * limit))).slip for share in (0.0, 0.4, 0.8, 0.99)]
    # Never outside, falling, and predicting the limit from 40 % on: measured within 3 %.
    assert slips[0] > 0.95 and np.diff(slips).max() < 0 and slips[-1] > -1e-8
    assert 0.4 / (1 - slips[1]) == pytest.approx(1.0, abs=0.03)
    assert slips[-1] < 0.03


def test_a_dragged_sole_has_no_margin_left():
    """A foot moved far along the ground slides with every node: the limit surface itself."""
    dragged = [press(pad(), RigidMotion(sink=3e-4, x=x)) for x in (0.0, 3e-4, 1e-3, 0.03)]
    slips = [press_margin(done).slip for done in dragged]
    assert np.diff(slips).max() < 0
    assert -1e-8 <= slips[-1] < 1e-4
    turned = press_margin(press(pad(), RigidMotion(sink=3e-4, yaw=0.05)))
    assert -1e-8 <= turned.slip < 0.01 and turned.slip_words.startswith("yaw left about")


@pytest.mark.parametrize("ground", [Step(rise=0.01), Bump(rise=0.005, radius=0.03)])
def test_rugged_ground_carries_where_it_touches(ground):
    margin = press_margin(press(pad(), standing(570, cop=(0.03, 0.01)), ground))
    assert 0 <= margin.value <= margin.slip_most <= 1 + 1e-9
    assert margin.hull.vertices[:, 0].min() >= (-1e-9 if isinstance(ground, Step) else -X - 1e-9)


def test_a_press_without_friction_has_no_margin():
    margin = press_margin(press(pad(), standing(N), friction=0.0))
    assert margin.slip == 0.0 and margin.first == "slide"


def test_undefined_margins_are_said_so():
    free = press(pad(), RigidMotion(sink=-1e-3))
    with pytest.raises(EquilibriumError, match="no normal force"):
        _ = press_margin(free)
    row = describe_press(free).quantities["margin"]
    assert row.value is None and row.remark.startswith("undefined: ")
    edge = Bar(rise=0.02, radius=0.02, x=-0.005)
    leaning = press(pad(), RigidMotion(sink=5e-4, pitch=0.0), edge)
    assert describe_press(leaning).as_json()["margin"] is not None


# --- time steps ------------------------------------------------------------------------------


def on_slope(angle: float, steps: int, **options):
    ground = Slope(angle=radians(angle))
    body = Body.of(small_pad(), friction=0.5, eta=2e-3)
    scene = world(body, ground, com=np.array([0.0, 0.0, 0.0]), **options)
    R = ground.frame
    state = scene.at((R @ [0.0, 0.0, 0.02])[None], R[None], np.zeros(6))
    return scene, go(scene, state, 2e-3, steps)[-1].contact


def test_a_standing_foot_has_the_margin_of_the_press_at_rest():
    scene, result = on_slope(10.0, 250)
    (margin,) = step_margins(scene.stepper, result)
    w = result.wrenches[0]
    moment = w[3:] - np.cross([0, 0, -0.02], w[:3])
    load = Wrench(**dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), [*w[:3], *moment], strict=True)))
    rest = press_margin(press(small_pad(), load, Slope(angle=radians(10)), 0.5))
    # Arms to deformed instead of undeformed nodes: U/length, about 1e-3 here.
    assert margin.slip == pytest.approx(rest.slip, abs=2e-3)
    assert margin.tilt == pytest.approx(rest.tilt, abs=5e-3)
    assert margin.slip == pytest.approx(1 - np.tan(np.radians(10)) / 0.5, abs=5e-3)
    assert margin.first == "slide backward" and margin.force == pytest.approx(
        MASS * G * np.cos(np.radians(10)), rel=1e-3
    )


def test_a_sliding_foot_has_none():
    scene, result = on_slope(35.0, 100, tolerance=1e-9)
    (margin,) = step_margins(scene.stepper, result)
    assert abs(margin.slip) < 1e-6 and margin.first.startswith("slide backward")


def test_a_foot_in_the_air_has_no_margin_and_costs_nothing():
    scene = world(Body.of(small_pad()))
    state = scene.at(np.array([[0.0, 0.0, 0.5]]), np.eye(3)[None], np.zeros(6))
    result = scene.step(state, 1e-3).contact
    assert step_margins(scene.stepper, result) == (None,)
    assert "hulls" not in vars(scene.stepper.bodies)  # nothing is made before it is needed


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"points": np.zeros((0, 3))}, "points"),
        ({"points": CORNERS[:, :2]}, "points"),
        ({"forces": np.zeros((3, 3))}, "forces"),
        ({"forces": np.full((4, 3), np.nan)}, "forces must be finite"),
        ({"forces": sheared((0, 0)) * [1, 1, -1]}, "pulls"),
        ({"friction": -0.1}, "friction must not be negative"),
        ({"friction": [0.1, 0.2]}, "friction must have shape"),
        ({"friction": np.nan}, "friction must be finite"),
        ({"frames": np.ones((4, 3, 3))}, "orthonormal"),
        ({"support": np.zeros((4, 5))}, "points must be finite"),
    ],
)
def test_bad_input_is_refused(change, word):
    good = {"points": CORNERS, "forces": sheared((0, 0)), "friction": MU}
    arguments = {**good, **change}
    keywords = {k: arguments.pop(k) for k in ("frames", "support") if k in arguments}
    with pytest.raises(SoleError, match=word):
        sole_margin(*arguments.values(), **keywords)


def test_nothing_pressed_and_walls_are_refused():
    with pytest.raises(EquilibriumError, match="no normal force"):
        sole_margin(CORNERS, np.zeros((4, 3)), MU)
    opposite = np.tile(np.eye(3), (4, 1, 1))
    opposite[:2] = [[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]  # half of the load on a wall
    forces = np.einsum("kab,ka->kb", opposite, np.tile([0, 0, 10.0], (4, 1)))
    with pytest.raises(SoleError, match="lean by 45 deg"):
        sole_margin(CORNERS, forces, MU, frames=opposite)


def test_without_friction_any_load_along_the_ground_is_too_much():
    assert sole_margin(CORNERS, sheared((0, 0)), 0.0).slip == 0.0
    margin = sole_margin(CORNERS, sheared((1, 0)), 0.0)
    assert margin.slip == margin.value == -np.inf


def test_a_rocker_that_does_not_touch_carries_nothing():
    """A toe that rises by 8 mm is no support of a press that displaces by less."""
    from sole.condense import condense
    from sole.material import Material
    from sole.mesh import mesh_shape
    from sole.shape import End, Rectangle, Shape

    shape = Shape(
        name="rocker",
        rectangle=Rectangle(length=0.22, width=0.1),
        thickness=0.02,
        toe=End(length=0.06, height=0.008, kind="rocker"),
    )
    sole = condense(mesh_shape(shape, 0.03, 0.03), Material(young_modulus=2e6, poisson_ratio=0.3))
    result = press(sole, standing(400, cop=(-0.02, 0.0)))
    moved = np.linalg.norm(result.displacements, axis=1).max()
    assert moved < 0.004
    hull = press_margin(result).hull
    # The circle tangent to the tread rises by d after sqrt(2 R d), R = (60^2 + 8^2)/(2 * 8) mm.
    R = (0.06**2 + 0.008**2) / (2 * 0.008)
    front = 0.11 - 0.06 + np.sqrt(2 * R * moved)
    assert 0.05 - 1e-9 <= hull.vertices[:, 0].max() <= front + 1e-6
    assert hull.vertices[:, 0].min() == pytest.approx(-0.11)
