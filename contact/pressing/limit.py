"""Limit loads by bisection: the largest part of a load that still has a state of rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from contact.pressing.increment import Control, Options, solve_increment
from contact.pressing.state import Setting, State
from sole.arrays import FloatArray

ACCURACY = 0.004  # of a limit, relative
RESTS = 1e-5  # residual and imbalance of a load that is held; less where friction is below 0.01


@dataclass(eq=False, kw_only=True)
class Search:
    """Tries of `load` (lam -> wrench (6,)), each from the nearest state of rest so far.

    `ran_away` tells that under some of them the foot went away. If under none, what was found
    is where the solver stalls, and not a limit.
    """

    setting: Setting
    state: State
    load: Callable[[float], FloatArray]
    options: Options
    ran_away: bool = False

    def rests(self, lam: float) -> bool:
        """Return whether a state of rest is found under load(lam)."""
        rests = RESTS * (min(1.0, 100 * self.setting.friction) or 1.0)
        quick = Options(tolerance=rests / 10, max_outer=60, seed=self.options.seed)
        control = Control(wrench=self.load(lam), free=self.setting.free)
        done = solve_increment(self.setting, self.state, control, quick)
        held = not done.ran_away and done.error <= rests
        if held:
            self.state = done.view.state
        self.ran_away |= bool(done.ran_away)
        return held

    def largest(self, guess: float = 0.5) -> float | None:
        """Return the largest lam in [0, 1] that rests, None if 0 does not.

        A `guess` near the limit saves tries, a wrong one costs two.
        """
        if not self.rests(0.0):
            return None
        low, high = 0.0, 1.0
        for trial in (guess * (1 - ACCURACY / 2), guess * (1 + ACCURACY / 2)):
            if low < trial < high:
                low, high = (trial, high) if self.rests(trial) else (low, trial)
        while high - low > ACCURACY * high and high > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if self.rests(middle) else (low, middle)
        return 1.0 if high == 1.0 and self.rests(1.0) else low


def sliding_guess(
    setting: Setting, state: State, held: FloatArray, direction: FloatArray, options: Options
) -> float:
    """Return about the largest lam for which `held` + lam `direction` rests.

    The horizontal part of the load is replaced by a work-conjugate motion large enough to make
    the whole sole slide; the load factor that this takes is about the limit. It is not the
    limit where the sole tilts or the foot turns on the way.
    """
    # The motion under full load of a sole that sticks, several times over: everything slides.
    stuck = np.linalg.solve(setting.sole.foot_stiffness, direction)
    friction = setting.friction * held[2]
    load = np.hypot(direction[0], direction[1]) + abs(direction[5]) / (setting.length / 2)
    amount = -10 * float(direction @ stuck) * min(1.0, friction / load)
    quick = Options(tolerance=1e-5, max_outer=60, max_sweeps=100, seed=options.seed, polish=False)
    control = Control(wrench=held, direction=direction, amount=amount)
    done = solve_increment(setting, state, control, quick)
    usable = done.error < 1e-2 and 0.0 < done.factor < 1.0
    return done.factor if usable else min(0.99, friction / load)
