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

from collections.abc import Callable, Mapping
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.constants import FRICTION
from contact.ground import parse_ground
from contact.press import PressResult, RigidMotion, Wrench, place_foot, press, save_press
from contact.problem import ContactStatus
from contact.step import Body, CompliantStep, SoleState, StepMotion
from robot.live.page_messages import read_number
from robot.live.press_freedoms import FARTHEST, MORE, NAMES, STEEPEST
from robot.live.scene_frames import SceneBodies
from robot.live.scene_snapshot import NUMBERS, SceneLayout
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.condense import CondensedSole

if TYPE_CHECKING:
    from robot.pictures.browser import LivePage

PERIOD = 1 / 60  # s
SPEED, TURN = 0.1, 0.6  # m/s and rad/s of the foot
DEEPEST = 0.3  # of the thickness: a deeper foot is beyond linear elasticity
STRONGEST = 5000.0  # N
SHARE = 0.4  # of the way to the wanted wrench in a period
HELD = [2, 3, 4]  # z, roll, pitch: what a force controls
INERT = 1e-9 * np.eye(6)  # S6: the foot goes its way whatever the force
BEYOND = 5e-3  # m above first touch, where a foot begins


class HandsOnPress:
    """A condensed sole over a ground, moved by messages.

    Parameters
    ----------
    sole : the sole. ground : a text of `parse_ground`. friction : Coulomb's mu.
    tell : called with what should be said aloud.
    """

    def __init__(
        self,
        sole: CondensedSole,
        ground: str = "plane",
        friction: float = FRICTION,
        *,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.first_sole, self.tell = sole, tell
        self.given = ground, friction
        self.layout = SceneLayout(7, 1, len(sole.points), MORE + len(sole.points))
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
        self.rest: PressResult | None = None
        self._build()

    def _build(self) -> None:
        body = Body.of(self.sole, friction=self.friction)
        self.stepper = CompliantStep([body], self.ground)
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

    @property
    def bodies(self) -> SceneBodies:
        """The sole as the only contact body."""
        return SceneBodies((0,), (-self.sole.thickness,))

    # ---- one period

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
        force, moment = w[:3], w[3:] - np.cross(self.sole.origin, w[:3])
        self.wrench = np.concatenate([force, moment])
        self.rotation, self.place, self.body_wrench = R, p, w
        self.count += 1
        self.time = self.count * PERIOD

    @property
    def deepest(self) -> float:
        """Largest depth below first touch [m]."""
        return DEEPEST * self.sole.thickness

    def row(self, **numbers: Any) -> FloatArray:
        """Return the snapshot of now; `numbers` by `NUMBERS` besides the time."""
        assert self.state is not None
        made = np.zeros(self.layout.size)
        parts = self.layout.views(made)
        own = {"time": self.time, "over": self.over, "pulling": self.wanted is not None}
        parts["numbers"][:] = [{**numbers, **own}[name] for name in NUMBERS]
        parts["q"][:3] = self.place
        parts["q"][3:] = _quaternion(self.rotation)
        parts["wrench"][0], parts["rotations"][0] = self.body_wrench, self.rotation
        parts["places"][0] = self.place
        parts["moved"][:] = self.state.displacement
        parts["pressed"][:] = self.state.forces.sum(axis=1)
        status = self.state.status.max(axis=1)
        parts["more"][:] = [*self.motion, *self.wrench, self.friction, *status]
        return made

    def page(self) -> LivePage:
        """Return the page."""
        from robot.live.press_page import press_page

        return press_page(self)

    def ended(self) -> str:
        """Return in words why it cannot go on."""
        return f"the contact cannot be solved: {self.trouble}"

    def advice(self) -> str:
        """Return what makes it faster."""
        return f"{self.layout.nodes} nodes (a coarser mesh of the tread is faster)"

    # ---- what a user does

    def obey(self, message: Mapping[str, Any]) -> str:
        """Carry out a message of the page; return what to say, often "".

        Raises
        ------
        SoleError
            It cannot be done; nothing has changed.
        """
        name = message.get("do")
        if name == "move":
            self._move(message)
            return ""
        if name == "force":
            force = read_number(message, "force", 1.0, STRONGEST)
            x, y = (read_number(message, key, -0.3, 0.3) for key in ("cop_x", "cop_y"))
            self.wanted = np.array([force, y * force, -x * force])
            return ""
        if name == "set":
            return self._set(message)
        if name == "rest":
            return self.at_rest()
        if name == "let go":
            return ""
        raise ConfigError(f"the page asks for '{str(name)[:40]}', which is not known")

    def _move(self, message: Mapping[str, Any]) -> None:
        bounds = {n: STEEPEST if n.endswith("_deg") else FARTHEST for n in NAMES}
        new = {n: read_number(message, n, -bounds[n], bounds[n]) for n in NAMES if n in message}
        target = self.target.copy()
        for n, value in new.items():
            target[NAMES.index(n)] = radians(value) if n.endswith("_deg") else value
        target[2] = max(target[2], -self.deepest)
        if {"z", "roll_deg", "pitch_deg"} & set(new):
            self.wanted = None
        self.target = target

    def _set(self, message: Mapping[str, Any]) -> str:
        told = []
        if "young" in message:
            young = read_number(message, "young", 1e4, 1e9)
            now = self.first_sole.materials[0].young_modulus
            self.sole = self.first_sole.scaled(young / now)
            told.append(f"E = {young / 1e6:.3g} MPa")
        if "friction" in message:
            self.friction = read_number(message, "friction", 0.0, 2.0)
            told.append(f"mu = {self.friction:g}")
        if "ground" in message:
            text = str(message["ground"])
            if text.endswith(".toml") or text.startswith("heightfield"):
                raise ConfigError("a ground of a file is chosen by --ground, not on the page")
            self.ground = parse_ground(text)
            self.ground_text = text
            self.lift()
            return f"ground: {text}"
        self._build()
        return ", ".join(told)

    def consequences(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what all pages must know after a message was obeyed."""
        if message.get("do") != "set":
            return []
        from robot.live.press_page import ground_arrays

        told: list[dict[str, Any]] = [
            {"set": {n: message[n] for n in ("young", "friction", "ground") if n in message}}
        ]
        if "ground" in message:
            told.append({"ground": ground_arrays(self)})
        return told

    def at_rest(self) -> str:
        """Press the sole to rest, by the wrench or to the pose of now; return what it says.

        Raises
        ------
        SoleError
            There is no state of rest.
        """
        load: Wrench | RigidMotion
        if self.wanted is not None:
            fz, tx, ty = self.wanted.tolist()
            load = Wrench(fz=fz, tx=tx, ty=ty)
        else:
            x, y, z, roll, pitch, yaw = self.motion.tolist()
            if z >= 0:
                raise ConfigError("the foot is above the ground: sink it first")
            load = RigidMotion(sink=-z, x=x, y=y, roll=roll, pitch=pitch, yaw=yaw)
        done = press(self.sole, load, self.ground, self.friction)
        self.rest = done
        w, slips = done.wrench, int((done.status == SLIPPING).sum())
        return (
            f"at rest: {w[2]:.1f} N, area {1e4 * done.contact_area:.1f} cm^2, up to "
            f"{done.pressure.max() / 1e3:.3g} kPa, {slips} nodes slip"
        )

    def save(self, output: Path) -> dict[str, Any] | None:
        """Write the present state, pressed to rest, as a press; return what was written."""
        try:
            self.at_rest()
        except SoleError as error:
            if self.rest is None:
                self.tell(f"nothing is written: {error}")
                return None
        assert self.rest is not None
        save_press(output, self.rest)
        return {"output": str(output), "force": float(self.rest.wrench[2])}


SLIPPING = int(ContactStatus.SLIP)


def _rotation_vector(R: FloatArray) -> FloatArray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def _quaternion(R: FloatArray) -> FloatArray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_quat())
