"""Press at finite strain: the linear limit, slopes, stiffening, loads of all kinds, refusals."""

from __future__ import annotations

from functools import lru_cache
from math import radians

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.finite_press import press_finite
from contact.ground import Bump, Plane, Slope, Step
from contact.press import RigidMotion, Wrench, divide_load, press
from sole.base.errors import ConfigError, ConvergenceError, EquilibriumError
from sole.condense import condense
from sole.hyperelastic import FiniteSole
from sole.laws import Hyperfoam, NeoHooke
from sole.material import Material

E, NU = 1e6, 0.4
LENGTH, WIDTH, THICKNESS = 0.24, 0.14, 0.02


def mesh():
    return box_mesh(LENGTH, WIDTH, THICKNESS, (6, 4, 1))


@lru_cache
def rubber(element="p2"):
    return FiniteSole(mesh(), NeoHooke.of(E, NU), element)


@lru_cache
def foam():
    return FiniteSole(mesh(), Hyperfoam.of(E, 0.1), "p2")


@lru_cache
def linear(element="p2"):
    return condense(mesh(), Material(young_modulus=E, poisson_ratio=NU), element)


def rel(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


@pytest.mark.parametrize("element", ["p2", "ccr"])
def test_difference_from_the_linear_press_is_proportional_to_the_load(element):
    """Off centre, shear and yaw, two increments; down to 1e-6 of it."""
    errors = []
    for scale in (1e-2, 1e-4, 1e-6):
        load = Wrench.standing(
            600 * scale, (0.08, 0.02), shear=(60 * scale, 20 * scale), yaw=1.0 * scale
        )
        path = divide_load(load, 2)
        a, b = press_finite(rubber(element), path), press(linear(element), path)
        errors.append([rel(a.forces, b.forces), rel(a.displacements, b.displacements)])
        assert rel(a.motion, b.motion) < 10 * errors[-1][1] + 1e-8
    first, second, third = np.array(errors)
    assert (first < 0.05).all()
    np.testing.assert_allclose(second / first, 1e-2, rtol=0.2)
    np.testing.assert_allclose(third / second, 1e-2, rtol=0.2)


@pytest.mark.parametrize("angle", [0.3, 0.6])
def test_a_slope_is_the_plane_turned(angle):
    load = Wrench.standing(600, (0.06, 0.02), shear=(60, 20))
    a = press_finite(rubber(), load)
    b = press_finite(rubber(), load, Slope(angle=angle, heading=0.4))
    assert rel(b.forces, a.forces) < 1e-12
    assert rel(b.u, a.u) < 1e-12


GROUNDS = {
    "plane": (Wrench.standing(900, (0.09, 0.0), shear=(150, 40), yaw=2.0), Plane()),
    "slope": (Wrench.standing(500, shear=(-150, 0)), Slope(angle=radians(19))),
    "step": (Wrench.standing(570, (0.04, 0.01)), Step(rise=0.005)),
    "bump": (Wrench.standing(570, (0.03, 0.01)), Bump(rise=0.004, radius=0.03)),
}


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("make", [rubber, foam])
def test_certificate_on_every_ground(make, name):
    load, ground = GROUNDS[name]
    done = press_finite(make(), load, ground)
    assert done.certificate.contact.holds(1e-8)
    assert done.certificate.internal < 1e-8
    assert np.abs(done.wrench - load.vector).max() < 1e-6


def test_rubber_stiffens_and_foam_softens():
    """Near the edge the linear press tilts too much on rubber, too little on foam."""
    load = Wrench.standing(900, (0.1, 0.0))
    soft = condense(mesh(), Material(young_modulus=E, poisson_ratio=0.1), "p2")
    hard, flat = press_finite(rubber(), load), press_finite(foam(), load)
    assert press(linear(), load).motion[4] > 1.05 * hard.motion[4]
    assert press(soft, load).motion[4] < 0.95 * flat.motion[4]
    assert 0.05 < hard.field.strain < flat.field.strain < 0.5


def test_held_foot_reaches_its_pose_and_energy_is_the_work():
    """E(sink) grows by f dz: the integral of fz over the sink, by Simpson's rule."""
    sinks = np.linspace(0, 0.004, 9)
    path = [RigidMotion(sink=float(s)) for s in sinks[1:]]
    steps = []
    done = press_finite(rubber(), path, friction=0.0, each=steps.append)
    assert len(steps) == 8
    assert done.motion[2] == pytest.approx(-0.004)
    fz = np.array([0.0] + [s.wrench[2] for s in steps])
    h = sinks[1]
    work = h / 3 * (fz[0] + 4 * fz[1::2].sum() + 2 * fz[2:-1:2].sum() + fz[-1])
    assert done.energy == pytest.approx(work, rel=1e-4)


def test_true_areas_and_pressures():
    done = press_finite(rubber(), Wrench.standing(3000), friction=0.0)
    flat = done.sole.mesh.tread_areas.sum()
    assert done.areas.sum() > 1.005 * flat  # the tread bulges
    assert done.contact_area == pytest.approx(done.areas.sum())
    assert (done.pressure * done.areas).sum() == pytest.approx(3000, rel=1e-9)


def test_random_wrenches_are_solved_or_refused_like_the_linear_press():
    _random_wrenches(8)


@pytest.mark.nightly
def test_many_random_wrenches():
    _random_wrenches(200)


def _random_wrenches(number):
    """In one increment from rest, up to F/E 2500 mm^2."""
    rng, steps = np.random.default_rng(7), []
    for _ in range(number):
        force = rng.uniform(100, 2500)
        x, y = rng.uniform(-0.1, 0.1), rng.uniform(-0.055, 0.055)
        shear = rng.uniform(0, 0.4) * force * rng.dirichlet((1, 1))
        load = Wrench.standing(
            force, (x, y), shear=tuple(shear), yaw=rng.uniform(-0.01, 0.01) * force
        )
        mu = rng.uniform(0.3, 0.8)
        try:
            done = press_finite(rubber(), load, friction=mu)
        except EquilibriumError:
            with pytest.raises(EquilibriumError):
                press(linear(), load, friction=mu)
        else:
            steps.append(done.newton)
            assert done.certificate.contact.holds(1e-8)
            assert done.certificate.internal < 1e-8
    assert number / 2 <= len(steps) < number
    assert np.median(steps) <= 5


def test_a_first_tangent_that_overshoots_refuses_nothing():
    """The linear press tilts by 0.26 rad; at its arms nothing rests. The sole tilts by 0.16."""
    load = Wrench.standing(2347, (-0.0488, -0.0549), shear=(18, 346), yaw=19.58)
    whole = press_finite(rubber(), load, friction=0.784)
    parts = press_finite(rubber(), load, friction=0.784, increments=4)
    assert whole.certificate.contact.holds(1e-8)
    assert rel(whole.motion, parts.motion) < 0.03  # the history of friction


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (Wrench.standing(-5), "does not press"),
        (Wrench.standing(600, (0.5, 0.0)), "outside the tread's convex hull"),
        (Wrench.standing(600, shear=(550, 0)), "shear of 550 N is beyond friction"),
        (Wrench.standing(600, yaw=80), "is beyond friction: the sole turns at about"),
    ],
)
def test_refused_with_the_reasons_of_the_linear_press(load, message):
    for solve, sole in ((press, linear()), (press_finite, rubber())):
        with pytest.raises(EquilibriumError, match=message):
            solve(sole, load)


def test_bad_input():
    with pytest.raises(ConfigError, match="friction must be finite"):
        press_finite(rubber(), Wrench.standing(5), friction=-1)
    with pytest.raises(ConfigError, match="the foot itself would be in the ground"):
        press_finite(rubber(), RigidMotion(sink=0.03))


def test_past_its_limit_the_last_increment_is_kept():
    with pytest.raises(ConvergenceError, match="stopped in increment 3 of 3") as failed:
        press_finite(rubber(), [RigidMotion(sink=s) for s in (0.002, 0.004, 0.0199)])
    assert failed.value.best.path[-1] == RigidMotion(sink=0.004)
    assert failed.value.best.certificate.contact.holds(1e-8)
