"""The caption of a picture of a run: robot, time, soles, controller, loads, pushes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot.run import Run
from sole.pictures import display_unit, millimetres

PUSH = "#7a3fb0"  # colour of a push in every picture


def caption(run: Run, row: int, remark: str = "") -> str:
    """Return the caption of a recorded row; `remark` stands beside the loads of the feet."""
    lines = [f"{run.header['robot']}    t = {run.time[row]:.2f} s"]
    scenario = run.header.get("scenario") or {}
    if scenario:
        lines.append(f"{say_soles(scenario)}; {say_controller(run)}")
    loads = zip(run.feet, run["wrench_world"][row, :, 2], strict=True)
    told = "   ".join(f"{name} {force:.0f} N" for name, force in loads)
    lines.append(f"{told}   ({remark})" if told and remark else told)
    lines.append(f"waist tilt {np.degrees(run['waist_tilt'][row]):.1f} deg")
    for push in pushes_of(run):
        size = float(np.linalg.norm(push["force"]))
        lines.append(f"push of {size * push['duration']:.3g} N s at {push['start']:g} s")
    return "\n".join(line for line in lines if line)


def say_soles(scenario: Mapping[str, Any]) -> str:
    """Return a description of a scenario's soles: "soles of 3 MPa, 20 mm"."""
    sole = scenario["sole"]
    if other := say_no_pads(scenario):
        return other
    factor, unit = display_unit(sole["young"], "Pa")
    return f"soles of {factor * sole['young']:g} {unit}, {millimetres(sole['thickness'])}"


def say_no_pads(scenario: Mapping[str, Any]) -> str:
    """Return a description of feet without pads of one material; "" if a scenario has such pads."""
    sole, contact = scenario["sole"], scenario["contact"]["kind"]
    if contact == "penalty":
        return "rigid feet, penalty contact"
    if sole["rigid"] or contact == "rigid":
        return "rigid feet"
    return "" if sole["file"] is None else f"soles of {Path(sole['file']).name}"


def say_controller(run: Run) -> str:
    """Return a description of a run's controller and, if noisy, of its sensors."""
    scenario = run.header["scenario"]
    kind = str(run.header.get("own_controller") or scenario["control"]["kind"])
    seen = ", noisy sensors" if scenario["sensing"]["kind"] == "noisy" else ""
    return {"pd": "plain PD"}.get(kind, kind) + seen


def pushes_of(run: Run) -> list[Mapping[str, Any]]:
    """Return the pushes of a run's scenario."""
    return list((run.header.get("scenario") or {}).get("push", ()))
