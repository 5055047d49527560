"""Reports of a press: for `sole press` and, from its file, for `sole info`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from contact.ground import Slope
from contact.margins import press_margin
from contact.press import (
    SLACK,
    PressCertificate,
    PressedRecord,
    PressedSole,
    PressLoad,
    PressRecord,
    PressResult,
    RigidMotion,
    Wrench,
    load_path,
    load_press,
)
from contact.problem import ContactStatus
from contact.summaries.press_peaks import describe_peaks, warn_of_coarse_mesh
from sole.base.arrays import FloatArray
from sole.base.config import written
from sole.base.errors import SoleError
from sole.base.mesh_dependence import ACCURACY, dependence_words
from sole.base.report import Quantity, Report
from sole.condense import (
    STRAIN_LIMIT,
    CondensedSole,
    Deformation,
    describe_error,
    describe_excess,
    describe_strain,
)


def press(path: Path) -> Report:
    """Describe a press file."""
    return describe_press(load_press(path))


def path(path: Path) -> Report:
    """Describe a load path: the load at the end of every increment."""
    loads = load_path(path)
    rows = {f"increment {i + 1}": Quantity(_describe(load)) for i, load in enumerate(loads)}
    return Report("path of loading", {"increments": Quantity(len(loads)), **rows})


def ground(path: Path) -> Report:
    """Describe a ground file: its solids and how far they extend."""
    from contact.ground import CompositeGround, load_ground

    found = load_ground(path)
    parts = found.parts if isinstance(found, CompositeGround) else (found,)
    rows = {f"solid {i}": Quantity(str(part)) for i, part in enumerate(parts)}
    bound = found.compiled.bound
    bounded = bound[np.isfinite(bound[:, [0, 1, 3, 4, 5]]).all(axis=1)]
    if len(bounded):
        rows["from"] = Quantity(bounded[:, :2].min(axis=0), "m", "x y of bounded solids")
        rows["to"] = Quantity(bounded[:, 3:5].max(axis=0), "m", "x y")
    tops = bound[:, 5][np.isfinite(bound[:, 5])]
    if len(tops):
        rows["highest"] = Quantity(float(tops.max()), "m")
    return Report("ground", {"solids": Quantity(len(parts)), **rows})


def describe_press(result: PressResult | PressRecord, inside: Deformation | None = None) -> Report:
    """Return the table of a press: load, contact, motion, energy, certificate.

    inside : `sole.condense.recover` of its forces, for the strain; a file keeps that.
    """
    if isinstance(result, PressRecord):
        loads, summary = result.loads, dict(result.summary)
    else:
        loads = result.path
        summary = {
            name: getattr(result, name)
            for name in ("contact_area", "energy", "penetration", "sweeps", "outer", "newton")
        }
        summary["max_pressure"] = float(result.pressure.max())
        summary |= {"seed": result.seed, "tolerance": result.tolerance}
    strain = summary.get("strain") if inside is None else inside.compression
    strained, excess = _strained(result, strain)
    rows = {
        **rows_of_load(result, loads),
        **rows_of_contact(result, summary),
        **strained,
        "deformation": Quantity(
            result.deformation, "", f"of the thickness; limit {STRAIN_LIMIT:g}"
        ),
        **rows_of_nodes(result),
        "energy": Quantity(float(summary["energy"]), "J", "elastic"),
        **rows_of_certificate(result.certificate),
        "sweeps": Quantity(
            int(summary["sweeps"]),
            "",
            f"in {summary['outer']} outer iterations, {summary['newton']} Newton steps, "
            f"seed {summary['seed']}",
        ),
    }
    notes = [
        *_missed(result.certificate, float(summary["tolerance"])),
        *notes_of_load(result, loads[-1]),
    ]
    if excess:
        notes.append(f"{excess}; --check-linear computes it")
    return Report("press", rows, (*notes, *notes_of_mesh(result, rows)))


def _strained(
    result: PressResult | PressRecord, strain: float | None
) -> tuple[dict[str, Quantity], str]:
    """Return the row of the strain, if it is known, and a remark where it is too large."""
    if strain is None:
        return {}, describe_excess(result.deformation)
    materials = result.materials if isinstance(result, PressRecord) else result.sole.materials
    ratios = [m.poisson_ratio for m in materials]
    told = max((describe_error(strain, nu) for nu in ratios), key=len)
    remark = f"99th percentile by volume; {told or 'the linear model errs by less than 5 %'}"
    row = {"strain": Quantity(float(strain), "", remark)}
    return row, describe_strain(strain, ratios, result.deformation)


def rows_of_load(
    result: PressedSole | PressedRecord, loads: Sequence[PressLoad]
) -> dict[str, Quantity]:
    """Return the rows of ground, friction, load and its wrench."""
    loaded = result.wrench[2] > 0
    return {
        "ground": Quantity(str(result.ground)),
        "friction": Quantity(float(result.friction)),
        "load": Quantity(_describe(loads[-1]), "", f"{len(loads)} increment(s)"),
        "force": Quantity(_rounded(result.wrench[:3], 8), "N", "fx fy fz, ground on sole"),
        "moment": Quantity(_rounded(result.wrench[3:], 10), "N m", "about the projected origin"),
        "cop": Quantity(
            _rounded(result.cop, 12) if loaded else None, "m", "" if loaded else "not loaded"
        ),
    }


def rows_of_contact(
    result: PressedSole | PressedRecord, summary: Mapping[str, Any]
) -> dict[str, Quantity]:
    """Return the rows of margins, area, pressure and motion."""
    motion = result.motion
    return {
        **_margins(result),
        "contact area": Quantity(float(summary["contact_area"]), "m^2"),
        **describe_peaks(result, float(summary["max_pressure"])),
        "sink": Quantity(-float(motion[2]), "m", "of the projected origin"),
        "shift": Quantity(motion[:2], "m", "x y"),
        "tilt": Quantity(motion[3:5], "rad", "roll pitch"),
        "turn": Quantity(float(motion[5]), "rad", "yaw"),
        "penetration": Quantity(float(summary["penetration"]), "m", "of the undeformed sole"),
    }


def rows_of_nodes(result: PressedSole | PressedRecord) -> dict[str, Quantity]:
    """Return how many nodes stick, slip and are open."""
    counts = np.bincount(result.status, minlength=3)
    return {
        "stick": Quantity(int(counts[ContactStatus.STICK]), "", "nodes"),
        "slip": Quantity(int(counts[ContactStatus.SLIP]), "", "nodes"),
        "open": Quantity(int(counts[ContactStatus.OPEN]), "", "nodes"),
    }


def rows_of_certificate(c: PressCertificate) -> dict[str, Quantity]:
    """Return the residuals of contact and equilibrium."""
    return {
        "residual": Quantity(c.natural_map, "", "natural map, recomputed"),
        "imbalance": Quantity(c.equilibrium, "", "relative"),
        "cone violation": Quantity(c.cone, "", "relative"),
    }


def notes_of_mesh(
    result: PressedSole | PressedRecord, rows: Mapping[str, Quantity]
) -> Iterator[str]:
    """Yield warnings of a mesh that is too coarse for this press."""
    yield from warn_of_coarse_mesh(result)
    unsettled = rows["peak error"].value if "peak error" in rows else None
    if words := dependence_words(unsettled or 0.0):
        yield (
            f"{ACCURACY}the peak pressure {words}; p95, contact area, sink and margins depend on "
            "it, too. Press a mesh of half the --size-tread and compare"
        )


def too_soft(sole: CondensedSole, loads: Sequence[PressLoad]) -> str:
    """Return a message if a load's normal force alone would press the sole flat, else ''.

    The sink is that of the whole tread on a plane, fz over the vertical stiffness: a lower bound.
    """
    force = max((load.fz for load in loads if isinstance(load, Wrench)), default=0.0)
    stiffness = float(sole.foot_stiffness[2, 2])
    if force <= stiffness * sole.thickness:
        return ""
    softest = min(m.young_modulus for m in sole.materials)
    return (
        f"{force:g} N sink this sole by {force / stiffness:.3g} m or more, its thickness is "
        f"{sole.thickness:g} m: it is far too soft, E = {softest:g} Pa; Young's modulus is in Pa, "
        "rubber has 1e6 to 1e7"
    )


def _margins(result: PressedSole | PressedRecord) -> dict[str, Quantity]:
    """Return the rows of the margins and of how the foot would give way."""
    try:
        m = press_margin(result)
    except SoleError as error:
        return {"margin": Quantity(None, "", f"undefined: {error}")}
    return {
        "margin": Quantity(_finite(m.value), "", f"{m.first} first" if m.value < 1 else m.first),
        "slip margin": Quantity(_finite(m.slip), "", m.slip_words),
        "tilt margin": Quantity(_finite(m.tilt), "", m.tilt_words),
    }


def _rounded(values: FloatArray, digits: int) -> FloatArray:
    """Return rounded values; what is 0 then has no sign."""
    return np.round(values, digits) + 0.0


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _missed(c: PressCertificate, tolerance: float) -> Iterator[str]:
    """Yield a warning if the result is less accurate than asked for."""
    reached = max(c.natural_map, c.equilibrium)
    if not reached <= tolerance:
        yield (
            f"the residual {reached:.2g} exceeds the tolerance {tolerance:.2g} asked for (up to "
            f"{SLACK:g} times that, or what round-off leaves, is accepted)"
        )


def notes_of_load(result: PressedSole | PressedRecord, load: PressLoad) -> Iterator[str]:
    """Yield notes on how to read the numbers."""
    if result.friction == 0 and isinstance(load, Wrench):
        yield (
            "without friction nothing stops the foot along the ground: x, y and yaw are held, "
            "and fx, fy, tz show what holds them"
        )
    if isinstance(result.ground, Slope) and isinstance(load, Wrench):
        yield (
            "the load is in the sole frame, which follows the slope: a weight Q on a slope that "
            "rises forward by a is --force Q*cos(a) --shear Q*sin(a) 0"
        )
    thickness = -float(result.points[:, 2].min())
    sink = -float(result.motion[2])
    if sink > thickness:
        yield (
            f"the foot sinks by {sink:.3g} m, more than the sole's thickness of {thickness:.3g} m: "
            "the sole is far too soft for this load; Young's modulus is in Pa, rubber has 1e6 to "
            "1e7"
        )


def _describe(load: PressLoad) -> str:
    if isinstance(load, Wrench):
        values = load.vector
        names = ("fx", "fy", "fz", "tx", "ty", "tz")
        return "  ".join(f"{n} {v:g}" for n, v in zip(names, values, strict=True) if v)
    assert isinstance(load, RigidMotion)
    return "pose " + " ".join(f"{key} {value:g}" for key, value in written(load).items() if value)
