"""One increment, with a second way to its answer: where it stalls, friction grows step by step.

Smaller friction only gives a better first guess: every step is the same implicit increment
from the same start, so that neither load nor history of the answer is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from contact.pressing.first_touch import placed
from contact.pressing.increment import Control, Increment, Options, solve_increment
from contact.pressing.load import Load, Wrench
from contact.pressing.state import Setting, State

SLACK = 100.0  # what stalls is handed out up to here, times the tolerance, and reported
BALANCE = 1e-9  # demanded of equilibrium, relative
EASY, GROWTH = 0.5, 1.4  # friction that hardly ever stalls, and by how much it grows


def solve_load(
    setting: Setting,
    state: State,
    load: Load,
    options: Options,
    guess: State | None = None,
    tell: Callable[[float], None] | None = None,
) -> Increment:
    """Solve the increment from `state` to `load`; from `guess` first, where there is one."""
    tries: list[Increment] = []
    for first in (state,) if guess is None else (guess, state):
        tries.append(_solve(setting, first, load, options, tell))
        if accepted(tries[-1], options):
            return _total(tries)
    if setting.friction <= EASY:
        return tries[-1]
    near, quick = state, replace(options, tolerance=max(options.tolerance, 1e-6))
    steps = int(np.ceil(np.log(setting.friction / EASY) / np.log(GROWTH)))
    for mu in np.geomspace(EASY, setting.friction, steps + 1)[:-1]:
        step = _solve(replace(setting, friction=float(mu)), near, load, quick, tell)
        if accepted(step, quick):
            near = step.view.state
    tries.append(_solve(setting, near, load, options, tell))
    return _total(tries) if accepted(tries[-1], options) else tries[-2]


def accepted(done: Increment, options: Options) -> bool:
    """Return whether an increment is good enough to be handed out."""
    return done.residual <= SLACK * max(options.tolerance, done.view.floor) and (
        done.imbalance <= max(BALANCE, options.tolerance)
    )


def _solve(
    setting: Setting,
    near: State,
    load: Load,
    options: Options,
    tell: Callable[[float], None] | None,
) -> Increment:
    if isinstance(load, Wrench):
        control = Control(wrench=load.vector, free=setting.free)
        return solve_increment(setting, near, control, options, tell)
    rotation, place = placed(setting.sole, setting.ground, load.vector)
    held = State(forces=near.forces, rotation=rotation, place=place, start=near.start)
    return solve_increment(setting, held, Control(), options, tell)


def _total(tries: list[Increment]) -> Increment:
    """Return the last try with the work of all."""
    work = {name: sum(getattr(t, name) for t in tries) for name in ("outer", "sweeps", "newton")}
    return replace(tries[-1], **work)
