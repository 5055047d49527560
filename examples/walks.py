"""Walks of `examples/scenarios`; then `sole view NAME.nc --film NAME.gif` shows one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from robot.assembly import assemble
from robot.metrics import metrics
from robot.recording import Recorder
from robot.run import FINISHED, Run
from robot.run_file import save_run
from robot.scenario import Scenario, load_scenario
from robot.verdict import verdict

SCENARIOS = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class Walked:
    """Accelerations [m/s^2, below 100 Hz], tilt of the waist [deg], worst contact residual."""

    run: Run
    fell: bool
    foot: float
    waist: float
    tilt: float
    residual: float


def walked(scenario: Scenario) -> Walked:
    """Run a scenario."""
    made, ended = assemble(scenario, SCENARIOS), FINISHED
    recorder = Recorder(made.simulator, made.start, scenario.dt, feet=made.feet, nodes=10)
    for step, command in made.steps():
        recorder.record(step, command)
        if made.fallen(step):
            ended = "the robot fell"
            break
    run = recorder.run(ended)
    m = {name: q.value for name, q in metrics(run).items()}
    foot, waist = m["foot acceleration 100 Hz"], m["waist acceleration 100 Hz"]
    tilt = float(np.rad2deg(m["waist tilt"]))
    return Walked(run, m["fell"], foot, waist, tilt, m["contact residual"])


def main(names: Sequence[str] = (), **changes: object) -> dict[str, Walked]:
    """Run scenarios by name, by default all; `changes` replace their values."""
    names = names or sorted(p.stem for p in SCENARIOS.glob("*.toml"))
    scenarios = [load_scenario(SCENARIOS / f"{name}.toml") for name in names]
    return {n: walked(replace(s, **changes)) for n, s in zip(names, scenarios, strict=True)}


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(p.stem for p in SCENARIOS.glob("*.toml")):
        w = main([name])[name]
        save_run(Path(f"{name}.nc"), w.run)
        print(f"{name}: {verdict(w.run)}; foot {w.foot:.1f}, waist {w.waist:.1f} m/s^2, "
              f"tilt {w.tilt:.2f} deg, contact residual {w.residual:.0e}", flush=True)  # fmt: skip
