"""Inverse kinematics of a walk: ours versus pin-pink, and the cost of a whole plan.

    python benchmarks/walk_kinematics.py [--robot hrp2-like] [--every 4] [--repeat 3] [--quick]

Both follow the same tasks of six steps of 0.2 m, every few ms, each from its last solution: poses
of both soles, centre of mass, turn of the waist; all other joints stay. Ours: Newton to 1e-11, then
velocities and accelerations. Pink: 1, 2 and 3 quadratic programs (quadprog) of gain 1, posture
weight 1e-3 for the other joints, no joint limits, as ours checks them afterwards. They take turns;
medians of the rounds, processor time. Pink (4.4 was used) is no dependency; it is skipped if it is
not installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from robot.gait import BodyKinematics, GaitOptions, Targets, WalkPlan, plan_walk
from robot.model import RobotModel, load_robot
from sole.base.numba_settings import set_up_numba


def targets_of(robot: RobotModel, plan: WalkPlan, every: int) -> list[Targets]:
    """Return the tasks of the plan, every few ticks."""
    import pinocchio as pin

    data, out = robot.model.createData(), []
    for k in range(0, len(plan.times), every):
        pin.framesForwardKinematics(robot.model, data, plan.q_ref[k])
        feet = plan.feet[k]
        waist = data.oMf[robot.waist].rotation.copy()
        out.append(Targets(feet[:, :3, 3], feet[:, :3, :3].copy(), plan.com[k], waist))
    return out


def ours(robot: RobotModel, targets: list[Targets]) -> list[Any]:
    """Solve, with rates (of tasks at rest: the cost is the same)."""
    solver, q, out, zero = BodyKinematics(robot), robot.q0, [], np.zeros(18)
    for target in targets:
        q = solver.solve(target, q)
        solver.rates(q, zero, zero)
        out.append(q)
    return out


def pink_walk(robot: RobotModel, targets: list[Targets], iterations: int) -> list[Any]:
    """Solve by weighted quadratic programs, `iterations` per tick."""
    import pink
    import pinocchio as pin

    model, dt = robot.model, 1e-3
    names = [foot.frame_name for foot in robot.feet]
    feet = [pink.tasks.FrameTask(n, position_cost=1.0, orientation_cost=1.0) for n in names]
    com = pink.tasks.ComTask(cost=1.0)
    waist = model.frames[robot.waist].name
    turn = pink.tasks.FrameTask(waist, position_cost=0.0, orientation_cost=1.0)
    posture = pink.tasks.PostureTask(cost=1e-3)
    posture.set_target(robot.q0)
    tasks, out = [*feet, com, turn, posture], []
    state = pink.Configuration(model, model.createData(), robot.q0)
    for target in targets:
        for task, R, p in zip(feet, target.turns, target.places, strict=True):
            task.set_target(pin.SE3(R, p))
        com.set_target(target.com)
        turn.set_target(pin.SE3(target.waist, np.zeros(3)))
        for _ in range(iterations):
            v = pink.solve_ik(state, tasks, dt, solver="quadprog", limits=[], safety_break=False)
            state.integrate_inplace(v, dt)
        out.append(state.q.copy())
    return out


def misses(robot: RobotModel, targets: list[Targets], qs: list[Any]) -> float:
    """Return the largest distance of soles and centre of mass from their places [m]."""
    import pinocchio as pin

    data, worst = robot.model.createData(), 0.0
    for target, q in zip(targets, qs, strict=True):
        com = pin.centerOfMass(robot.model, data, q)
        worst = max(worst, float(np.linalg.norm(com - target.com)))
        for foot, place in zip(robot.feet, target.places, strict=True):
            p = pin.updateFramePlacement(robot.model, data, foot.frame).translation
            worst = max(worst, float(np.linalg.norm(p - place)))
    return worst


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="hrp2-like")
    parser.add_argument("--every", type=int, default=4, help="ms between solutions")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one solution in 50 ms, one round")
    args = parser.parse_args(words)
    if args.quick:
        args.every, args.repeat = 50, 1
    robot = load_robot(args.robot)
    plan = plan_walk(robot)
    targets = targets_of(robot, plan, args.every)
    ways: dict[str, Any] = {"ours: Newton to 1e-11, v and a": lambda: ours(robot, targets)}
    try:
        import pink  # noqa: F401
        import quadprog  # noqa: F401
    except ImportError as error:
        print(f"pin-pink skipped: {error}")
    else:
        for n in (1, 2, 3):
            ways[f"pin-pink with quadprog, {n} iterations"] = lambda n=n: pink_walk(
                robot, targets, n
            )
    variants = (
        ("plan, default", GaitOptions()),
        ("plan, no correction", GaitOptions(corrections=0)),
        ("plan, no correction, every tick", GaitOptions(corrections=0, spacing=1e-3)),
    )
    for name, options in variants[: 1 if args.quick else None]:
        ways[name] = lambda options=options: plan_walk(robot, options=options)
    times: dict[str, list[float]] = {name: [] for name in ways}
    missed: dict[str, float] = {}
    with threadpool_limits(1):
        for _ in range(args.repeat):
            for name, way in ways.items():
                start = time.process_time()
                result = way()
                times[name].append(time.process_time() - start)
                if isinstance(result, list):
                    missed[name] = misses(robot, targets, result)
    first = float(np.median(next(iter(times.values()))))
    print(f"{len(targets)} solutions, every {args.every} ms; plans of {plan.end:.1f} s")
    print("\n| what | time [s] | each [us] | ratio | largest miss of soles and CoM |")
    print("|---|---|---|---|---|")
    for name, rounds in times.items():
        t = float(np.median(rounds))
        each, ratio, miss = "", "", ""
        if name in missed:
            each, ratio = f"{1e6 * t / len(targets):.0f}", f"{t / first:.1f}"
            miss = f"{missed[name]:.0e} m"
        print(f"| {name} | {t:.2f} | {each} | {ratio} | {miss} |")


if __name__ == "__main__":
    set_up_numba()
    main()
