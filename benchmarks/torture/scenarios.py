"""Random robot scenarios, run for a moment, written, and read like a stranger reads them.

    python benchmarks/torture/scenarios.py [NUMBER] [SEED]

Robot, soles, ground, gait, controller, sensors, pushes and time step are random. A scenario may be
refused (out of reach, no stand); what runs must be finite, keep its energies within the stated
bounds, and write a file in which forces, poses, wrenches and CoP belong together.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from contact.frames import rotation_of_quaternion
from contact.ground import Ground, parse_ground
from robot.gait import AnyGait, Walking, change_gait
from robot.measures import metrics, verdict
from robot.recorder import Recorder
from robot.run import save_run
from robot.walk import (
    ControlChoice,
    PushPlan,
    Scenario,
    SoleChoice,
    Walk,
    assemble_walk,
    replace_values,
)
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba
from torture.laws import bounds_of, cone_excess
from torture.tally import Tally, numbers_of, print_table

NUMBER, SEED = 100, 1
ROBOTS = ("hrp2-like", "hrp4-like", "lola-like", "rengifo14")
GROUNDS = ("plane", "plane", "slope:angle_deg=4", "step:0.005", "bump:0.005,0.1,0.05,0.08",
           "bar:0.005,0.05,0.05", "box:0.05,0.4,0.01,0.05")  # fmt: skip
SNAPSHOTS = 5  # steps between two snapshots of the nodes
ROUND_OFF = 1e-9  # relative: sums of some hundred forces, quaternions


def scenario_of(case: int, seed: int) -> Scenario:
    """Return scenario number `case`; the same numbers give the same scenario."""
    rng = np.random.default_rng([seed, case])

    def one(*values: Any) -> Any:
        return values[int(rng.integers(len(values)))]

    dt = one(5e-4, 1e-3, 1e-3, 2e-3, 4e-3)
    duration = float(rng.uniform(0.1, 0.5))
    pushes = [
        PushPlan(
            force=tuple((rng.uniform(0, 300) * rng.standard_normal(3)).tolist()),
            start=float(rng.uniform(0, 0.09)),
            duration=float(rng.uniform(0.005, 0.2)),
        )
        for _ in range(int(rng.integers(3)))
    ]
    s = Scenario(
        robot=one(*ROBOTS),
        ground=one(*GROUNDS),
        sole=SoleChoice(
            young=float(10 ** rng.uniform(4.5, 8)),
            poisson=one(0.0, 0.3, 0.45),
            thickness=one(0.01, 0.02, 0.03),
            size=0.07,
            element="p1",
            eta=one(0.0, 0.0, 2e-3),
            friction=one(0.05, 0.4, 0.8),
        ),
        gait=gait_by(one),
        control=ControlChoice(
            kind=one("stabiliser", "pd"),
            period=dt * one(1, 1, 4),
            kp=float(10 ** rng.uniform(2, 4)),
        ),
        push=tuple(pushes),
        dt=dt,
        duration=duration,
        settle=one(0.0, 0.02, 0.1),
        theta=one(1.0, 1.0, 0.6),
        seed=case,
    )
    contact, sensing = one("compliant", "compliant", "rigid"), one("true", "true", "noisy")
    lift = {"plane": one(0.0, 0.005), "slope": 0.03}.get(s.ground.partition(":")[0], 0.012)
    return replace_values(
        s, contact={"kind": contact}, sensing={"kind": sensing}, start={"z": lift}
    )


def gait_by(one: Callable[..., Any]) -> AnyGait:
    """Return a gait of any kind but postures."""
    kind = one("stand", "walk", "walk", "squat", "balance")
    walk = Walking(steps=2, initial=one(0.3, 0.6), forward=one(-0.05, 0.1, 0.2))
    return change_gait(walk, {"kind": kind})


def judge(walk: Walk, tally: Tally, where: str) -> None:
    """Run a walk, check every step, and then its file."""
    s = walk.scenario
    recorder = Recorder(walk.simulator, walk.start, s.dt, feet=walk.feet, nodes=SNAPSHOTS)
    half, forces = s.theta - 0.5, 0.0
    for step, command in walk.steps():
        recorder.record(step, command)
        done = step.contact
        assert done.certified
        bound, e = bounds_of(done, s.dt), done.energy
        dv = s.dt * step.acceleration
        lost = e.viscous + e.numerical + half * float(dv @ step.start.M @ dv)
        scale = 1e-12 * (abs(e.wrench) + lost + 1.0)
        tally.check("energy of contact", e.push + e.friction - lost, bound.energy + scale, where)
        tally.check("friction work", e.friction, bound.friction + scale, where)
        forces = max(forces, bound.force)
        if not np.isfinite(step.state.q).all() or walk.fallen(step):
            break
    run = recorder.run()
    told = verdict(run)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.nc"
        save_run(path, run)
        read_file(path, parse_ground(s.ground), forces, tally, where, told)
    values = metrics(run)
    finite = all(np.isfinite(q.value) for q in values.values() if isinstance(q.value, float))
    tally.holds("finite metrics", finite, where)


def read_file(
    path: Path, ground: Ground, slack: float, tally: Tally, where: str, told: str
) -> None:
    """Check a run's file with h5py and numpy alone; `slack` [N] is what the solver may leave."""
    import h5py

    with h5py.File(path) as file:
        found = {name: data[()] for name, data in file.items() if data.dtype.kind in "fi"}
        header, treads = (json.loads(file[name].asstr()[()]) for name in ("header", "treads"))
    reals = {name: a for name, a in found.items() if a.dtype.kind == "f" and name != "ground"}
    holes = [n for n, a in reals.items() if n not in ("cop", "zmp") and not np.isfinite(a).all()]
    tally.holds("finite series", not holes, f"{where} {holes}")
    rows = np.searchsorted(found["time"], found["frame_time"] - 1e-9)
    ends = np.cumsum([0, *(len(t["points"]) for t in treads)])
    R, p = rotation_of_quaternion(found["frame_rotation"]), found["frame_position"]
    for b, tread in enumerate(treads):
        nodes = slice(ends[b], ends[b + 1])
        f, y = found["node_force"][:, nodes], found["node_position"][:, nodes]
        for k, row in enumerate(rows):
            world = f[k] @ R[k, b].T, y[k] @ R[k, b].T + p[k, b]
            touch = ground.query(world[1])
            single = np.isinf(touch.gap[:, 1])  # at an edge the force has two parts
            size = float(np.abs(f[k]).max(initial=0.0))
            limit = slack + ROUND_OFF * size
            normals = touch.normal[single, 0]
            excess = cone_excess(world[0][single], normals, tread["friction"])
            tally.check("cone in the file", excess, limit, where)
            wrench = found["body_wrench"][row, b]
            sums = np.concatenate([f[k].sum(axis=0), np.cross(y[k], f[k]).sum(axis=0)])
            limit = ROUND_OFF * float(np.abs(f[k]).sum() + 1e-3)
            tally.check("wrench in the file", float(np.abs(sums - wrench).max()), limit, where)
            whole = [t["foot"] for t in treads].count(tread["foot"]) == 1  # no toe joint
            if tread["foot"] >= 0 and whole and wrench[2] > 1.0:
                _check_cop(found["cop"][row, tread["foot"]], y[k], f[k], tread, tally, where)
            depth = max(0.0, -float(touch.gap[:, 0].min()))
            off = abs(depth - float(found["penetration"][row, b]))
            tally.check("depth in the file", off, 1e-9, where)
    _check_flag(found["sole_displacement"], treads, header, told, tally, where)


