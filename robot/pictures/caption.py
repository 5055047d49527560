"""What is written on a picture of a run: robot, time, soles, controller, loads, pushes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot.run import Run
from sole.pictures.drawing import display_unit, millimetres

PUSH = "#7a3fb0"  # colour of a push in every picture


def caption(run: Run, row: int, remark: str = "") -> str:
    """Return lines on a recorded row; `remark` is said beside the loads of the feet."""
    lines = [f"{run.header['robot']}    t = {run.time[row]:.2f} s"]
    scenario = run.header.get("scenario") or {}
    if scenario:
        lines.append(f"{soles_of(scenario)}; {controller_of(scenario)}")
    loads = zip(run.feet, run["wrench_world"][row, :, 2], strict=True)
    told = "   ".join(f"{name} {force:.0f} N" for name, force in loads)
    lines.append(f"{told}   ({remark})" if told and remark else told)
    lines.append(f"waist tilt {np.degrees(run['waist_tilt'][row]):.1f} deg")
    for push in pushes_of(run):
        size = float(np.linalg.norm(push["force"]))
        lines.append(f"push of {size * push['duration']:.3g} N s at {push['start']:g} s")
    return "\n".join(line for line in lines if line)


def soles_of(scenario: Mapping[str, Any]) -> str:
    """Return the soles of a scenario in words: "soles of 3 MPa, 20 mm"."""
    sole = scenario["sole"]
    if other := no_pads_of(scenario):
        return other
    factor, unit = display_unit(sole["young"], "Pa")
    return f"soles of {factor * sole['young']:g} {unit}, {millimetres(sole['thickness'])}"


def no_pads_of(scenario: Mapping[str, Any]) -> str:
    """Return in words what a scenario has instead of pads of one material, "" if it has these."""
    sole, contact = scenario["sole"], scenario["contact"]["kind"]
    if contact == "penalty":
        return "rigid feet, penalty contact"
    if sole["rigid"] or contact == "rigid":
        return "rigid feet"
    return "" if sole["file"] is None else f"soles of {Path(sole['file']).name}"


def controller_of(scenario: Mapping[str, Any]) -> str:
    """Return the controller of a scenario in words, and what it sees unless that is the truth."""
    kind = str(scenario["control"]["kind"])
    seen = ", noisy sensors" if scenario["sensing"]["kind"] == "noisy" else ""
    return {"pd": "plain PD"}.get(kind, kind) + seen


def pushes_of(run: Run) -> list[Mapping[str, Any]]:
    """Return the pushes of a run's scenario."""
    return list((run.header.get("scenario") or {}).get("push", ()))
