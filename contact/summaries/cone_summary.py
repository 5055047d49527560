"""The report of `sole contact cone`: margin, active facet, ZMP, yaw torque and all slacks."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from contact.frames import wrenches_of
from contact.wrench_cone import LEAST_LOAD, CircularCone, WrenchCone, YawTorque
from sole.base.arrays import FloatArray
from sole.base.errors import SchemaError, SoleError
from sole.base.files import LARGEST_TEXT, existing_file
from sole.base.report import Quantity, Report

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
INLINE = re.compile(rf"\s*{NUMBER}\s*,\s*{NUMBER}(?:[\s;]+{NUMBER}\s*,\s*{NUMBER})*\s*")

LONGEST = 2.0  # m: a longer foot was meant in millimetres
FAR = 5.0  # foot lengths beyond which a ZMP is doubtful
SHOWN = 24  # slacks of a table: those with the least share of the load


def read_polygon(given: str) -> FloatArray:
    """Return vertices (n, 2) [m] from "x,y x,y ..." or from a text file with a vertex a line.

    In the file x and y are separated by blanks or a comma; what follows # is a comment.

    Raises
    ------
    SoleError
        There is no such file.
    SchemaError
        A line is not two numbers.
    """
    if INLINE.fullmatch(given):
        return np.array(re.findall(NUMBER, given), dtype=float).reshape(-1, 2)
    path = Path(given)
    try:
        existing_file(path, most=LARGEST_TEXT, padding=0)
        lines = path.read_text(encoding="utf-8").splitlines()
    except ValueError as error:
        raise SoleError(
            f"--polygon is neither 'x,y x,y x,y ...' nor a text file: {error}"
        ) from error
    rows = [line.partition("#")[0].replace(",", " ").split() for line in lines]
    try:
        pairs = [[float(x), float(y)] for x, y in filter(None, rows)]
    except ValueError as error:
        raise SchemaError(f"{path}: expected two numbers x y [m] a line: {error}") from error
    if len(pairs) < 3:
        raise SchemaError(f"{path}: a polygon needs at least 3 vertices, got {len(pairs)}")
    return np.array(pairs)


def check_loaded(wrench: object) -> FloatArray:
    """Return one wrench (6,) with fz > 0."""
    w = wrenches_of(wrench).reshape(6)  # type: ignore[arg-type]
    if not w[2] > LEAST_LOAD:
        raise SoleError(
            f"fz must be positive (the ground presses on the foot), got fz = {w[2]:g} N"
        )
    return w


def find_hints(vertices: FloatArray, w: FloatArray) -> tuple[str, ...]:
    """Return warnings of likely mistakes: millimetres, moments before forces."""
    size, found = float(np.ptp(vertices, axis=0).max()), []
    if size > LONGEST:
        found.append(f"the contact is {size:g} m long: lengths are in metres, not millimetres")
    zmp = np.array([-w[4], w[3]]) / w[2]
    away = float(np.abs(zmp - vertices.mean(axis=0)).max())
    if away > FAR * size:
        found.append(
            f"the zero-moment point lies {away:.3g} m from the contact, which is {size:g} m long: "
            "is the wrench fx fy fz tx ty tz, in N and N m?"
        )
    return tuple(found)


def describe_cone(
    cone: WrenchCone, wrench: FloatArray, shape: Quantity, friction: Quantity
) -> Report:
    """Return the table of one loaded wrench (6,) in a polyhedral cone."""
    margin, facet = cone.margin(wrench)
    finite = math.isfinite(margin)
    smooth = not finite and facet >= 0 and bool(cone.equations[facet])
    rows = {
        "contact": shape,
        "friction": friction,
        **_wrench_rows(wrench),
        "margin": Quantity(
            float(margin) if finite else None,
            "",
            "not without friction"
            if smooth
            else "share of fz that could go before it gives way"
            if finite
            else "too far outside for a number",
        ),
        "holds": Quantity(bool(margin >= 0)),
        "gives way by": Quantity(cone.word(int(facet)), "", "the active facet"),
        **_yaw_rows(cone, wrench),
    }
    slack, share = cone.slack(wrench), -cone.rows @ cone.axis * wrench[2]
    used = np.divide(slack, share, out=np.full(len(slack), np.inf), where=share > 0)
    shown = np.sort(np.argsort(used, kind="stable")[:SHOWN])
    for k in shown:
        name = _unused(f"slack {cone.words[k]}", rows)
        rows[name] = Quantity(float(slack[k]) + 0.0, cone.units[k])
    if len(shown) < len(slack):
        rows["other slacks"] = Quantity(len(slack) - len(shown), "", "with more share of the load")
    return Report("contact wrench cone", rows)


def describe_circular(
    cone: CircularCone, wrench: FloatArray, shape: Quantity, friction: Quantity
) -> Report:
    """Return the table of one loaded wrench (6,) under circular friction cones."""
    found = cone.margin(wrench)
    rows = {
        "contact": shape,
        "friction": friction,
        **_wrench_rows(wrench),
        "margin": Quantity(
            float(found.value), "", "share of fz that could go; proved by these vertex forces"
        ),
        "bound": Quantity(float(found.bound), "", "upper bound, proved by the motion"),
        "holds": Quantity(bool(found.value >= 0)),
        "gives way by": Quantity(cone.word(found.motion), "", "the separating motion"),
        "motion": Quantity(found.motion, "", "v [m/s] and omega [rad/s] for a lift of 1 m/s"),
    }
    for i, (vertex, force) in enumerate(zip(cone.vertices, found.forces, strict=True)):
        rows[f"force {i + 1}"] = Quantity(force, "N", f"at ({vertex[0]:g}, {vertex[1]:g}) m")
    return Report("contact wrench cone", rows)


def _wrench_rows(w: FloatArray) -> dict[str, Quantity]:
    zmp = np.array([-w[4], w[3]]) / w[2] + 0.0
    return {
        "force": Quantity(w[:3] + 0.0, "N", "fx fy fz, ground on foot"),
        "moment": Quantity(w[3:] + 0.0, "N m", "tx ty tz, about the origin"),
        "zmp": Quantity(zmp, "m", "x y: -ty/fz, tx/fz"),
    }


def _yaw_rows(cone: WrenchCone, w: FloatArray) -> dict[str, Quantity]:
    yaw: YawTorque = cone.yaw_torque(w)
    turned = w.copy()
    turned[5] = yaw.safe
    held = bool(cone.margin(turned).value >= 0)
    return {
        "safe yaw torque": Quantity(
            float(yaw.safe) + 0.0, "N m", "farthest from both limits" if held else "none holds"
        ),
        "lowest yaw torque": Quantity(float(yaw.lowest) + 0.0, "N m"),
        "highest yaw torque": Quantity(float(yaw.highest) + 0.0, "N m"),
        "yaw half width": Quantity(
            float(yaw.half_width), "N m", "" if held else "the foot slides, tilts or turns anyway"
        ),
    }


def _unused(name: str, names: dict[str, Quantity]) -> str:
    """Return `name`, numbered if it is taken: polygons turn about a point in several ways."""
    number, free = 1, name
    while free in names:
        number += 1
        free = f"{name} ({number})"
    return free