def _check_cop(
    cop: FloatArray, y: FloatArray, f: FloatArray, tread: dict[str, Any], tally: Tally, where: str
) -> None:
    """Recompute the point of the undeformed tread plane about which fx and fy have no moment."""
    plane = min(point[2] for point in tread["points"])
    arm = y - np.array([0.0, 0.0, plane])
    moment = np.cross(arm, f).sum(axis=0)
    own = np.array([-moment[1], moment[0]]) / f[:, 2].sum()
    limit = ROUND_OFF * (1.0 + float(np.abs(own).max()))
    tally.check("CoP in the file", float(np.abs(own - cop).max()), limit, where)


def _check_flag(
    moved: FloatArray, treads: list[dict[str, Any]], header: dict[str, Any], told: str,
    tally: Tally, where: str,
) -> None:  # fmt: skip
    """Recompute deformation over thickness, and look for its flag in header and verdict."""
    share = max(
        (
            float(moved[:, b].max()) / -min(point[2] for point in t["points"])
            for b, t in enumerate(treads)
            if t["foot"] >= 0 and not t["rigid"]
        ),
        default=0.0,
    )
    off = abs(share - header["deformation"])
    tally.check("deformation in the header", off, 1e-12 * (1 + share), where)
    said = "beyond linear elasticity" in told
    tally.holds("flag of large deformations", said == (share > header["deformation_limit"]), where)


def main(number: int = NUMBER, seed: int = SEED) -> list[dict[str, Any]]:
    """Judge `number` scenarios; return a row per law: part, kind, tried, failed, worst."""
    return run(number, seed).rows


def run(number: int, seed: int) -> Tally:
    """Return the whole tally of `number` scenarios."""
    tally = Tally("scenarios")
    for case in range(number):
        s = scenario_of(case, seed)
        where = f"scenario {case}: {s.robot}, {s.gait.kind}, {s.ground}, E {s.sole.young:.3g} Pa"
        try:
            walk = assemble_walk(s)
        except SoleError:
            tally.check("refused (no failure)", 1.0, 1.0, where)
            continue
        try:
            judge(walk, tally, where)
            fine = True
        except SoleError as error:
            tally.failures.append(f"{where}: {type(error).__name__}: {error}")
            fine = False
        tally.holds("no exception", fine, where)
    return tally


if __name__ == "__main__":
    set_up_numba()
    tally = run(*numbers_of(sys.argv[1:], NUMBER, SEED))
    print_table(tally.rows, tally.failures)
    sys.exit(1 if tally.failures else 0)
