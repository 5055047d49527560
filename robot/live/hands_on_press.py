"""A foot over a ground that obeys messages of a page, and its state of rest.

The foot that moves has a history (`robot.live.moved_foot`); `press` gives the state of rest of the
same motion or wrench, without that history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import hypot, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.constants import FRICTION
from contact.ground import parse_ground
from contact.press import PressResult, RigidMotion, Wrench, press, save_press
from robot.live.moved_foot import MovedFoot
from robot.live.page_messages import read_number
from robot.live.press_freedoms import FARTHEST, MORE, NAMES, STEEPEST
from robot.live.scene_frames import SceneBodies
from robot.live.scene_snapshot import NUMBERS, SceneLayout
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.base.stopping import interruptible
from sole.condense import CondensedSole, deformation_of, describe_excess

if TYPE_CHECKING:
    from contact.ground import Ground
    from robot.pictures.browser import LivePage

STRONGEST = 5000.0  # N
MOST_SOLIDS, MOST_NODES = 100, 1000  # of a ground and a sole that a page changes
SETTINGS = ("young", "stiffness_factor", "friction", "ground", "force", "cop_x", "cop_y")
ELASTIC = {"young": (1e4, 1e9), "stiffness_factor": (1e-3, 1e3)}  # Pa, 1


class HandsOnPress(MovedFoot):
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
        self.tell, self.nap = tell, 0.0  # a step is longer than a frame
        self.layout = SceneLayout(7, 1, len(sole.points), MORE + len(sole.points))
        super().__init__(sole, ground, friction)

    def begin(self) -> None:
        """Begin anew: above the first ground, with the first sole."""
        super().begin()
        self._rest_shown = False

    def lift(self) -> None:
        """Put the foot above the ground, without a history and a state of rest."""
        super().lift()
        self.rest: PressResult | None = None

    @property
    def bodies(self) -> SceneBodies:
        """The sole as the only contact body."""
        return SceneBodies((0,), (-self.sole.thickness,))

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

    def curves(self) -> list[float]:
        """Return depth below first touch [mm], normal force and shear [N]."""
        fx, fy, fz = self.wrench[:3].tolist()
        return [-1e3 * float(self.motion[2]), fz, hypot(fx, fy)]

    def check_speed(self, speed: float) -> None:
        """Accept every speed."""

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
        name, nodes = message.get("do"), len(self.sole.points)
        if name in ("set", "rest") and nodes > MOST_NODES:
            raise ConfigError(
                f"this is done on the page for at most {MOST_NODES} nodes, here are {nodes}: use "
                "`sole press`"
            )
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
            self.at_rest()
            return ""
        if name == "let go":
            return ""
        raise ConfigError(f"the page asks for '{str(name)[:40]}', which is not known")

    def settings(self) -> dict[str, Any]:
        """Return E [Pa] or the factor on it (`elastic`), mu and ground as they are now."""
        name, value = self.elastic
        return {name: value, "friction": self.friction, "ground": self.ground_text}

    @property
    def elastic(self) -> tuple[str, float]:
        """Name and value of what scales the sole: `young` [Pa] if all of its layers have one E.

        Else `stiffness_factor`, on the E of every layer of the first sole.
        """
        first, now = (s.materials[0].young_modulus for s in (self.first_sole, self.sole))
        if all(m.young_modulus == first for m in self.first_sole.materials):
            return "young", now
        return "stiffness_factor", now / first

    def excess(self) -> str:
        """Return in words by how much the sole is beyond linear elasticity; "" if within."""
        assert self.state is not None
        return describe_excess(deformation_of(self.state.displacement, self.sole.thickness))

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
        sole, friction, ground, told = self.sole, self.friction, None, []
        name, _ = self.elastic
        for other in ELASTIC.keys() - {name}:
            if other in message:
                layers = "of one E" if name == "young" else "of different E"
                raise ConfigError(f"{other} does not apply to a sole {layers}: set {name}")
        if name in message:
            value = read_number(message, name, *ELASTIC[name])
            one = name == "young"
            factor = value / self.first_sole.materials[0].young_modulus if one else value
            sole = self.first_sole.scaled(factor)
            told.append(f"E = {value / 1e6:.3g} MPa" if one else f"stiffness factor {value:.3g}")
        if "friction" in message:
            friction = read_number(message, "friction", 0.0, 2.0)
            told.append(f"mu = {friction:g}")
        if "ground" in message:
            text = str(message["ground"]).strip()
            ground = text, _ground_of_page(text)
            told.append(f"ground: {text}")
        self.sole, self.friction = sole, friction
        if ground is None:
            self.build()
        else:
            self.ground_text, self.ground = ground
            self.lift()
        return ", ".join(told)

    def idle(self) -> None:
        """Stand still: nothing has to be done."""

    def close(self) -> None:
        """End: nothing has to be released."""

    def consequences(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what all pages must know after a message was obeyed."""
        told: list[dict[str, Any]] = []
        if message.get("do") == "restart":
            from robot.live.press_page import ground_arrays

            return [{"rest": None}, {"ground": ground_arrays(self)}]
        if message.get("do") == "rest" and self.rest is not None:
            self._rest_shown = True
            from robot.live.press_page import rest_numbers

            return [{"rest": rest_numbers(self.rest)}]
        if self._rest_shown and message.get("do") in ("move", "force", "set"):
            self._rest_shown = False
            told.append({"rest": None})
        if known := {n: message[n] for n in SETTINGS if n in message}:
            told.append({"set": known})
        if "ground" in known:
            from robot.live.press_page import ground_arrays

            told.append({"ground": ground_arrays(self)})
        return told

    def at_rest(self) -> None:
        """Press the sole to rest, by the wrench or to the pose of now: `rest`.

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
        self.rest = press(self.sole, load, self.ground, self.friction)

    def save(self, output: Path) -> dict[str, Any] | None:
        """Write the present state, pressed to rest, as a press; return what was written."""
        try:
            with interruptible():
                self.at_rest()
        except (SoleError, KeyboardInterrupt) as error:
            why = str(error) or "the state of rest was not found in time"
            if self.rest is None:
                self.tell(f"nothing is written: {why}")
                return None
            self.tell(f"the last state of rest is written: {why}")
        assert self.rest is not None
        save_press(output, self.rest)
        return {"output": str(output), "force": float(self.rest.wrench[2])}


def _ground_of_page(text: str) -> Ground:
    """Return a ground that a page asks for: from no file, and not of too many solids."""
    if text.endswith(".toml") or text.startswith("heightfield"):
        raise ConfigError("a ground of a file is chosen by --ground, not on the page")
    ground = parse_ground(text)
    count = getattr(ground, "count", 1)
    if count > MOST_SOLIDS:
        raise ConfigError(f"a page's ground has at most {MOST_SOLIDS} stones or steps, got {count}")
    return ground


def _quaternion(R: FloatArray) -> FloatArray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_quat())
