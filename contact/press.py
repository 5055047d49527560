"""The press test: a rigid foot on a compliant sole is pressed on the ground.

Exact Signorini and Coulomb at every tread vertex, in the deformed position; moments are taken
at the undeformed points (small displacements), so that sum f and sum x cross f are the wrench.
Friction depends on the path: the default is one proportional implicit increment from the
unstressed, unslipped reference configuration, in which the undeformed sole, parallel to the
ground's frame, just touches. Within an increment the tangential law acts on the displacement
of the deformed node since the increment began.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from contact.ground import Ground, Plane
from contact.pressing.approach import BALANCE, SLACK, accepted, solve_load
from contact.pressing.equilibrium import check_load, explain
from contact.pressing.first_touch import motion_of, reference
from contact.pressing.increment import Options
from contact.pressing.load import Load, Motion, Wrench, divided
from contact.pressing.result import PressResult
from contact.pressing.state import Setting, State, View
from contact.solvers.waiting import Progress
from sole.condense import CondensedSole
from sole.errors import ConfigError, ConvergenceError

__all__ = ["Motion", "PressResult", "Wrench", "motion_of", "press", "reference"]

ROUGHEST = 1e4  # friction beyond this is no number of a material
SMOOTHEST = 1e-9  # friction below this is none


def press(
    sole: CondensedSole,
    load: Load | Sequence[Load],
    ground: Ground | None = None,
    friction: float = 0.7,
    *,
    increments: int = 1,
    options: Options | None = None,
    start: PressResult | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> PressResult:
    """Press a sole on the ground and return the state of rest.

    Parameters
    ----------
    sole : the condensed sole.
    load : a `Wrench`, a `Motion`, or a path of them, one per increment.
    ground : default the plane z = 0.
    friction : Coulomb's mu >= 0, on every node.
    increments : equal parts of a single load; a path has its own.
    options : numerical options.
    start : a similar result whose forces and pose start the iteration (not the history).
    check : raise on failure; otherwise the best iterate comes back, see its `certificate`.
    progress : called as (increment, increments, residual) after every outer iteration.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    ConvergenceError
        The result failed its own certificate; `best` holds it.
    """
    ground = Plane() if ground is None else ground
    options = Options() if options is None else options
    if not 0 <= friction <= ROUGHEST:
        raise ConfigError(
            f"friction must be finite and not negative, at most {ROUGHEST:g}, got {friction:g}"
        )
    friction = 0.0 if friction < SMOOTHEST else friction
    path = _path(load, increments)
    setting = Setting(sole=sole, ground=ground, friction=float(friction))
    _check_relief(sole, ground)
    R0, c0 = reference(sole, ground)
    at_rest = setting.arms @ R0.T + c0
    state = State(forces=np.zeros((len(setting.node), 3)), rotation=R0, place=c0, start=at_rest)
    guess: State | None = None
    if start is not None and len(path) == 1 and start.contact_forces.size == state.forces.size:
        s = start.view.state
        guess = State(forces=s.forces, rotation=s.rotation, place=s.place, start=at_rest)
    outer = sweeps = newton = 0
    for number, step in enumerate(path):
        if check:
            check_load(setting, step)
        tell = None if progress is None else partial(progress, number + 1, len(path))
        done = solve_load(setting, state, step, options, guess, tell)
        outer, sweeps, newton = outer + done.outer, sweeps + done.sweeps, newton + done.newton
        if check and not accepted(done, options):
            explain(setting, state, step, done, options)
            raise ConvergenceError(
                f"the press did not converge: residual {done.error:.1e} after {done.outer} outer "
                f"iterations, asked for {options.tolerance:.1e}; {_advice(step, len(path))}",
                best=_result(setting, path, done.view, outer, sweeps, newton, options),
            )
        view = done.view
        s = view.state
        if check and isinstance(step, Motion):
            _check_pose(setting, s)
        state = State(forces=s.forces, rotation=s.rotation, place=s.place, start=view.world)
    result = _result(setting, path, view, outer, sweeps, newton, options)
    if check:
        certificate, natural = result.certificate, SLACK * max(options.tolerance, view.floor)
        balance = max(BALANCE, options.tolerance)
        if not (certificate.holds(natural) and certificate.equilibrium <= balance):
            raise ConvergenceError(
                f"the press failed its check: {certificate}; allowed are {natural:.2g} and, of "
                f"equilibrium, {balance:.2g}; {_advice(path[-1], len(path))}",
                best=result,
            )
    return result


def _check_relief(sole: CondensedSole, ground: Ground) -> None:
    """Refuse ground that rises by more under the sole than the sole is long: a slip of units."""
    arms = sole.points - sole.origin
    heights = ground.height(arms[:, 0], arms[:, 1])
    heights = heights[np.isfinite(heights)]
    rise = float(np.ptp(heights)) if len(heights) else 0.0
    length = float(np.ptp(arms[:, :2], axis=0).max())
    if rise > length:
        raise ConfigError(
            f"the ground rises by {rise:.4g} m under a sole that is {length:.4g} m long: nothing "
            "can stand on that; lengths of a ground are in metres"
        )


def _check_pose(setting: Setting, state: State) -> None:
    """Refuse a pose in which the rigid foot itself would be in the ground."""
    rigid = setting.arms @ state.rotation.T + state.place
    gaps, _ = setting.ground.gaps(rigid, state.start)
    depth, thickness = -float(gaps.min()), setting.sole.thickness
    if depth >= thickness:
        raise ConfigError(
            f"pose: the tread would reach {1e3 * depth:.4g} mm into the ground, but the sole is "
            f"only {1e3 * thickness:.4g} mm thick: the foot itself would be in the ground"
        )


def _path(load: Load | Sequence[Load], increments: int) -> tuple[Load, ...]:
    if isinstance(load, Wrench | Motion):
        return divided(load, increments)
    if increments != 1:
        raise ConfigError(
            f"increments = {increments} goes with a single load; a path has its own: "
            "one load per increment (contact.pressing.load.divided)"
        )
    if not load:
        raise ConfigError("a path needs at least one load")
    return tuple(load)


def _advice(step: Load, parts: int) -> str:
    """Return what may help a press that stalls."""
    more = 2 * parts if parts > 1 else 5
    start = f"try increments={more} (--increments {more}: another history of friction), "
    if isinstance(step, Wrench):
        return start + "a lower friction, or a pose instead of the force (Motion, --pose)"
    return start + "a lower friction, or less sink"


def _result(
    setting: Setting,
    path: tuple[Load, ...],
    view: View,
    outer: int,
    sweeps: int,
    newton: int,
    options: Options,
) -> PressResult:
    R = view.state.rotation
    pose = np.eye(4)
    pose[:3, :3] = R
    pose[:3, 3] = view.state.place - R @ setting.sole.origin
    return PressResult(
        sole=setting.sole,
        ground=setting.ground,
        friction=setting.friction,
        path=path,
        contact_forces=view.state.forces.reshape(setting.ground.faces, -1, 3),
        pose=pose,
        start=view.state.start,
        outer=outer,
        sweeps=sweeps,
        newton=newton,
        seed=options.seed,
        tolerance=options.tolerance,
    )
