"""Press rows of a sweep: one press of a standing foot per case.

Every row starts from scratch, never from its neighbour: an interrupted and resumed sweep gives
the same table to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from contact.constants import FRICTION as DEFAULT
from sole.base.errors import ConfigError
from sole.base.units import is_number, read_quantity
from sole.studies import (
    FIELD_COLUMNS,
    HERE,
    AxisQuantity,
    Case,
    Column,
    SharedSole,
    field_metrics,
    weighted_percentile,
)

if TYPE_CHECKING:
    from contact.ground import Ground
    from contact.press.load import Wrench
    from contact.press.pressed_sole import PressedSole

FRICTION = AxisQuantity("", "friction coefficient", low=0.0, open_ends=(False, True))
_COLUMNS = {
    "contact_area": Column(
        "m^2", "tread area of the nodes that carry force", highlight=True, goal="greatest"
    ),
    "pressure_peak": Column(
        "Pa", "normal pressure, mean on the most loaded 1 cm^2", highlight=True, goal="least"
    ),
    "pressure_peak_error": Column(
        "", "estimated error of pressure_peak by the mesh, relative", error_of="pressure_peak"
    ),
    "pressure_p95": Column(
        "Pa", "normal pressure, 95th percentile by area of contact", goal="least"
    ),
    "pressure_max": Column(
        "Pa", "normal pressure, maximum at a node: depends on the mesh", goal="least"
    ),
    "slip_fraction": Column("", "slipping part of the contact area", goal="least"),
    "sink": Column("m", "the tread's origin below first touch", goal="least"),
    "roll": Column("rad", "turn of the foot about x"),
    "pitch": Column("rad", "turn of the foot about y"),
    "deformation": Column(
        "",
        "largest displacement of a tread node over the sole's thickness",
        goal="least",
    ),
    "energy": Column("J", "elastic energy"),
    "residual": Column("", "natural map of the press, relative", goal="least"),
}
PAIRS = {"cop": "m", "moment": "N m", "shear": "N"}
_KNOWN = ("force", "cop", "moment", "shear", "yaw", "ground", "friction", "increments", "fields")


class PressRows:
    """One press test per case, under the load given by the options.

    Options: `force` [N], and as for `sole press`: `cop` or `moment`, `shear`, `yaw`, `ground`
    (text such as "step:0.01"), `friction`, `increments`; `fields = false` leaves out strain and
    stress, which cost a back substitution of the whole mesh.
    """

    quantities: Mapping[str, AxisQuantity] = MappingProxyType({"friction": FRICTION})
    needs_sole = True
    trades = (("pressure_peak", "sink"), ("pressure_p95", "sink"))  # the second: older tables

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        unknown = set(options) - set(_KNOWN)
        if unknown:
            raise ConfigError(
                f"press rows have no option '{min(unknown)}'; known: {', '.join(_KNOWN)}"
            )
        if "force" not in options:
            raise ConfigError("press rows need a force [N]")
        self.load: Wrench = _wrench(options)
        self.ground, self.fingerprint = _ground(options, folder)
        self.friction = _number("friction", options.get("friction", DEFAULT))
        self.increments = options.get("increments", 1)
        if isinstance(self.increments, bool) or not isinstance(self.increments, int):
            raise ConfigError(f"increments must be a whole number, got {self.increments!r}")
        self.fields = bool(options.get("fields", True))
        self.columns: dict[str, Column] = dict(_COLUMNS)
        if self.fields:
            self.columns |= FIELD_COLUMNS

    @classmethod
    def declare(cls) -> dict[str, Column]:
        """Return all possible columns."""
        return _COLUMNS | FIELD_COLUMNS

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the numbers of one case; raises SoleError where there is no equilibrium."""
        from contact.press.quasi_static import press

        sole = shared.sole if case.scale == 1.0 else shared.sole.scaled(case.scale)
        friction = float(case.settings.get("friction", self.friction))
        result = press(sole, self.load, self.ground, friction, increments=self.increments)
        row = press_metrics(result, result.certificate.natural_map)
        if self.fields:
            row |= field_metrics(shared.recovery(result.forces, case.scale))
        return row


def press_metrics(result: PressedSole, residual: float) -> dict[str, float]:
    """Return the columns of a press that need no recovery of the inside."""
    from contact.press.pressure_peak import peak_pressure
    from contact.problem import ContactStatus

    areas, motion = result.areas, result.motion
    touching = result.status != ContactStatus.OPEN
    slipping = result.status == ContactStatus.SLIP
    contact = result.contact_area
    peak = peak_pressure(result.mesh, result.pressure)
    return {
        "contact_area": contact,
        "pressure_peak": peak.value,
        "pressure_peak_error": peak.error,
        "pressure_p95": weighted_percentile(result.pressure[touching], areas[touching], 0.95),
        "pressure_max": float(result.pressure.max()),
        "slip_fraction": float(areas[slipping].sum()) / contact,
        "sink": -float(motion[2]),
        "roll": float(motion[3]),
        "pitch": float(motion[4]),
        "deformation": result.deformation,
        "energy": result.energy,
        "residual": residual,
    }


def _wrench(options: Mapping[str, Any]) -> Wrench:
    from contact.press.load import Wrench

    pairs = {
        name: _pair(name, options[name], unit) for name, unit in PAIRS.items() if name in options
    }
    return Wrench.standing(
        _number("force", options["force"], "N"),
        yaw=_number("yaw", options.get("yaw", 0.0), "N m"),
        **pairs,
    )


def _ground(options: Mapping[str, Any], folder: Path) -> tuple[Ground, str]:
    """Return the ground, and the text of its file or of the option."""
    from contact.ground import parse_ground

    text = str(options.get("ground", "plane"))
    if not text.endswith(".toml"):
        return parse_ground(text), text
    ground = parse_ground(str(folder / text))
    return ground, (folder / text).read_text(encoding="utf-8")


def _number(name: str, value: object, unit: str = "") -> float:
    if isinstance(value, str) and not is_number(value):
        value = read_quantity(value, unit)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"{name} must be a number, got {value!r}")
    return float(value)


def _pair(name: str, value: object, unit: str) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ConfigError(f"{name} must be two numbers, got {value!r}")
    return _number(name, value[0], unit), _number(name, value[1], unit)
