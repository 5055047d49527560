"""The press test: a rigid foot on a compliant sole is pressed on the ground.

Exact Signorini and Coulomb at every tread vertex, in the deformed position; moments are taken
at the undeformed points (small displacements), so that sum f and sum x cross f are the wrench.
Friction depends on the path: the default is one proportional implicit increment from the
unstressed, unslipped reference configuration, in which the undeformed sole, parallel to the
ground's frame, just touches. Within an increment the tangential law acts on the displacement
of the deformed node since the increment began.

An increment that stalls is solved again with friction raised to its value in steps. A smaller
friction only gives a better first guess: every step solves the same implicit increment from the
same start, so the load and the history of the answer stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from contact.constants import FRICTION
from contact.ground import Ground
from contact.press.first_touch import place_foot
from contact.press.increment import Increment, IncrementControl, PressOptions, solve_increment
from contact.press.limit_load import refuse_beyond_limit
from contact.press.load import PressLoad, Wrench
from contact.press.preparation import prepare_press
from contact.press.press_state import PressSetting, PressState, PressView
from contact.press.result import PressResult
from contact.solvers import SolveProgress
from sole.base.errors import ConvergenceError
from sole.condense import CondensedSole, warn_beyond

SLACK = 100.0  # times the tolerance: a stalled residual up to this is accepted, and reported
BALANCE = 1e-9  # largest accepted imbalance, relative
EASY, GROWTH = 0.5, 1.4  # friction that hardly ever stalls; its factor from step to step
MANY = 10  # increments; more of them hardly help


def solve_load(
    setting: PressSetting,
    state: PressState,
    load: PressLoad,
    options: PressOptions,
    guess: PressState | None = None,
    tell: Callable[[float], None] | None = None,
) -> Increment:
    """Solve the increment from `state` to `load`; start from `guess` first if it is given."""
    tries: list[Increment] = []
    for first in (state,) if guess is None else (guess, state):
        tries.append(_solve(setting, first, load, options, tell))
        if is_accepted(tries[-1], options):
            return _total(tries)
    if setting.friction <= EASY:
        return tries[-1]
    near, quick = state, replace(options, tolerance=max(options.tolerance, 1e-6))
    steps = int(np.ceil(np.log(setting.friction / EASY) / np.log(GROWTH)))
    for mu in np.geomspace(EASY, setting.friction, steps + 1)[:-1]:
        step = _solve(replace(setting, friction=float(mu)), near, load, quick, tell)
        if is_accepted(step, quick):
            near = step.view.state
    tries.append(_solve(setting, near, load, options, tell))
    return _total(tries) if is_accepted(tries[-1], options) else tries[-2]


def is_accepted(done: Increment, options: PressOptions) -> bool:
    """Return whether an increment is accurate enough to be returned."""
    natural, balance = allowed(options, done.view.floor)
    return done.residual <= natural and done.imbalance <= balance


def allowed(options: PressOptions, floor: float) -> tuple[float, float]:
    """Return the largest natural map and imbalance of an accepted result; `floor`: round-off."""
    return SLACK * max(options.tolerance, floor), max(BALANCE, options.tolerance)


def _solve(
    setting: PressSetting,
    near: PressState,
    load: PressLoad,
    options: PressOptions,
    tell: Callable[[float], None] | None,
) -> Increment:
    if isinstance(load, Wrench):
        control = IncrementControl(wrench=load.vector, free=setting.free)
        return solve_increment(setting, near, control, options, tell)
    rotation, place = place_foot(setting.sole, setting.ground, load.vector)
    held = PressState(forces=near.forces, rotation=rotation, place=place, start=near.start)
    return solve_increment(setting, held, IncrementControl(), options, tell)


def _total(tries: list[Increment]) -> Increment:
    """Return the last try with the summed work of all tries."""
    work = {name: sum(getattr(t, name) for t in tries) for name in ("outer", "sweeps", "newton")}
    return replace(tries[-1], **work)


def press(
    sole: CondensedSole,
    load: PressLoad | Sequence[PressLoad],
    ground: Ground | None = None,
    friction: float = FRICTION,
    *,
    increments: int = 1,
    options: PressOptions | None = None,
    start: PressResult | None = None,
    check: bool = True,
    progress: SolveProgress | None = None,
    each: Callable[[PressResult], None] | None = None,
) -> PressResult:
    """Press a sole on the ground and return the state of rest.

    Parameters
    ----------
    sole : the condensed sole.
    load : a `Wrench`, a `RigidMotion`, or a path of them, one per increment.
    ground : default the plane z = 0.
    friction : Coulomb's mu >= 0, on every node.
    increments : equal parts of a single load; a path has its own.
    options : numerical options.
    start : a similar result whose forces and pose start the iteration (not the history).
    check : raise on failure; if False, return the best iterate, see its `certificate`.
    progress : called as (increment, increments, residual) after every outer iteration and Newton
        step; what it raises ends the press.
    each : called with the result of every increment, the last one included.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    ConvergenceError
        The result failed its own certificate; `best` holds it.
    """
    options = PressOptions() if options is None else options
    plan = prepare_press(sole, load, ground, friction, increments, check)
    setting, path, state = plan.setting, plan.path, plan.start
    guess: PressState | None = None
    if start is not None and len(path) == 1 and start.contact_forces.size == state.forces.size:
        s = start.view.state
        guess = replace(s, start=state.start)
    outer = sweeps = newton = 0
    for number, step in enumerate(path):
        tell = None if progress is None else partial(progress, number + 1, len(path))
        done = solve_load(setting, state, step, options, guess, tell)
        outer, sweeps, newton = outer + done.outer, sweeps + done.sweeps, newton + done.newton
        if check and not is_accepted(done, options):
            near = refuse_beyond_limit(setting, state, plan.whole or step, done, options, tell)
            if near is not None and step == (plan.whole or step):
                done = _solve(setting, near, step, options, tell)
        if check and not is_accepted(done, options):
            raise ConvergenceError(
                f"the press did not converge: residual {done.error:.1e} after {done.outer} "
                f"iterations, asked for {options.tolerance:.1e}; "
                f"{advice_for(setting, step, len(path), options.seed)}",
                best=_result(sole, setting, path, done.view, outer, sweeps, newton, options),
            )
        view = done.view
        if each is not None:
            reached = path[: number + 1]
            each(
                _result(sole, setting, reached, view, done.outer, done.sweeps, done.newton, options)
            )
        state = replace(view.state, start=view.world)
    result = _result(sole, setting, path, view, outer, sweeps, newton, options)
    if check:
        certificate, (natural, balance) = result.certificate, allowed(options, view.floor)
        if not (certificate.holds(natural) and certificate.equilibrium <= balance):
            raise ConvergenceError(
                f"the press failed its check: {certificate}; allowed are {natural:.2g} and, of "
                f"equilibrium, {balance:.2g}; "
                f"{advice_for(setting, path[-1], len(path), options.seed)}",
                best=result,
            )
    warn_beyond(result.deformation)
    return result


def advice_for(setting: PressSetting, step: PressLoad, parts: int, seed: int) -> str:
    """Return advice for a press that stalls with `seed` and a load in so many `parts`."""
    if setting.friction == 0:
        return (
            "without friction a node can slide into a crease of the ground, where it has two "
            f"normals: try another order of the nodes (--seed {seed + 1}, "
            f"PressOptions(seed={seed + 1})), a friction of 0.01, or smoother ground"
        )
    if parts >= MANY:
        return (
            "more increments hardly help: the load may be at the limit of what rests; try a little "
            "less of it, a lower friction, or a pose instead of the force (RigidMotion, --pose)"
        )
    more = 2 * parts if parts > 1 else 5
    start = f"try increments={more} (--increments {more}: another history of friction), "
    if isinstance(step, Wrench):
        return start + "a lower friction, or a pose instead of the force (RigidMotion, --pose)"
    return start + "a lower friction, or less sink"


def _result(
    sole: CondensedSole,
    setting: PressSetting,
    path: tuple[PressLoad, ...],
    view: PressView,
    outer: int,
    sweeps: int,
    newton: int,
    options: PressOptions,
) -> PressResult:
    return PressResult(
        sole=sole,
        ground=setting.ground,
        friction=setting.friction,
        path=path,
        contact_forces=view.state.forces.reshape(setting.ground.faces, -1, 3),
        pose=view.state.pose(setting.sole.origin),
        start=view.state.start,
        outer=outer,
        sweeps=sweeps,
        newton=newton,
        seed=options.seed,
        tolerance=options.tolerance,
    )
