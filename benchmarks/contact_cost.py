"""What a contact costs: time of one call over the bodies n of a robot and its contacts m.

The paper on deformable soles says O(n m + m^2) [ChardonnetEtAl, section 2]. Here

    bodies   M(q), its factor and S6 = J6 M^-1 J6' of one foot (Pinocchio, LAPACK), once a call,
    points   W = J M^-1 J' of all 3 m rows instead, which the paper's form needs,
    sweep    one Gauss-Seidel sweep over all m contacts of a slipping pad,
    sweeps   how many a step of the sliding pad takes from its last forces, to 1e-6,
    rests    one step of two pads at rest: twelve numbers where all nodes stick, else sweeps,
    slides   one step of a pad that slips, by its nodes and in six numbers: `contact.per_body`,

and least squares fit a + b n m + c m^2, relative, to `points` + `sweep` and to `bodies` + `sweep`;
once more with d n + e n m^2, what the factor of M and the product J M^-1 J' cost.
Seconds of CPU count: the least of several repeats.

python benchmarks/contact_cost.py [--picture FILE] [--json] [--quick]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from contact.ground import Plane
from contact.per_body import CertifiedFoot
from contact.solvers import GaussSeidel
from contact.step import Body, StepMotion
from contact.swept_step import fast_step
from robot.papers.experiments.cost_of_contacts import (
    DT,
    FAST,
    LOAD,
    MU,
    RUBBER,
    SIZE,
    fit_cost,
    hang_rods,
    inverse_inertia,
    least_time,
    slipping_pad,
    sweep_time,
    take_robot,
)
from sole.base.arrays import FloatArray
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole, condense

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


def pad(m: int) -> CondensedSole:
    """Return a pad with m nodes on its tread."""
    return condense(box_mesh(*SIZE, CELLS[m]), [RUBBER], element="p1")


def rest_time(sole: CondensedSole, S6: FloatArray, steps: int) -> float:
    """Return the time of a step of two pads at rest under their load [us]."""
    body = Body.of(sole, friction=MU)
    stepper = fast_step([body, body], Plane())
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


def slide_times(sole: CondensedSole, S6: FloatArray, steps: int) -> dict[str, float]:
    """Return the time of a step of a slipping pad [us]: by nodes, certified, six numbers alone.

    `error` : the largest of the six numbers beside the nodes, over mu f_z.
    """
    push = np.array([1.05 * MU * LOAD, 0.0, -LOAD, 0.0, 0.0, 0.0])
    found: dict[str, float] = {}
    for name, every in (("nodal", 1), ("certified", 20)):
        foot = CertifiedFoot(sole, MU, every=every)
        forces, v = np.zeros((len(foot.six.shares), 3)), np.zeros(6)
        trust, times, errors = 0, [], [0.0]
        forces[:, 2] = LOAD * foot.six.shares
        forces[:, 0], v[0] = -MU * forces[:, 2], FAST
        for _ in range(steps):
            free = v + DT * S6 @ push
            start = time.thread_time()
            done = foot.step(forces, free, S6, DT, trust)
            times.append(time.thread_time() - start)
            if done.error is not None:
                errors.append(done.error)
            forces, v, trust = done.forces, done.twist, done.trust
        found[name], found["error"] = 1e6 * float(np.mean(times[1:])), max(errors)
    foot = CertifiedFoot(sole, MU)
    w = foot.geometry.T @ forces.ravel()
    found["six"] = least_time(lambda: foot.six.step(w, v + DT * S6 @ push, S6, DT), 3, 10)
    return found


def measure(quick: bool) -> dict[str, Any]:
    """Return the tables: bodies over n, sweeps over m, both fits."""
    chains = (1, 4) if quick else CHAINS
    robots = [*map(hang_rods, chains), *map(take_robot, ROBOTS[1:2] if quick else ROBOTS)]
    sizes = (8, 20) if quick else tuple(CELLS)
    repeats, calls = (1, 2) if quick else (3, 5)
    soles = {m: pad(m) for m in sizes}
    rows, contacts = [], []
    S6 = None
    for robot in robots:
        data = robot.model.createData()
        six = least_time(lambda r=robot, d=data: inverse_inertia(r, d), repeats, 10 * calls)
        found = {"name": robot.name, "n": robot.n, "bodies": six, "points": {}}
        for m in sizes:
            G = np.asarray(soles[m].geometry)
            found["points"][m] = least_time(
                lambda r=robot, d=data, G=G: inverse_inertia(r, d, G),
                repeats,
                1 if m > 100 else calls,
            )
        rows.append(found)
        if robot.name == "hrp2-like":
            S6 = inverse_inertia(robot, data)
    assert S6 is not None
    for m in sizes:
        problem, before = slipping_pad(soles[m], S6)
        solver = GaussSeidel(tolerance=1e-6)
        solution = solver.solve(problem, before)
        contacts.append(
            {
                "m": m,
                "sweep": sweep_time(problem, before, repeats),
                "sweeps": solution.sweeps,
                "call": least_time(lambda p=problem, b=before, s=solver: s.solve(p, b), repeats),
                "rests": rest_time(soles[m], S6, 20 if quick else 200),
                "slides": slide_times(soles[m], S6, 21 if quick else 201),
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
        for more in (False, True):
            x, R2 = fit_cost(n, m, np.maximum(cost + sweep, 1.0), more)
            fitted = dict(zip("abcde", (*x, 0.0, 0.0), strict=False))
            fits[name + " with n, n m^2" * more] = {**fitted, "R2": R2}
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
    print("\n| m | nodes [us] | six numbers [us] | certified [us] | nodes/certified | error [%] |")
    print("|---|---|---|---|---|---|")
    for c in found["contacts"]:
        s = c["slides"]
        print(
            f"| {c['m']} | {s['nodal']:.3g} | {s['six']:.3g} | {s['certified']:.3g} "
            f"| {s['nodal'] / s['certified']:.1f} | {100 * s['error']:.1f} |"
        )
    print(
        "\n| time of, and fit | a [us] | b [us] | c [us] | d [us] | e [us] | R^2 |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name, x in found["fits"].items():
        told = name.replace("points", "W of all points").replace("bodies", "S6 of the foot")
        told = (
            told.replace(" with", " + one sweep, with") if "with" in told else f"{told} + one sweep"
        )
        print(
            f"| {told} | {x['a']:.3g} | {x['b']:.2g} | {x['c']:.2g} | {x['d']:.2g} "
            f"| {x['e']:.2g} | {x['R2']:.3f} |"
        )


if __name__ == "__main__":
    set_up_numba()
    main()
