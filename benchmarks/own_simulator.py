"""Condensed soles inside MuJoCo, beside our own simulator, unreduced finite elements and a flex.

block: a 58 kg block dropped by 5 mm on one pad of 0.23 x 0.13 x 0.02 m, E = 1 MPa, nu = 0.4: final
deflection and impulse of the landing against our simulator and the unreduced pad; CPU time of a
step beside MuJoCo's flex with the same nodes. walk: hrp2-like (or --robot) walks on pads of 3 MPa,
its bodies stepped by us and by MuJoCo under the same controller, dt = 1 ms; drake: by Drake.

python benchmarks/own_simulator.py [block] [walk] [drake] [--nodes 50 104] [--robot NAME]
    [--run RUN.nc] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from block_on_pad import CELLS, DROP, DT, INERTIA, MASS, SIZE, block, flex_fall, mesh_of
from peers.drake_robot import in_drake
from peers.mujoco_robot import in_mujoco
from unreduced_pad import UnreducedPad

from contact.step import StepOptions
from robot.bridge.mujoco import MujocoSoles, attach
from robot.gait import Walking
from robot.measures import fall_in
from robot.run import save_run
from robot.simulator import Command
from robot.walk import RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import SoleMesh

YOUNG, POISSON = 1e6, 0.4
LANDING = 0.015  # s from the first force on: the first half swing of the block
LOADED = 0.05  # of the weight: a foot with less has no centre of pressure that counts


def scene(dt: float = DT) -> str:
    """Return MJCF of the block alone."""
    x, y, _ = SIZE
    inertia = " ".join(map(str, INERTIA))
    return f"""<mujoco><option timestep="{dt}" gravity="0 0 -9.81"/>
