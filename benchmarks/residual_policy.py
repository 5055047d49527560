"""A residual policy of six numbers against drops that no plan knows, and the speed of its world.

train: CMA-ES on `TRAINING`, drops of 1 to 2 cm under a walk of hrp2-like on pads of 2 MPa (fixed
plan), from the policy that only reaches down. compare: the stabiliser alone and the policy of
`robot.environments.BASELINE` on other edges and materials, on the fixed plan and on the online one.
speed: steps of the environment, and those of MuJoCo's Humanoid (its engine alone, 5 x 3 ms a step).

python benchmarks/residual_policy.py [train] [compare] [speed] [--generations 6] [--quick]
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
    BASELINE,
    TASKS,
    Drawn,
    LinearResidual,
    Randomisation,
    SoleEnvironment,
)
from robot.online import PlanChoice
from robot.walk import Scenario

WALK = TASKS["SoleWalk"][0]
NAMES = ("late", "early", "roll", "pitch", "roll_rate", "pitch_rate")
UNIT = np.array([2.0, 1.0, 0.3, 0.3, 0.03, 0.03])  # of the six numbers, for the search
START = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # reach down with 2 rad/s
TRAINING = ((0.01, 0.60, 2e6), (0.015, 0.45, 2e6), (0.02, 0.60, 2e6), (0.0, 0.5, 2e6))
HEIGHTS, EDGES, YOUNGS = (0.01, 0.02), (0.40, 0.52), (1.5e6, 6e6)


def world(scenario: Scenario = WALK) -> SoleEnvironment:
    """Return an environment whose episodes are given by `reset`."""
    return SoleEnvironment(scenario, Randomisation())


def drop(height: float, edge: float, young: float) -> Drawn:
    """Return an episode with a drop [m] at `edge` [m] on pads of `young` [Pa]."""
    plain = Drawn.plain(WALK)
    kind = "drop" if height else "plane"
    return replace(plain, ground=kind, height=height, edge=edge, young=young)


def walked(
    env: SoleEnvironment, policy: LinearResidual, drawn: Drawn, most: int = 10**6
) -> tuple[bool, float, float, int]:
    """Return whether the robot fell, its time [s], the sum of rewards and the number of steps."""
    seen, _ = env.reset(seed=1, options={"drawn": drawn})
    policy.reset()
    total, count, over, info = 0.0, 0, False, {"time": 0.0}
    while not over and count < most:
        seen, reward, fell, over, info = env.step(policy(seen))
        total, count, over = total + reward, count + 1, over or fell
    return fell, float(info["time"]), total, count


def train(generations: int, population: int, cases: Sequence[tuple[float, float, float]]) -> None:
    """Search the six numbers and print the way."""
    import cma

    env, began = world(), time.process_time()
    search = cma.CMAEvolutionStrategy(
        START, 0.3, {"popsize": population, "seed": 1, "verbose": -9, "maxiter": generations}
    )
    print("| generation | episodes | CPU [s] | best mean reward | falls of the best | numbers |")
    print("|---|---|---|---|---|---|")
    best, episodes = (-np.inf, 0, START), 0
    for k in range(generations):
        points = search.ask()
        values = []
        for x in points:
            told = [walked(env, LinearResidual(*(x * UNIT)), drop(*case)) for case in cases]
            value = float(np.mean([t[2] for t in told]))
            episodes += len(cases)
            values.append(-value)
            if value > best[0]:
                best = value, sum(t[0] for t in told), np.array(x)
        search.tell(points, values)
        numbers = ", ".join(f"{n:.3g}" for n in best[2] * UNIT)
        cpu = time.process_time() - began
        print(
            f"| {k + 1} | {episodes} | {cpu:.0f} | {best[0]:.1f} | {best[1]} | {numbers} |",
            flush=True,
        )


def compare(plans: Sequence[str]) -> None:
    """Print how many walks each survives."""
    print(
        "| drop [cm] | plan | stabiliser walked | with the policy | mean reward | with the policy |"
    )
    print("|---|---|---|---|---|---|")
    for plan in plans:
        env = world(replace(WALK, plan=PlanChoice(kind=plan)))
        for height in HEIGHTS:
            on, reward = [], []
            for policy in (LinearResidual(), replace(BASELINE)):
                told = [
                    walked(env, policy, drop(height, edge, young))
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
    env = world()
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
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--plans", nargs="+", default=["fixed", "online"], metavar="PLAN")
    parser.add_argument("--quick", action="store_true", help="a few steps of everything")
    chosen = parser.parse_args(words)
    print(f"load {os.getloadavg()[0]:.1f}")
    tables = chosen.tables or (["speed"] if chosen.quick else ["compare", "speed"])
    if "train" in tables:
        train(chosen.generations, 6, TRAINING)
    if "compare" in tables:
        compare(chosen.plans)
    if "speed" in tables:
        speed(5 if chosen.quick else 200)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
