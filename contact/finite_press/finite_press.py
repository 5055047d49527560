"""The press test of a hyperelastic sole: finite strain, exact Signorini and Coulomb contact.

As `contact.press.press`, with two differences: the elastic forces are those of a hyperelastic law
at the true deformation, and the nodal forces turn the foot at the deformed nodes. Both vanish with
the load. Friction depends on the path in the same way: one implicit increment by default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from contact.constants import FRICTION
from contact.finite_press.affine_sole import undeformed
from contact.finite_press.finite_increment import (
    FiniteIncrement,
    FiniteSetting,
    solve_finite_increment,
)
from contact.finite_press.result import FinitePressResult
from contact.ground import Ground, Plane
from contact.press import (
    BALANCE,
    SLACK,
    PressLoad,
    PressOptions,
    PressState,
    RigidMotion,
    check_load,
    check_pose,
    check_relief,
    find_first_touch,
    grows_evenly,
    path_of,
    place_foot,
    usable_friction,
)
from sole.base.arrays import FloatArray
from sole.base.errors import ConvergenceError
from sole.elimination import CondensationError
from sole.hyperelastic import FiniteSole, InvertedElementError


def press_finite(
    sole: FiniteSole,
    load: PressLoad | Sequence[PressLoad],
    ground: Ground | None = None,
    friction: float = FRICTION,
    *,
    increments: int = 1,
    options: PressOptions | None = None,
    each: Callable[[FinitePressResult], None] | None = None,
) -> FinitePressResult:
    """Press a hyperelastic sole on the ground and return the state of rest.

    Parameters
    ----------
    sole : the hyperelastic sole.
    load : a `Wrench`, a `RigidMotion`, or a path of them, one per increment.
    ground : default the plane z = 0.
    friction : Coulomb's mu >= 0, on every node.
    increments : equal parts of a single load; a path has its own.
    options : of the contact solver inside.
    each : called with the result of every increment, the last one included.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    ConvergenceError
        An increment did not converge; `best` is the result of the last one that did, if any.
    """
    ground = Plane() if ground is None else ground
    friction = usable_friction(friction)
    rest = undeformed(sole)
    setting = FiniteSetting(
        sole=sole,
        rest=rest,
        ground=ground,
        friction=friction,
        options=PressOptions() if options is None else options,
    )
    path = path_of(load, increments)
    check_relief(rest, ground)
    linear = setting.linear(rest)
    whole = path[-1] if grows_evenly(path) else None
    for step in path if whole is None else (whole, *path):
        check_load(linear, step)
    R0, c0 = find_first_touch(rest, ground)
    start = rest.arms @ R0.T + c0
    none = np.zeros((ground.faces * len(start), 3))
    state = PressState(forces=none, rotation=R0, place=c0, start=start)
    for step in path:
        if isinstance(step, RigidMotion):
            rotation, place = place_foot(rest, ground, step.vector)
            check_pose(linear, replace(state, rotation=rotation, place=place))
    u = np.zeros((sole.nodes, 3))
    best: FinitePressResult | None = None
    newton = clipped = 0
    for number, step in enumerate(path):
        try:
            done = solve_finite_increment(setting, u, state, path[: number + 1], whole or step)
        except (InvertedElementError, CondensationError) as error:
            raise _stopped(number, path, best, str(error)) from error
        newton, clipped = newton + done.newton, clipped + done.clipped
        if not done.converged:
            reason = f"residual {done.internal:.1e} after {done.newton} Newton steps"
            raise _stopped(number, path, best, reason)
        result = _result(setting, path[: number + 1], done, newton, clipped)
        certificate, natural = (
            result.certificate,
            SLACK * max(setting.options.tolerance, done.floor),
        )
        sure = max(natural, 1e-8)  # forces of the last tangent, nodes of the last step
        if not (certificate.contact.holds(sure) and certificate.contact.equilibrium <= BALANCE):
            raise _stopped(number, path, best, f"it failed its check: {certificate}")
        best = result
        if each is not None:
            each(result)
        u = done.u
        state = PressState(
            forces=done.press.forces,
            rotation=done.press.rotation,
            place=done.press.place,
            start=_world(setting, done),
        )
    assert best is not None
    return best


def _world(setting: FiniteSetting, done: FiniteIncrement) -> FloatArray:
    """Return the deformed nodes (m, 3) in the world [m]."""
    local = setting.rest.arms + done.u[setting.sole.contact]
    return np.asarray(local @ done.press.rotation.T + done.press.place)


def _stopped(
    number: int, path: tuple[PressLoad, ...], best: FinitePressResult | None, reason: str
) -> ConvergenceError:
    """Return the error of increment `number`; it names the last one that converged."""
    if best is None:
        kept = "no increment converged"
    else:
        kept = f"the last one that converged is {number} of {len(path)}, kept in `best`"
    return ConvergenceError(
        f"the press at finite strain stopped in increment {number + 1} of {len(path)}: {reason}; "
        f"{kept}: try more increments, a smaller load, or a finer mesh",
        best=best,
    )


def _result(
    setting: FiniteSetting,
    path: tuple[PressLoad, ...],
    done: FiniteIncrement,
    newton: int,
    clipped: int,
) -> FinitePressResult:
    press, pose = done.press, np.eye(4)
    pose[:3, :3] = press.rotation
    pose[:3, 3] = press.place - press.rotation @ setting.rest.origin
    return FinitePressResult(
        sole=setting.sole,
        ground=setting.ground,
        friction=setting.friction,
        path=path,
        contact_forces=press.forces.reshape(setting.ground.faces, -1, 3),
        pose=pose,
        start=press.start,
        u=done.u,
        rho=done.rho,
        newton=newton,
        clipped=clipped,
    )
