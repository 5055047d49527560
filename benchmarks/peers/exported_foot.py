"""A foot on an exported sole in MuJoCo: the file as written, pressed, sheared, tilted.

The foot is a free body on a plane with MuJoCo's defaults. `tread` of the file is attached at its
sole frame; the options are those of the file, unless others are given. Loads are those of
`contact.press`: force of the ground and its moment about a point of the plane, here the one under
the middle of the tread; motions are those of the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from contact.press import Wrench, press
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole

CASES = {"press": 2, "shear x": 0, "shear y": 1, "tilt x": 3, "tilt y": 4, "torsion": 5}
PARTS = ("fx", "fy", "fz", "tx", "ty", "tz")
OPTIONS = ("timestep", "integrator", "cone", "impratio")
MASS = 10.0  # kg
RAMP = HOLD = 0.25  # s


class ExportedFoot:
    """The scene at rest under no load.

    Parameters
    ----------
    sole : whose export it is. path : the MJCF.
    edit : changes the file's spec before it is attached, to see what its settings do.
    option : of the scene, instead of the file's.
    """

    def __init__(
        self,
        sole: CondensedSole,
        path: Path,
        edit: Callable[[Any], None] | None = None,
        option: Mapping[str, Any] | None = None,
    ) -> None:
        import mujoco

        self.api, self.middle = mujoco, middle_of(sole)
        child = mujoco.MjSpec.from_file(str(path))
        if edit is not None:
            edit(child)
        for name, value in (option or {}).items():
            setattr(child.option, name, value)
        spec = mujoco.MjSpec()
        for name in OPTIONS:
            setattr(spec.option, name, getattr(child.option, name))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2.0, 2.0, 0.1])
        foot = spec.worldbody.add_body(
            name="foot",
            mass=MASS,
            inertia=[0.02, 0.02, 0.02],
            explicitinertial=True,
            pos=[0.0, 0.0, -self.middle[2]],
            ipos=self.middle,
        )
        foot.add_freejoint()
        foot.add_frame().attach_body(child.body("tread"), "left_", "")
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._last = np.zeros(6)

    def load(self, wrench: FloatArray, hold: float = HOLD) -> FloatArray:
        """Change the load to `wrench` (6,) within `RAMP`, hold it [s]; return `motion`."""
        dt, before = self.model.opt.timestep, self._last
        ramp, hold_steps = round(RAMP / dt), round(hold / dt)
        for step in range(1, ramp + hold_steps + 1):
            w = before + (wrench - before) * min(1.0, step / ramp)
            force = -w[:3]
            arm = [0.0, 0.0, -self.data.xipos[1, 2]]  # the projected middle, from the middle
            self.data.xfrc_applied[1, :3] = force
            self.data.xfrc_applied[1, 3:] = -w[3:] + np.cross(arm, force)
            self.data.xfrc_applied[1, 2] += MASS * 9.81  # what weighs is the load
            self.api.mj_step(self.model, self.data)
        self._last = np.array(wrench)
        return self.motion

    @property
    def motion(self) -> FloatArray:
        """(6,) of the tread's middle, fixed to the foot, from its place without load [m, rad]."""
        R = np.zeros(9)
        self.api.mju_quat2Mat(R, self.data.qpos[3:7])
        turn = R.reshape(3, 3)
        x = self.data.qpos[:3] + turn @ self.middle
        x -= [*self.middle[:2], 0.0]
        skew = (turn - turn.T) / 2
        return np.array([*x, skew[2, 1], skew[0, 2], skew[1, 0]])


def middle_of(sole: CondensedSole) -> FloatArray:
    """Return the middle (3,) of the tread in the sole frame [m]."""
    low, high = sole.points.min(axis=0), sole.points.max(axis=0)
    return np.asarray((low + high) / 2)


def loads_of(sole: CondensedSole, load: float) -> dict[str, FloatArray]:
    """Return wrenches (6,) of `CASES` under a normal force: far from slip and from the edges."""
    low, high = sole.points[:, :2].min(axis=0), sole.points[:, :2].max(axis=0)
    half = (high - low) / 2
    sizes = {0: 0.2, 1: 0.2, 2: 0.0, 3: 0.08 * half[1], 4: 0.08 * half[0], 5: 0.1 * half.min()}
    return {
        name: load * (np.eye(6)[2] + (sizes[axis] * np.eye(6)[axis]))
        for name, axis in CASES.items()
    }


def errors_of(foot: ExportedFoot, sole: CondensedSole, load: float) -> dict[str, float]:
    """Return error of the foot's motion along every load of `CASES`, relative to a press."""
    found = {}
    alone = np.array([0.0, 0.0, load, 0.0, 0.0, 0.0])
    none, exact_none = foot.load(alone), _pressed(sole, alone)
    for name, wrench in loads_of(sole, load).items():
        axis = CASES[name]
        if name == "press":
            found[name] = float(none[2] / exact_none[2] - 1)
            continue
        before = foot.load(alone)
        ours = foot.load(wrench)[axis] - before[axis]
        found[name] = float(ours / (_pressed(sole, wrench) - exact_none)[axis] - 1)
    return found


def creep_of(foot: ExportedFoot, sole: CondensedSole, load: float, axis: int = 1) -> float:
    """Return the creep in a second under shear along an axis, over the deflection."""
    alone = np.array([0.0, 0.0, load, 0.0, 0.0, 0.0])
    before = foot.load(alone)
    wrench = loads_of(sole, load)["shear y" if axis else "shear x"]
    first = foot.load(wrench)
    return float((foot.load(wrench, 1.0 - RAMP) - first)[axis] / (first - before)[axis])


def _pressed(sole: CondensedSole, wrench: FloatArray) -> FloatArray:
    """Return the motion of the middle under a wrench about it, by our exact friction."""
    arm = (middle_of(sole) - sole.origin) * [1.0, 1.0, 0.0]
    about = np.array([*wrench[:3], *(wrench[3:] + np.cross(arm, wrench[:3]))])
    given = {name: float(value) for name, value in zip(PARTS, about, strict=True)}
    motion = press(sole, Wrench(**given)).motion
    return np.array([*(motion[:3] + np.cross(motion[3:], arm)), *motion[3:]])
