"""The press test of a hyperelastic sole: finite strain, exact Signorini and Coulomb contact.

As `contact.press.press`, with two differences: the elastic forces are those of a hyperelastic law
at the true deformation, and the nodal forces turn the foot at the deformed nodes. Both vanish with
the load. Friction depends on the path in the same way: one implicit increment by default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from contact.constants import FRICTION
from contact.finite_press.affine_sole import undeformed
from contact.finite_press.finite_increment import (
    FiniteIncrement,
    FiniteSetting,
    solve_finite_increment,
)
from contact.finite_press.result import FinitePressResult
from contact.ground import Ground
from contact.press import PressLoad, PressOptions, allowed, prepare_press
from contact.solvers import SolveProgress
from sole.base.errors import ConvergenceError
from sole.elimination import CondensationError
from sole.hyperelastic import FiniteSole, InvertedElementError

SURE = 1e-8  # of the natural map: forces of the last tangent, nodes of the last step


def press_finite(
    sole: FiniteSole,
    load: PressLoad | Sequence[PressLoad],
    ground: Ground | None = None,
    friction: float = FRICTION,
    *,
    increments: int = 1,
    options: PressOptions | None = None,
    progress: SolveProgress | None = None,
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
    progress : called as (increment, increments, residual) after every Newton step on the sole;
        what it raises ends the press.
    each : called with the result of every increment, the last one included.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    ConvergenceError
        An increment did not converge; `best` is the result of the last one that did, if any.
    """
    rest = undeformed(sole)
    plan = prepare_press(rest, load, ground, friction, increments)
    options = PressOptions() if options is None else options
    setting = FiniteSetting(sole=sole, rest=plan.setting, options=options)
    path, state = plan.path, plan.start
    u = np.zeros((sole.nodes, 3))
    best: FinitePressResult | None = None
    newton = clipped = 0
    for number, step in enumerate(path):
        reached = path[: number + 1]
        tell = None if progress is None else partial(progress, number + 1, len(path))
        try:
            done = solve_finite_increment(setting, u, state, reached, plan.whole or step, tell)
        except (InvertedElementError, CondensationError) as error:
            raise _stopped(number, path, best, str(error)) from error
        newton, clipped = newton + done.newton, clipped + done.clipped
        if not done.converged:
            reason = f"residual {done.internal:.1e} after {done.newton} Newton steps"
            raise _stopped(number, path, best, reason)
        result = _result(setting, reached, done, newton, clipped)
        certificate, (natural, balance) = result.certificate, allowed(options, done.floor)
        if not (
            certificate.contact.holds(max(natural, SURE))
            and certificate.contact.equilibrium <= balance
        ):
            raise _stopped(number, path, best, f"it failed its check: {certificate}")
        best = result
        if each is not None:
            each(result)
        u, state = done.u, replace(done.press, start=result.view.world)
    assert best is not None
    return best


def _stopped(
    number: int, path: tuple[PressLoad, ...], best: FinitePressResult | None, reason: str
) -> ConvergenceError:
    """Return the error of increment `number`; it names the last one that converged."""
    if best is None:
        kept = "no increment converged"
    else:
        kept = f"the last one that converged, kept as `best`, is {number} of {len(path)}"
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
    press, rest = done.press, setting.rest
    return FinitePressResult(
        sole=setting.sole,
        ground=rest.ground,
        friction=rest.friction,
        path=path,
        contact_forces=press.forces.reshape(rest.ground.faces, -1, 3),
        pose=press.pose(rest.sole.origin),
        start=press.start,
        u=done.u,
        rho=done.rho,
        newton=newton,
        clipped=clipped,
    )
