"""What a contact costs: time of one call over the bodies n of a robot and its contacts m.

The paper on deformable soles says O(n m + m^2) [ChardonnetEtAl, section 2]. Here

    bodies   M(q), its factor and S6 = J6 M^-1 J6' of one foot (Pinocchio, LAPACK), once a call,
    points   W = J M^-1 J' of all 3 m rows instead, which the paper's form needs,
    sweep    one Gauss-Seidel sweep over all m contacts of a slipping pad,
    sweeps   how many a step of the sliding pad takes from its last forces, to 1e-6,
    rests    one step of two pads at rest: twelve numbers where all nodes stick, else sweeps,

and least squares fit a + b n m + c m^2, relative, to `points` + `sweep` and to `bodies` + `sweep`.
Seconds of CPU count: the least of several repeats.

python benchmarks/contact_cost.py [--picture FILE] [--json] [--quick]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from contact.ground import Plane
from contact.problem import Compliances, Problem, SoleDelassus
from contact.solvers import GaussSeidel
from contact.step import Body, CompliantStep, StepMotion
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole, condense
from sole.material import Material

CELLS = {
    8: (3, 1, 1),
    20: (4, 3, 1),
    50: (9, 4, 1),
    104: (12, 7, 1),
    300: (24, 11, 1),
    600: (29, 19, 1),
}
CHAINS = (1, 2, 4, 8, 16, 32, 64)
ROBOTS = ("rengifo14", "hrp2-like", "lola-like")
MASS, LOAD, DT, FRICTION = 58.0, 300.0, 1e-3, 0.7  # kg, N, s
YOUNG = 1e6  # Pa
FAST = 0.2  # m/s: of the slipping pad


class Robot(NamedTuple):
    """Its name, n moving bodies, Pinocchio's model, a posture, the frame of a foot."""

    name: str
    n: int
    model: Any
    q: FloatArray
    frame: int


