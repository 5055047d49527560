"""Loads of a press: a wrench or a motion of the foot, and paths through several of them.

Wrenches are forces of the ground on the sole, (fx, fy, fz, tx, ty, tz) [N, N m]; fz > 0 presses.
Their axes are those of the ground's frame (z its normal) and do not turn while the foot tilts; the
moments are about the sole's origin projected on the tread plane, which moves with the foot. So on a
plane fz is the force on it, and (fx, fy) the shear along it. Motions are taken from the reference
configuration: the undeformed sole parallel to the ground's frame, lowered without turning until it
first touches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sole.base.angles import Angle, angles_of, key_of, name_of, read_value, restored, stored
from sole.base.arrays import FloatArray
from sole.base.config import STRICT, load
from sole.base.errors import ConfigError
from sole.base.units import Metres, NewtonMetres, Newtons, read_quantity, unit_in_files

PATH_SCHEMA = "contact.path/1"
MOST_INCREMENTS = 10_000
LARGEST = 1e9  # [N, N m]; no sole survives more
FARTHEST = 10.0  # [m, rad]


@dataclass(frozen=True, kw_only=True)
class Wrench:
    """Force of the ground on the sole, and its moment about the projected origin.

    In the axes of the ground's frame; units N and N m.
    """

    fx: float = 0.0
    fy: float = 0.0
    fz: float = 0.0
    tx: float = 0.0
    ty: float = 0.0
    tz: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not math.isfinite(value):
                raise ConfigError(f"wrench: {name} must be finite, got {value:g}")
            if abs(value) > LARGEST:
                raise ConfigError(f"wrench: {name} = {value:g} is more than {LARGEST:g} (N, N m)")

    @classmethod
    def standing(
        cls,
        force: float,
        cop: Sequence[float] | None = None,
        moment: Sequence[float] | None = None,
        shear: Sequence[float] = (0.0, 0.0),
        yaw: float = 0.0,
    ) -> Wrench:
        """Return the wrench of a normal force [N] at a CoP (x, y) [m], or with moments (tx, ty).

        tx = y fz, ty = -x fz.
        """
        if cop is not None and moment is not None:
            raise ConfigError("give the CoP or the moments (tx, ty), not both")
        if cop is not None:
            if not all(math.isfinite(c) for c in cop):
                raise ConfigError(f"the CoP must be finite, got {cop[0]:g} {cop[1]:g} m")
            moment = (cop[1] * force, -cop[0] * force)
        tx, ty = (0.0, 0.0) if moment is None else moment
        fx, fy = shear
        return cls(fx=fx, fy=fy, fz=force, tx=tx, ty=ty, tz=yaw)

    @property
    def vector(self) -> FloatArray:
        """(6,) in the order (fx, fy, fz, tx, ty, tz)."""
        return np.array([self.fx, self.fy, self.fz, self.tx, self.ty, self.tz])


@dataclass(frozen=True, kw_only=True)
class RigidMotion:
    """Motion of the foot from the reference configuration, axes of the ground's frame.

    `sink` [m] is downwards; x, y [m]; rotation roll, pitch, yaw [rad] about the axes x, y, z
    through the projected origin, R = Rz(yaw) Ry(pitch) Rx(roll).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    sink: Metres = 0.0
    x: Metres = 0.0
    y: Metres = 0.0
    roll: Angle = 0.0
    pitch: Angle = 0.0
    yaw: Angle = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not math.isfinite(value):
                raise ConfigError(f"pose: {name} must be finite, got {value:g}")
            if abs(value) > FARTHEST:
                key, unit = key_of(RigidMotion, name), "m"
                if name in angles_of(RigidMotion):
                    value, unit = math.degrees(value), "degrees"
                raise ConfigError(f"pose: {key} = {value:g} {unit} is out of range")
        if max(abs(self.roll), abs(self.pitch), abs(self.yaw)) > 1.0:
            raise ConfigError("pose: roll, pitch and yaw must be within 57.2 degrees (1 rad)")

    @property
    def vector(self) -> FloatArray:
        """(6,) translation and (roll, pitch, yaw)."""
        return np.array([self.x, self.y, -self.sink, self.roll, self.pitch, self.yaw])


PressLoad = Wrench | RigidMotion


