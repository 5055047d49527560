"""A residual policy of ten numbers against drops that no plan knows, and the speed of its world.

train: CMA-ES on walks of hrp2-like on pads of 2 MPa, on one plan, from a policy that reaches
down and bends its ankles. compare: the stabiliser alone and the trained
policies of `robot.environments.BASELINES`, on edges and materials that no training saw. speed:
steps of the environment, and those of MuJoCo's Humanoid (its engine alone, 5 x 3 ms a step).

python benchmarks/residual_policy.py [train] [compare] [speed] [--plans fixed online] [--quick]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from robot.environments import (
    BASELINES,
    TASKS,
    Drawn,
    LinearResidual,
    Randomisation,
    SoleEnvironment,
)
from robot.online import PlanChoice
from sole.base.numba_settings import set_up_numba

WALK = TASKS["SoleWalk"][0]
UNIT = np.array([2.0, 1.0, 0.3, 0.3, 0.03, 0.03, 0.3, 0.3, 0.3, 0.3])  # of the numbers, to search
START = np.array([0.8] + [0.0] * 6 + [1.5] + [0.0] * 2)  # reach down with 1.6 rad/s, bend ankles
# (drop [m], edge [m], E [Pa]) of the training
TRAINING = {
    "fixed": ((0.01, 0.60, 2e6), (0.02, 0.45, 2e6), (0.03, 0.60, 2e6)),
    "online": ((0.04, 0.60, 2e6), (0.03, 0.32, 2e6), (0.04, 0.46, 2e6)),
}
GENERATIONS, POPULATION = 1, 6
HEIGHTS = {"fixed": (0.01, 0.02), "online": (0.0, 0.02, 0.03, 0.04)}  # m, of the comparison
EDGES, YOUNGS = (0.40, 0.52), (1.5e6, 6e6)


def on_plan(plan: str) -> SoleEnvironment:
    """Return an environment whose episodes are given by `reset`."""
    return SoleEnvironment(replace(WALK, plan=PlanChoice(kind=plan)), Randomisation())


def drop(height: float, edge: float, young: float) -> Drawn:
    """Return an episode with a drop [m] at `edge` [m] on pads of `young` [Pa]."""
    plain = Drawn.plain(WALK)
    kind = "drop" if height else "plane"
    return replace(plain, ground=kind, height=height, edge=edge, young=young)


def walked(
    env: SoleEnvironment, policy: LinearResidual, drawn: Drawn, most: int
) -> tuple[bool, float, float, int]:
    """Return whether the robot fell, its time [s], the sum of rewards and the number of steps."""
    seen, _ = env.reset(seed=1, options={"drawn": drawn})
    policy.reset()
    total, count, over, info = 0.0, 0, False, {"time": 0.0}
    while not over and count < most:
        seen, reward, fell, over, info = env.step(policy(seen))
        total, count, over = total + reward, count + 1, over or fell
    return fell, float(info["time"]), total, count


def train(plan: str, generations: int, population: int, most: int) -> None:
    """Search the ten numbers on one plan and print the way."""
    import cma

    env, began, start = on_plan(plan), time.process_time(), START
    search = cma.CMAEvolutionStrategy(
        start, 0.3, {"popsize": population, "seed": 1, "verbose": -9, "maxiter": generations}
    )
    print("| plan | generation | episodes | CPU [s] | best mean reward | its falls | numbers |")
    print("|---|---|---|---|---|---|---|")
    best, episodes = (-np.inf, 0, start), 0
    for k in range(generations):
        points = [start, *search.ask()[1:]] if k == 0 else search.ask()
        values = []
        for x in points:
            policy = LinearResidual(*(x * UNIT))
            told = [walked(env, policy, drop(*case), most) for case in TRAINING[plan]]
            value = float(np.mean([t[2] for t in told]))
            episodes += len(told)
            values.append(-value)
            if value > best[0]:
                best = value, sum(t[0] for t in told), np.array(x)
        search.tell(points, values)
        numbers = ", ".join(f"{n:.3g}" for n in best[2] * UNIT)
        cpu = time.process_time() - began
        cells = [plan, k + 1, episodes, f"{cpu:.0f}", f"{best[0]:.1f}", best[1], numbers]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def compare(plans: Sequence[str], most: int) -> None:
    """Print how many walks each survives."""
    print(
        "| drop [cm] | plan | stabiliser walked | with the policy | mean reward | with the policy |"
    )
    print("|---|---|---|---|---|---|")
    for plan in plans:
        env = on_plan(plan)
        for height in HEIGHTS[plan] if most > 2 else HEIGHTS[plan][:1]:
            on, reward = [], []
            for policy in (LinearResidual(), replace(BASELINES[plan])):
                told = [
                    walked(env, policy, drop(height, edge, young), most)
                    for edge in EDGES
                    for young in YOUNGS
                ]
                on.append(f"{sum(not t[0] for t in told)} of {len(told)}")
                reward.append(f"{np.mean([t[2] for t in told]):.0f}")
            cells = [f"{100 * height:g}", plan, *on, *reward]
            print("| " + " | ".join(cells) + " |", flush=True)


def speed(steps: int) -> None:
    """Print steps per second of CPU time."""
    print("| world | time of a step [ms] | steps/s | simulated s/s |")
    print("|---|---|---|---|")
    env = on_plan("fixed")
    walked(env, LinearResidual(), Drawn.plain(WALK), 5)  # compiled
    env.reset(seed=1, options={"drawn": Drawn.plain(WALK)})
    began = time.process_time()
    for _ in range(steps):
        env.step(np.zeros(12))
    print(_row("SoleWalk-v0", (time.process_time() - began) / steps, 0.02))
    if find_spec("mujoco") is None:
        return
    import gymnasium
    import mujoco

    folder = Path(str(gymnasium.__file__)).parent / "envs" / "mujoco" / "assets"
    model = mujoco.MjModel.from_xml_path(str(folder / "humanoid.xml"))
    data, random = mujoco.MjData(model), np.random.default_rng(1)
    data.qpos[2] = 1.4
    began = time.process_time()
    for k in range(10 * steps):
        if k % 50 == 0:
            mujoco.mj_resetData(model, data)
            data.qpos[2] = 1.4
        data.ctrl[:] = random.uniform(-0.4, 0.4, model.nu)
        mujoco.mj_step(model, data, 5)
    cost = (time.process_time() - began) / (10 * steps)
    print(_row("Humanoid of MuJoCo", cost, 5 * model.opt.timestep))


def _row(name: str, seconds: float, span: float) -> str:
    return f"| {name} | {1e3 * span:g} | {1 / seconds:.0f} | {span / seconds:.2f} |"


def main(words: Sequence[str] | None = None) -> None:
    """Print the chosen tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="of train, compare, speed")
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    parser.add_argument("--plans", nargs="+", default=["fixed", "online"], metavar="PLAN")
    parser.add_argument("--quick", action="store_true", help="a few steps of everything")
    chosen = parser.parse_args(words)
    print(f"load {os.getloadavg()[0]:.1f}")
    unknown = {*chosen.tables} - {"train", "compare", "speed"} or {*chosen.plans} - {*TRAINING}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    tables = chosen.tables or (["train"] if chosen.quick else []) + ["compare", "speed"]
    plans, most = (["fixed"], 2) if chosen.quick else (chosen.plans, 10**6)
    if "train" in tables:
        for plan in plans:
            train(plan, chosen.generations, 3 if chosen.quick else POPULATION, most)
    if "compare" in tables:
        compare(plans, most)
    if "speed" in tables:
        speed(5 if chosen.quick else 200)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
