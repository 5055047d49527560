"""Plain PD with other gains: a table of docs/figure5.md. Two minutes.

python benchmarks/page_tables/servo_gains.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from walks import SCENARIOS, Walked, walked

from page_tables.printing import print_table
from robot.walk import load_scenario, replace_values

GAINS, KD = (5000.0, 10_000.0, 30_000.0), 200.0  # N m/rad, N m s/rad
MODULI = (10, 30, 100)  # MPa


def told(done: Walked) -> str:
    """Return the landing acceleration and the tilt, or when the robot fell."""
    _, landing, _, tilt, *_ = done.cells()
    return f"falls at {done.measured['fell at']:.1f} s" if done.fell else f"{landing}, {tilt}"


def main() -> Iterator[list[str]]:
    """Six steps on flat ground, element `ccr`, short steps for landings."""
    base = load_scenario(SCENARIOS / "plain_pd.toml")
    for kp in GAINS:
        cells = []
        for E in MODULI:
            pads = {"young": 1e6 * E, "element": "ccr"}
            control = {"kp": kp, "kd": KD}
            walk = replace_values(base, control=control, sole=pads, landing_dt=1.25e-4)
            cells.append(told(walked(walk)))
        yield [f"{kp:g}", *cells]


if __name__ == "__main__":
    moduli = " | ".join(f"{E} MPa" for E in MODULI)
    print_table(f"kp [N m/rad] | {moduli}", main())