def parse_motion(text: str) -> RigidMotion:
    """Read the text ``sink=0.001,roll_deg=0.5``: sink, x, y [m], roll_, pitch_, yaw_deg [deg]."""
    names = [f.name for f in fields(RigidMotion)]
    values: dict[str, float] = {}
    for item in filter(None, text.split(",")):
        key, _, number = item.partition("=")
        try:
            name = name_of(RigidMotion, key.strip())
            if name not in names:
                known = ", ".join(key_of(RigidMotion, n) for n in names)
                raise ConfigError(f"unknown '{key}'; known are {known}")
            if not number:
                raise ConfigError(f"expected name=number, got '{item}'")
            values[name] = read_value(
                RigidMotion, name, read_quantity(number, unit_in_files(RigidMotion, name))
            )
        except ConfigError as error:
            raise ConfigError(f"pose '{text}': {error}") from error
    return RigidMotion(**values)


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """One leg of a path: towards a wrench (`force`, ...) or a `pose`, in `increments` parts."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    force: Newtons | None = None
    cop: tuple[Metres, Metres] | None = None
    moment: tuple[NewtonMetres, NewtonMetres] | None = None
    shear: tuple[Newtons, Newtons] = (0.0, 0.0)
    yaw: NewtonMetres = 0.0
    pose: RigidMotion | None = None
    increments: int = 1

    def __post_init__(self) -> None:
        if (self.force is None) == (self.pose is None):
            raise ConfigError("a step of a path needs either 'force' or 'pose'")
        _check_increments(self.increments)
        if self.pose is not None and (self.cop or self.moment or any(self.shear) or self.yaw):
            raise ConfigError("'cop', 'moment', 'shear' and 'yaw' go with 'force', not with 'pose'")

    @property
    def load(self) -> PressLoad:
        """The load at the end of this step."""
        if self.force is not None:
            return Wrench.standing(self.force, self.cop, self.moment, self.shear, self.yaw)
        return self.pose or RigidMotion()


@dataclass(frozen=True, kw_only=True)
class LoadPath:
    """A TOML path: ``schema = "contact.path/1"`` and ``[[step]]`` tables."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    step: tuple[PathStep, ...]

    def __post_init__(self) -> None:
        if not self.step:
            raise ConfigError("a path needs at least one [[step]]")


def load_path(file: Path) -> tuple[PressLoad, ...]:
    """Read a path file and return the load at the end of every increment."""
    loads: tuple[PressLoad, ...] = ()
    for step in load(Path(file), LoadPath, PATH_SCHEMA).step:
        loads += divide_load(step.load, step.increments, loads[-1] if loads else None)
    return loads


def divide_load(
    target: PressLoad, increments: int, start: PressLoad | None = None
) -> tuple[PressLoad, ...]:
    """Return the loads of equal increments from `start` (None: unloaded) to `target`."""
    _check_increments(increments)
    kind = type(target)
    begin: PressLoad = start if start is not None and isinstance(start, kind) else kind()
    if start is not None and type(start) is not kind and increments > 1:
        raise ConfigError("a path changes between wrench and pose only in a step of one increment")
    return tuple(_between(begin, target, (j + 1) / increments) for j in range(increments))


def grows_evenly(path: Sequence[PressLoad]) -> bool:
    """Whether the loads of a path are growing parts of its last one, a wrench."""
    if not all(isinstance(load, Wrench) for load in path):
        return False
    w = np.array([load.vector for load in path])
    share = w[:, 2] / w[-1, 2] if w[-1, 2] > 0 else np.zeros(len(w))
    rest = np.abs(w - share[:, None] * w[-1]).max()
    return bool((np.diff(share, prepend=0.0) > 0).all() and rest <= 1e-9 * np.abs(w[-1]).max())


def _check_increments(increments: int) -> None:
    if not 1 <= increments <= MOST_INCREMENTS:
        raise ConfigError(f"increments must be 1 to {MOST_INCREMENTS}, got {increments}")


def _between(a: PressLoad, b: PressLoad, t: float) -> PressLoad:
    if t == 1.0:
        return b
    values = {f.name: (1 - t) * getattr(a, f.name) + t * getattr(b, f.name) for f in fields(b)}
    return type(b)(**values)


def header_of(load: PressLoad) -> dict[str, Any]:
    """Return plain data that `load_from` understands."""
    kind = "wrench" if isinstance(load, Wrench) else "pose"
    return {"kind": kind, **stored(type(load), asdict(load))}


def load_from(data: dict[str, Any]) -> PressLoad:
    """Rebuild a load from `header_of`."""
    values = dict(data)
    kind = values.pop("kind")
    return Wrench(**values) if kind == "wrench" else RigidMotion(**restored(RigidMotion, values))
