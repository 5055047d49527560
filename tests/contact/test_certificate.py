"""The certificate of a press: what it must notice, and that it does not trust the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from press_cases import pad

from contact.ground import Bump, Plane, Step
from contact.press import PressOptions, RigidMotion, Wrench, press
from contact.press.certificate import certify_press
from contact.press.increment import Increment
from contact.press.press_state import PressView
from contact.press.quasi_static import is_accepted
from sole.base.errors import ConvergenceError

LOAD = Wrench.standing(570, cop=(0.04, 0.015), shear=(120, 60), yaw=2)


def certify(result, wrench=LOAD.vector, **changes):
    arrays = {
        "contact_forces": result.contact_forces,
        "pose": result.pose,
        "start": result.start,
    } | changes
    return certify_press(
        sole=result.sole, ground=result.ground, friction=result.friction, wrench=wrench, **arrays
    )


@pytest.mark.parametrize(
    "ground", [Plane(), Step(rise=0.006), Bump(rise=0.005, radius=0.03)], ids=str
)
def test_agrees_with_the_residual_that_the_solver_iterates_on(ground):
    # Away from a solution both must say the same, although they share no kinematics.
    result = press(pad(), LOAD, ground)
    forces = result.contact_forces * 1.01
    shifted = replace(result, contact_forces=forces)
    view = shifted.view
    c = shifted.certificate
    assert c.natural_map == pytest.approx(view.residual, rel=1e-6) and c.natural_map > 1e-4
    free = np.ones(6, dtype=bool)
    assert c.equilibrium == pytest.approx(view.imbalance(LOAD.vector, free), rel=1e-6)
    assert c.equilibrium > 1e-3


def test_notices_wrong_kinematics_of_the_solver(monkeypatch):
    # A View that forgets that the displacements turn with the foot solves another problem.
    true = PressView.__init__

    def wrong(self, setting, state):
        true(self, setting, state)
        self.world = setting.arms @ state.rotation.T + self.displacement + state.place
        gaps, _ = setting.ground.gaps(self.world, state.start)
        self.gaps = gaps.reshape(-1)
        self.velocity = self.velocity.copy()
        self.velocity[:, 2] = self.gaps

    monkeypatch.setattr(PressView, "__init__", wrong)
    with pytest.raises(ConvergenceError, match="failed its check"):
        press(pad(), RigidMotion(sink=2e-4, roll=5e-3, pitch=4e-3))


def test_moments_count():
    result = press(pad(), LOAD)
    for axis in range(6):
        wrong = LOAD.vector.copy()
        wrong[axis] += 0.57 if axis < 3 else 0.57 * result.view.setting.length
        size = np.linalg.norm(wrong[:3])
        assert certify(result, wrong).equilibrium == pytest.approx(0.57 / size, rel=1e-6)
        free = np.ones(6, dtype=bool)
        assert result.view.imbalance(wrong, free) == pytest.approx(0.57 / size, rel=1e-6)


def test_forces_outside_their_cone_count():
    result = press(pad(), LOAD)
    assert result.certificate.cone < 1e-9
    forces = result.contact_forces.copy()
    k = int(forces[0, :, 2].argmax())
    forces[0, k, :2] = [2 * result.friction * forces[0, k, 2], 0.0]
    # Distance to the cone of (2 mu, 0, 1) N is mu N/sqrt(1 + mu^2); the sole is hardly tilted.
    mu = result.friction
    distance = mu * forces[0, k, 2] / np.hypot(1, mu) / np.abs(forces).max()
    assert certify(result, contact_forces=forces).cone == pytest.approx(distance, rel=0.1)


def test_equilibrium_is_asked_for_to_1e_9_whatever_the_round_off_of_gaps():
    view = press(pad(), LOAD).view

    def increment(residual, imbalance):
        return Increment(
            view=view, residual=residual, imbalance=imbalance, outer=1, sweeps=1, newton=1,
            factor=0.0, ran_away="",
        )  # fmt: skip

    options = PressOptions()
    assert is_accepted(increment(5e-9, 5e-10), options)
    assert not is_accepted(increment(2e-8, 5e-10), options)
    assert not is_accepted(increment(5e-9, 2e-9), options)
    assert is_accepted(increment(1e-7, 1e-8), PressOptions(tolerance=1e-8))


def test_stiff_sole_is_in_equilibrium_too():
    # Gaps of 1e-12 m drown in round-off; the sum of forces does not.
    result = press(pad().scaled(1e6), LOAD)
    assert result.view.floor > 1e-9
    assert result.certificate.equilibrium < 1e-12
