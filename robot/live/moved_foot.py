"""A sole that a user moves over a ground while its contact is solved.

The foot follows a target motion (6,) from first touch, at limited speed, and each period is one
step of `contact.step.CompliantStep` with prescribed motion: S6 = 1e-9 I, twist = way/dt. So it has
a history, as a real sole: what sticks is dragged along. Under force control the foot sinks, rolls
and pitches until the wrench about the projected origin is the wanted one,

    d(z, roll, pitch) = -a K^-1 (w* - w),      K the rows z, roll, pitch of K6, a = 0.4,

which does not overshoot, since the sole is at most as stiff as K6. `press` gives the state of rest
of the same motion or wrench, without that history.
"""

from __future__ import annotations

import numpy as np

from contact.constants import FRICTION
from contact.ground import parse_ground
from contact.press import place_foot
from contact.step import Body, SoleState, StepMotion
from contact.swept_step import fast_step
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole

PERIOD = 1 / 60  # s
SPEED, TURN = 0.1, 0.6  # m/s and rad/s of the foot
DEEPEST = 0.3  # of the thickness: a deeper foot is beyond linear elasticity
SHARE = 0.4  # of the way to the wanted wrench in a period
HELD = [2, 3, 4]  # z, roll, pitch: what a force controls
INERT = 1e-9 * np.eye(6)  # S6: the foot goes its way whatever the force
BEYOND = 5e-3  # m above first touch, where a foot begins


class MovedFoot:
    """A condensed sole over a ground that follows `target`, or presses with `wanted`.

    Parameters
    ----------
    sole : the sole. ground : a text of `parse_ground`. friction : Coulomb's mu.
    """

    def __init__(
        self, sole: CondensedSole, ground: str = "plane", friction: float = FRICTION
    ) -> None:
        self.first_sole, self.given = sole, (ground, friction)
        self.trouble: SoleError | None = None
        self.begin()

    def begin(self) -> None:
        """Begin anew: above the first ground, with the first sole."""
        self.sole = self.first_sole
        self.ground_text, self.friction = self.given
        self.ground = parse_ground(self.ground_text)
        self.time, self.count = 0.0, 0
        self.trouble = None
        self.lift()

    def lift(self) -> None:
        """Put the foot above the ground, without a history."""
        self.motion = np.array([0.0, 0.0, BEYOND, 0.0, 0.0, 0.0])
        self.target = self.motion.copy()
        self.wanted: FloatArray | None = None  # fz, tx, ty about the projected origin
        self.wrench = np.zeros(6)
        self.state: SoleState | None = None
        self.build()

    def build(self) -> None:
        """Take over sole, ground and friction as they are now; the soles' state goes on."""
        body = Body.of(self.sole, friction=self.friction)
        self.stepper = fast_step([body], self.ground)
        fresh = self.stepper.start()
        old = self.state
        if old is None or old.status.shape != fresh.status.shape:
            self.state = fresh
            return
        elastic = (self.sole.stiffness @ old.displacement.ravel()).reshape(-1, 3)
        kept = {name: getattr(old, name) for name in ("displacement", "forces", "earlier")}
        kept |= {name: getattr(old, name) for name in ("outside", "status", "solid")}
        self.state = SoleState(elastic=elastic, **kept)

    @property
    def over(self) -> bool:
        """Whether a step failed."""
        return self.trouble is not None

    def pose(self, motion: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return R and p of the foot (origin on the bond plane) after a motion (6,)."""
        R, c = place_foot(self.sole, self.ground, motion)
        return R, c - R @ self.sole.origin

    def advance(self) -> None:
        """Move the foot for a period and solve its contact."""
        try:
            self._advance()
        except SoleError as error:
            self.trouble = error

    def _advance(self) -> None:
        assert self.state is not None
        if self.wanted is not None:
            K = self.sole.foot_stiffness[np.ix_(HELD, HELD)]
            lacking = self.wanted - self.wrench[HELD]
            free = self.wrench[2] <= 0
            way = (
                np.array([-SPEED * PERIOD / 4, 0.0, 0.0])
                if free
                else -SHARE * np.linalg.solve(K, lacking)
            )
            self.target[HELD] = self.motion[HELD] + way
            self.target[2] = max(self.target[2], -self.deepest)
        most = np.array(3 * [SPEED] + 3 * [TURN]) * PERIOD
        way = np.clip(self.target - self.motion, -most, most)
        R, p = self.pose(self.motion)
        self.motion = self.motion + way
        R1, p1 = self.pose(self.motion)
        twist = np.concatenate([R.T @ (p1 - p), _rotation_vector(R.T @ R1)]) / PERIOD
        done = self.stepper.step(
            self.state, R[None], p[None], StepMotion(twist, twist, INERT, PERIOD)
        )
        self.state = done.state
        w = np.asarray(done.wrenches).reshape(6)
        turn = self.ground.frame.T @ R
        force, moment = turn @ w[:3], turn @ (w[3:] - np.cross(self.sole.origin, w[:3]))
        self.wrench = np.concatenate([force, moment])  # axes of the ground's frame
        self.rotation, self.place, self.body_wrench = R, p, w
        self.count += 1
        self.time = self.count * PERIOD

    @property
    def deepest(self) -> float:
        """Largest depth below first touch [m]."""
        return DEEPEST * self.sole.thickness


def _rotation_vector(R: FloatArray) -> FloatArray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())
