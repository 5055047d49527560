"""Metrics of walks at dt = 1, 0.5 and 0.25 ms: a table of docs/results/convergence.md.

    python benchmarks/page_tables/halved_steps.py [run]

Three minutes. A star marks what has not converged.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.measures import Convergence
from robot.walk import RecordingOptions, Scenario, SoleChoice, refine
from sole.base.numba_settings import set_up_numba

RUN = {"3 MPa": {"young": 3e6}, "1 MPa": {"young": 1e6}, "rigid": {"rigid": True}}
METRICS: dict[str, tuple[str, float, str]] = {  # row, factor, format
    "foot acceleration": ("foot acceleration, raw [m/s^2]", 1, ".2f"),
    "foot acceleration 100 Hz": ("... 100 Hz", 1, ".2f"),
    "landing acceleration": ("landing acceleration, raw", 1, ".2f"),
    "landing acceleration 100 Hz": ("... 100 Hz", 1, ".2f"),
    "waist acceleration": ("waist acceleration, raw", 1, ".2f"),
    "waist acceleration 100 Hz": ("... 100 Hz", 1, ".2f"),
    "impact force": ("impact force [N]", 1, ".0f"),
    "impact impulse": ("impact impulse [N s]", 1, ".3f"),
    "impact loss": ("impact loss [mJ]", 1e3, ".0f"),
    "waist tilt": ("waist tilt [mrad]", 1e3, ".2f"),
    "CoP to edge": ("CoP to edge [mm]", 1e3, ".0f"),
    "wrench margin": ("wrench margin", 1, ".2f"),
    "slip": ("slip [mm]", 1e3, ".3f"),
}


def judged(scenario: Scenario) -> Mapping[str, Convergence]:
    """Return the metrics of the three runs."""
    done = refine(scenario, None, RecordingOptions(nodes=0))
    if done.finest.error is not None:
        raise done.finest.error
    return done.found


def cell(c: Convergence, factor: float, form: str) -> str:
    """Return the three values, with a star if they have not converged."""
    told = ", ".join("" if v is None else f"{round(factor * v, 6) + 0.0:{form}}" for v in c.values)
    return told + ("" if c.converged else " *")


def run() -> list[list[str]]:
    """Six steps of `hrp2-like` with the stabiliser on three soles."""
    found = [judged(Scenario(sole=SoleChoice(**sole))) for sole in RUN.values()]
    return [
        [title, *(cell(f[name], factor, form) for f in found)]
        for name, (title, factor, form) in METRICS.items()
    ]


TABLES = {"run": ("metric | " + " | ".join(RUN), run)}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