def chain(n: int) -> Robot:
    """Return n equal rods that hang together, the first one free and with the foot."""
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "foot")
    for k in range(n):
        if k:
            kind = (pin.JointModelRX, pin.JointModelRY)[k % 2]()
            joint = model.addJoint(joint, kind, pin.SE3(np.eye(3), np.array([0, 0, 0.1])), f"j{k}")
        rod = pin.Inertia.FromBox(MASS / n, 0.1, 0.1, 0.1)
        model.appendBodyToJoint(joint, rod, pin.SE3.Identity())
    foot = pin.Frame("tread", 1, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
    frame = model.addFrame(foot)
    return Robot(f"chain of {n}", n, model, pin.neutral(model), frame)


def humanoid(name: str) -> Robot:
    """Return a humanoid in its half-sitting posture."""
    from robot.model import load_robot

    robot = load_robot(name)
    return Robot(name, robot.model.njoints - 1, robot.model, np.array(robot.q0), robot.left.frame)


def pad(m: int) -> CondensedSole:
    """Return a pad with m nodes on its tread."""
    material = Material(young_modulus=YOUNG, poisson_ratio=0.4)
    return condense(box_mesh(0.24, 0.14, 0.02, CELLS[m]), [material], element="p1")


def least(call: Callable[[], Any], repeats: int, calls: int = 1) -> float:
    """Return the least CPU time of a call [us], of `repeats` loops of `calls`."""
    call()
    found = []
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(calls):
            call()
        found.append(1e6 * (time.thread_time() - start) / calls)
    return min(found)


def inverse_inertia(robot: Robot, data: Any, rows: FloatArray | None = None) -> FloatArray:
    """Return S6 (6, 6) of the foot; with rows G (3m, 6) of points G S6 G' by all their rows."""
    import pinocchio as pin

    pin.crba(robot.model, data, robot.q)
    pin.computeJointJacobians(robot.model, data, robot.q)
    pin.updateFramePlacement(robot.model, data, robot.frame)
    J = pin.getFrameJacobian(robot.model, data, robot.frame, pin.LOCAL)
    J = J if rows is None else rows @ J
    M = np.triu(data.M)
    return np.asarray(J @ cho_solve(cho_factor(M, check_finite=False), J.T, check_finite=False))


def slipping(sole: CondensedSole, S6: FloatArray) -> tuple[Problem, FloatArray]:
    """Return the problem of a slipping pad whose load grows by 5 %, and its forces before."""
    m = len(sole.points)
    G, C = np.asarray(sole.geometry), np.asarray(sole.compliance)
    before = np.zeros((m, 3))
    before[:, 2] = LOAD / m
    before[:, 0] = -FRICTION * before[:, 2]
    S = DT * S6
    operator = SoleDelassus(
        compliances=Compliances.of([C]), scale=np.array([1 / DT]), node=np.arange(m),
        frames=np.stack([np.eye(3)] * m), geometry=G, support=S,
    )  # fmt: skip
    wrench = G.T @ before.ravel()
    slide = np.array([FAST, 0, 0, 0, 0, 0.3])
    grown = wrench * np.array([1, 1, 1.05, 1, 1, 1])
    q = G @ (slide - S @ grown) - C @ before.ravel() / DT
    return Problem(operator=operator, offset=q.reshape(m, 3), friction=FRICTION), before


def sweep_time(problem: Problem, start: FloatArray, few: int, many: int, repeats: int) -> float:
    """Return the time of a sweep that visits every contact [us]."""
    both = [GaussSeidel(tolerance=0.0, max_sweeps=k, wait=0.0) for k in (few, many)]
    short, long = (least(lambda s=s: s.solve(problem, start), repeats) for s in both)
    return (long - short) / (many - few)


def rest_time(sole: CondensedSole, S6: FloatArray, steps: int) -> float:
    """Return the time of a step of two pads at rest under their load [us]."""
    body = Body.of(sole, friction=FRICTION)
    stepper = CompliantStep([body, body], Plane())
    R, p = np.stack([np.eye(3)] * 2), np.zeros((2, 3))
    p[:, 2] = -float(body.points[:, 2].min())
    S = np.zeros((12, 12))
    S[:6, :6] = S[6:, 6:] = S6
    load = np.tile([0, 0, -LOAD, 0, 0, 0], 2)
    state, v, times = stepper.start(), np.zeros(12), []
    for _ in range(steps):
        start = time.thread_time()
        done = stepper.step(state, R, p, StepMotion(v, v + DT * S @ load, S, DT))
        times.append(time.thread_time() - start)
        state, v = done.state, np.array(done.twists).ravel()
        p = p + DT * v.reshape(2, 6)[:, :3]
    return 1e6 * float(np.median(times[steps // 2 :]))


def fit(n: FloatArray, m: FloatArray, t: FloatArray) -> tuple[FloatArray, float]:
    """Return (a, b, c) of t = a + b n m + c m^2 by least relative squares, and R^2 of log t."""
    A = np.stack([np.ones_like(t), n * m, m * m], axis=1)
    from scipy.optimize import nnls

    x = nnls(A / t[:, None], np.ones_like(t))[0]
    log, model = np.log(t), np.log(np.maximum(A @ x, 1e-3))
    return x, 1 - float(((log - model) ** 2).sum() / ((log - log.mean()) ** 2).sum())


def measure(quick: bool) -> dict[str, Any]:
    """Return the tables: bodies over n, sweeps over m, both fits."""
    chains = (1, 4) if quick else CHAINS
    robots = [*map(chain, chains), *map(humanoid, ROBOTS[1:2] if quick else ROBOTS)]
    sizes = (8, 20) if quick else tuple(CELLS)
    repeats, calls = (1, 2) if quick else (3, 5)
    soles = {m: pad(m) for m in sizes}
    rows, contacts = [], []
    S6 = None
    for robot in robots:
        data = robot.model.createData()
        six = least(lambda r=robot, d=data: inverse_inertia(r, d), repeats, 10 * calls)
        found = {"name": robot.name, "n": robot.n, "bodies": six, "points": {}}
        for m in sizes:
            G = np.asarray(soles[m].geometry)
            found["points"][m] = least(
                lambda r=robot, d=data, G=G: inverse_inertia(r, d, G),
                repeats,
                1 if m > 100 else calls,
            )
        rows.append(found)
        if robot.name == "hrp2-like":
            S6 = inverse_inertia(robot, data)
    assert S6 is not None
    for m in sizes:
        problem, before = slipping(soles[m], S6)
        solver = GaussSeidel(tolerance=1e-6)
        solution = solver.solve(problem, before)
        few, many = 5, 45
        contacts.append(
            {
                "m": m,
                "sweep": sweep_time(problem, before, few, many, repeats),
                "sweeps": solution.sweeps,
                "call": least(lambda p=problem, b=before, s=solver: s.solve(p, b), repeats),
                "rests": rest_time(soles[m], S6, 20 if quick else 200),
            }
        )
    grid = [(r, c) for r in rows for c in contacts]
    n, m = (np.array([x[k][name] for x in grid], float) for k, name in ((0, "n"), (1, "m")))
    sweep = np.array([c["sweep"] for _, c in grid])
    fits = {}
    for name, cost in (
        ("points", np.array([r["points"][c["m"]] for r, c in grid])),
        ("bodies", np.array([r["bodies"] for r, _ in grid])),
    ):
        x, R2 = fit(n, m, np.maximum(cost + sweep, 1.0))
        fits[name] = {"a": x[0], "b": x[1], "c": x[2], "R2": R2}
    return {"bodies": rows, "contacts": contacts, "fits": fits}


def draw(found: dict[str, Any], file: Path) -> None:
    """Draw times over m and over n."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    m = [c["m"] for c in found["contacts"]]
    for name, told in (
        ("call", "slipping: all sweeps"),
        ("sweep", "one sweep"),
        ("rests", "two pads at rest: a step"),
    ):
        left.loglog(m, [c[name] for c in found["contacts"]], "o-", label=told)
    left.set(xlabel="contacts m of a foot", ylabel="processor time [us]", title="contacts")
    for size in m[:: max(1, len(m) // 3)]:
        for rows, style in (
            ([r for r in found["bodies"] if r["name"].startswith("chain")], "o-"),
            ([r for r in found["bodies"] if not r["name"].startswith("chain")], "s"),
        ):
            right.loglog(
                [r["n"] for r in rows], [r["points"][size] for r in rows], style, ms=4,
                color=f"C{m.index(size)}", label=f"W of {size} points" if style == "o-" else None,
            )  # fmt: skip
    right.loglog(
        [r["n"] for r in found["bodies"]], [r["bodies"] for r in found["bodies"]], "k.",
        label="S6: six numbers",
    )  # fmt: skip
    right.set(xlabel="bodies n", ylabel="processor time [us]", title="bodies (squares: humanoids)")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(file, dpi=110)


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--picture", type=Path, help="draw into this file")
    parser.add_argument("--json", action="store_true", help="all numbers as JSON")
    parser.add_argument("--quick", action="store_true", help="three robots, two pads")
    chosen = parser.parse_args(words)
    found = measure(chosen.quick)
    if chosen.picture:
        draw(found, chosen.picture)
    if chosen.json:
        print(json.dumps(found))
        return
    sizes = [c["m"] for c in found["contacts"]]
    print("| robot | n | S6 [us] | " + " | ".join(f"W, m = {m} [us]" for m in sizes) + " |")
    print("|" + "---|" * (3 + len(sizes)))
    for r in found["bodies"]:
        points = " | ".join(f"{r['points'][m]:.3g}" for m in sizes)
        print(f"| {r['name']} | {r['n']} | {r['bodies']:.3g} | {points} |")
    print("\n| m | sweep [us] | sweeps | call [us] | two pads at rest [us] |")
    print("|---|---|---|---|---|")
    for c in found["contacts"]:
        print(
            f"| {c['m']} | {c['sweep']:.3g} | {c['sweeps']} | {c['call']:.3g} | {c['rests']:.3g} |"
        )
    print("\n| time of | a [us] | b [us] | c [us] | R^2 |\n|---|---|---|---|---|")
    for name, x in found["fits"].items():
        told = "W of all points" if name == "points" else "S6 of the foot"
        print(
            f"| {told} + one sweep | {x['a']:.3g} | {x['b']:.2g} | {x['c']:.2g} | {x['R2']:.3f} |"
        )


if __name__ == "__main__":
    main()