<worldbody><geom type="plane" size="2 2 .1"/>
<body name="block" pos="0 0 {SIZE[2] + DROP}"><freejoint/>
<inertial pos="0 0 0" mass="{MASS}" diaginertia="{inertia}"/>
<geom type="box" size="{x / 2} {y / 2} .05" pos="0 0 .05"/></body></worldbody></mujoco>"""


def bridged(mesh: SoleMesh, tolerance: float) -> MujocoSoles:
    """Return the block in MuJoCo on its condensed pad."""
    import mujoco

    sole = condense(mesh, [Material(young_modulus=YOUNG, poisson_ratio=POISSON)], "p2")
    model = mujoco.MjModel.from_xml_string(scene())
    data = mujoco.MjData(model)
    return attach(model, data, "block", sole, options=StepOptions(tolerance=tolerance))


Fall = tuple[np.ndarray, np.ndarray, float]  # heights (N,), forces (N,), CPU seconds a step


def fall_bridged(mesh: SoleMesh, steps: int, tolerance: float = 1e-6) -> Fall:
    """Drop the block in MuJoCo on its condensed pad."""
    soles = bridged(mesh, tolerance)
    z, force = np.empty((2, steps))
    start = time.process_time()
    for k in range(steps):
        soles.step()
        z[k], force[k] = soles.data.qpos[2], soles.forces[0]
    return z, force, (time.process_time() - start) / steps


def fall_ours(mesh: SoleMesh, steps: int, tolerance: float = 1e-6) -> Fall:
    """Drop it in our simulator."""
    simulator = block(mesh, YOUNG, tolerance)
    command = Command(positions=np.zeros(0), velocities=np.zeros(0))
    state = simulator.at(np.array([0.0, 0.0, SIZE[2] + DROP, 0.0, 0.0, 0.0, 1.0]))
    z, force = np.empty((2, steps))
    start = time.process_time()
    for k in range(steps):
        step = simulator.step(state, command, DT)
        state = step.state
        z[k], force[k] = state.q[2], step.wrenches[0, 2]
    return z, force, (time.process_time() - start) / steps


def fall_unreduced(mesh: SoleMesh, steps: int) -> Fall:
    """Drop it on the pad with all its nodes."""
    material = Material(young_modulus=YOUNG, poisson_ratio=POISSON)
    pad = UnreducedPad(mesh, material, "p2", MASS, 0.8, np.zeros(3))
    pad.centre = np.array([0.0, 0.0, SIZE[2] + DROP])
    z, force = np.empty((2, steps))
    start = time.process_time()
    for k in range(steps):
        pad.step(DT, tolerance=1e-8)
        z[k], force[k] = pad.centre[2], pad.f[:, 2].sum()
    return z, force, (time.process_time() - start) / steps


def impulse(force: np.ndarray) -> float:
    """Return the impulse of the landing [N s]."""
    first = int(np.argmax(force > 0))
    return float(DT * force[first : first + round(LANDING / DT)].sum())


def compare_blocks(nodes: int, steps: int, timed: int) -> None:
    """Print accuracy and cost for one pad."""
    mesh = mesh_of(nodes)
    fall_bridged(mesh, 30)  # compiled
    z, force, _ = fall_bridged(mesh, steps, 1e-9)
    print(f"{nodes} nodes, {steps * DT:g} s; relative to the bridge:")
    print("| reference | deflection | landing impulse | largest difference of heights [m] |")
    print("|---|---|---|---|")
    falls = {"ours": fall_ours(mesh, steps, 1e-9), "unreduced": fall_unreduced(mesh, steps)}
    for name, (other, theirs, _) in falls.items():
        deflection = (SIZE[2] - z[-1]) / (SIZE[2] - other[-1]) - 1
        landing = impulse(force) / impulse(theirs) - 1
        worst = np.abs(z - other).max()
        print(f"| {name} | {deflection:.1e} | {landing:.1e} | {worst:.1e} |", flush=True)
    flex = flex_fall(mesh, YOUNG, timed * DT).cpu * DT
    own = fall_bridged(mesh, timed)[2]
    print("\n| a step of 1 ms | CPU [us] | over the bridge |")
    print("|---|---|---|")
    print(f"| bridge | {1e6 * own:.0f} | 1 |")
    print(f"| our simulator | {1e6 * (us := fall_ours(mesh, timed)[2]):.0f} | {us / own:.2f} |")
    print(f"| MuJoCo flex | {1e6 * flex:.0f} | {flex / own:.1f} |\n", flush=True)


def walk_of(robot: str, quick: bool) -> Scenario:
    """Return six steps of a robot; 50 ms of two if `quick`."""
    gait = replace(Walking(), steps=2 if quick else 6)
    pad = SoleChoice(young=3e6)
    return Scenario(robot=robot, sole=pad, gait=gait, duration=0.05 if quick else None)


def compare_walks(scenario: Scenario, engine: str, keep: Path | None = None) -> None:
    """Print verdict and centres of pressure of both walks; `keep` the other run as a file."""
    ours = assemble_walk(scenario)
    runs, cpu = [], []
    other = in_mujoco(ours) if engine == "MuJoCo" else in_drake(ours)
    for walk in (ours, other):
        start = time.process_time()
        runs.append(execute(walk, RecordingOptions(nodes=50 if keep else 0)).run)
        cpu.append((time.process_time() - start) / len(runs[-1].time))
    if keep is not None:
        save_run(keep, runs[1])
    rows = min(len(run.time) for run in runs)
    apart = []
    for f in range(2):
        loaded = np.logical_and.reduce(
            [run["wrench_world"][:rows, f, 2] > LOADED * run.weight for run in runs]
        )
        apart.append((runs[0]["cop"][:rows, f] - runs[1]["cop"][:rows, f])[loaded])
    away = np.linalg.norm(np.concatenate(apart), axis=1)
    print(f"| walk of {scenario.robot} | ours | in {engine} |")
    print("|---|---|---|")
    falls = [fall_in(run) for run in runs]
    print("| verdict | " + " | ".join("fell" if f.fell else "walked" for f in falls) + " |")
    print("| time [s] | " + " | ".join(f"{run.time[-1]:.3f}" for run in runs) + " |")
    print("| CPU of a step, controller and recorder included [us] | ", end="")
    print(" | ".join(f"{1e6 * c:.0f}" for c in cpu) + " |")
    places = [run["waist_position"][rows - 1] for run in runs]
    print(f"| difference of the waists at the end [mm] | | {1e3 * _norm(*places):.3f} |")
    rms, worst = 1e3 * np.sqrt((away**2).mean()), 1e3 * away.max()
    print(f"| difference of CoP, RMS (largest) [mm] | | {rms:.3f} ({worst:.2f}) |")
    simulator = other.simulator
    print(f"| largest torque over its limit | | {simulator.beyond:.2f} |")
    if engine == "MuJoCo":
        print(f"| abs(J v+ - foreseen) [m/s] | | {simulator.mismatch:.1e} |", flush=True)


def _norm(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


def main(words: Sequence[str] | None = None) -> None:
    """Print the chosen tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="of block, walk, drake")
    parser.add_argument("--nodes", nargs="+", type=int, default=[50, 104], choices=CELLS)
    parser.add_argument("--robot", default="hrp2-like", help="that walks")
    parser.add_argument("--run", type=Path, help="keep the walk in MuJoCo as this .nc")
    parser.add_argument("--quick", action="store_true", help="50 nodes, short falls, one second")
    chosen = parser.parse_args(words)
    print(f"load {os.getloadavg()[0]:.1f}")
    tables = chosen.tables or ["block", "walk"]
    if chosen.quick and not chosen.tables and find_spec("pydrake") is not None:
        tables = [*tables, "drake"]
    if "block" in tables:
        for nodes in [50] if chosen.quick else chosen.nodes:
            compare_blocks(nodes, *((40, 20) if chosen.quick else (300, 1000)))
    walk = walk_of(chosen.robot, chosen.quick)
    if "walk" in tables:
        compare_walks(walk, "MuJoCo", chosen.run)
    if "drake" in tables:
        compare_walks(walk, "Drake")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
