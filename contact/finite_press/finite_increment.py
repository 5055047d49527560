"""One implicit increment of a press at finite strain: Newton on the sole, exact contact inside.

    F(u) = f on the tread, 0 inside;  f in Coulomb's law with the ground, G' f = w at deformed arms

Each iteration condenses the tangent, solves the contact problem of the affine sole by the linear
press, pose included, and moves the inner nodes by the back substitution. The step du is Newton's
direction of E(u) - f . u. It is halved until that potential or the residual |F - f| falls and no
element is inverted.

The tangent K_c turns indefinite where a free surface is compressed below a stretch of about 0.4
(it wrinkles), although the pressed state is stable. Then (1 - b) K + b K+ replaces K, with K+ of
clipped material modes and the least b that is positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from contact.finite_press.affine_sole import AffineSole, affine_sole, undeformed
from contact.press import (
    Increment,
    IncrementControl,
    PressLoad,
    PressOptions,
    PressSetting,
    PressState,
    Wrench,
    divide_load,
    is_accepted,
    place_foot,
    refuse_beyond_limit,
    solve_increment,
    solve_load,
)
from sole.base.arrays import FloatArray, IntArray
from sole.elimination import CondensationError, SymmetricBlocks
from sole.hyperelastic import CondensedTangent, FiniteSole, FiniteState, InvertedElementError

BLENDS = (0.0, 0.03, 0.1, 0.3, 1.0)  # b, the part of the clipped tangent
STILL = 1e-9  # of the thickness: arms that move less are settled
PARTS = (2, 4)  # of a step, for a better first guess
SHORTEST = 1e-3  # part of a step
QUADRATIC = 1e-4  # residual from which one more step of Newton ends: no tangent after it


@dataclass(frozen=True, eq=False, kw_only=True)
class FiniteSetting:
    """The constants of a press at finite strain.

    Parameters
    ----------
    sole : the hyperelastic sole.
    rest : the press of the same sole undeformed, without its law.
    options : of the contact solver inside.
    tolerance : on |F(u) - f| / |f|.
    max_newton : iterations on the sole.
    """

    sole: FiniteSole
    rest: PressSetting
    options: PressOptions
    tolerance: float = 1e-8
    max_newton: int = 30

    @property
    def arms(self) -> FloatArray:
        """(m, 3) undeformed tread nodes from the projected origin [m]."""
        return self.rest.arms


@dataclass(frozen=True, eq=False, kw_only=True)
class FiniteIncrement:
    """The end of an increment: `u` (n, 3) of the free nodes, forces and pose of the foot.

    `internal` is |F(u) - f|/|f|, `floor` the round-off of the natural map; `clipped` counts the
    iterations with a clipped tangent.
    """

    u: FloatArray
    press: PressState
    energy: float
    internal: float
    rho: float
    floor: float
    newton: int
    clipped: int
    converged: bool


def solve_finite_increment(
    setting: FiniteSetting,
    u: FloatArray,
    state: PressState,
    path: tuple[PressLoad, ...],
    whole: PressLoad,
    tell: Callable[[float], None] | None = None,
) -> FiniteIncrement:
    """Solve from u and `state`, at rest, to the last load of `path`.

    Where Newton from there fails, parts of the step give a better first guess: each solves an
    implicit increment from the same start, so the history of friction stays the same.
    `whole` is what a refusal is about; `tell` is called with the residual of every Newton step.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    """
    load = path[-1]
    done = _newton(setting, u, state, state, load, whole, tell)
    if done.converged or not isinstance(load, Wrench):
        return done
    before = path[-2] if len(path) > 1 else None
    for parts in PARTS:
        near, guess = u, state
        for part in divide_load(load, parts, before if isinstance(before, Wrench) else None):
            step = _newton(setting, near, state, guess, part, part, tell)
            if not step.converged:
                break
            near, guess = step.u, step.press
        else:
            return step
    return _newton(setting, u, state, state, load, whole, tell, last=True)


def _newton(
    setting: FiniteSetting,
    u: FloatArray,
    begin: PressState,
    press: PressState,
    load: PressLoad,
    whole: PressLoad,
    tell: Callable[[float], None] | None,
    last: bool = False,
) -> FiniteIncrement:
    """Solve the increment from `begin`; u and `press` are the first guess.

    A tangent without rest is refused only if it is the first one, at the arms of the guess, or in
    the `last` try: the limit of another one says nothing of the sole.
    """
    sole, c = setting.sole, setting.sole.contact
    if not isinstance(load, Wrench):
        rotation, place = place_foot(setting.rest.sole, setting.rest.ground, load.vector)
        press = replace(press, rotation=rotation, place=place)
    now = sole.evaluate(u)
    share, clipped, internal, rho, newton = 0.0, 0, np.inf, 1.0, 0
    converged, floor = False, 0.0
    while newton < setting.max_newton and not converged:
        newton += 1
        tangent, share = _positive_tangent(sole, now, share)
        clipped += share > 0
        rho = len(tangent.compliance) / float(np.trace(tangent.compliance))
        affine = affine_sole(undeformed(sole), now.u[c], tangent)
        search = "always" if last else "first" if newton == 1 else "never"
        done = _solve_contact(setting, affine, press, begin, load, whole, search)
        if not (last or is_accepted(done, setting.options)) and isinstance(load, Wrench):
            break
        press = done.view.state
        u_c = done.view.local - setting.arms
        step = tangent.step(u_c - now.u[c])
        final = internal < QUADRATIC
        now, part = _line_search(sole, now, step, done.view.nodal, tangent=not final)
        size = float(np.linalg.norm(done.view.nodal)) or 1.0
        internal = _residual(now, c, done.view.nodal) / size
        if tell is not None:
            tell(internal)
        if not np.isfinite(internal):
            break
        floor = done.view.floor
        accepted = is_accepted(done, setting.options)
        converged = part == 1.0 and internal < setting.tolerance and accepted
    return FiniteIncrement(
        u=now.u,
        press=press,
        energy=now.energy,
        internal=internal,
        rho=rho,
        floor=floor,
        newton=newton,
        clipped=clipped,
        converged=converged,
    )


def _positive_tangent(
    sole: FiniteSole, now: FiniteState, share: float
) -> tuple[CondensedTangent, float]:
    """Return the condensed (1 - b) K + b K+ and b; `share`, the last b, bounds it from below."""
    K = now.tangent or sole.evaluate(now.u).tangent
    assert K is not None
    clipped: SymmetricBlocks | None = None
    for b in BLENDS:
        if b < share / 4:
            continue
        mixed = K
        if b > 0:
            clipped = clipped or sole.evaluate(now.u, positive=True).tangent
            assert clipped is not None
            blocks = (1 - b) * K.blocks + b * clipped.blocks
            mixed = SymmetricBlocks(K.indptr, K.indices, blocks)
        try:
            return sole.condense(mixed), b
        except CondensationError:
            if b == BLENDS[-1]:
                raise
    raise AssertionError


def _solve_contact(
    setting: FiniteSetting,
    affine: AffineSole,
    press: PressState,
    begin: PressState,
    load: PressLoad,
    whole: PressLoad,
    search: str,
) -> Increment:
    """Solve the press of an affine sole; repeat while the arms move with the nodes.

    `search` "always", or "first", before the arms moved, or "never": when to look for the limit
    load of a press that failed, and to raise it.
    """
    options = setting.options
    while True:
        linear = replace(setting.rest, sole=affine)
        if not isinstance(load, Wrench):
            return solve_increment(linear, press, IncrementControl(), options)
        done = solve_load(linear, begin, load, options, guess=press)
        if not is_accepted(done, options):
            if search == "never":
                return done
            near = refuse_beyond_limit(linear, begin, whole, done, options)
            return done if near is None else solve_load(linear, near, load, options)
        search = "never" if search == "first" else search
        press, local = done.view.state, done.view.local
        moved = float(np.abs(local - affine.arms).max())
        if moved < STILL * affine.thickness:
            return done
        affine = replace(affine, arms=local.copy())


def _line_search(
    sole: FiniteSole, now: FiniteState, step: FloatArray, force: FloatArray, tangent: bool
) -> tuple[FiniteState, float]:
    """Return the state after the longest part of `step` that is accepted, and that part.

    `tangent` : whether the state is to have its tangent.
    """
    c, part = sole.contact, 1.0
    work = float((force * step[c]).sum())
    slope = float((now.residual * step).sum()) - work
    first = _residual(now, c, force)
    while True:
        try:
            new = sole.evaluate(now.u + part * step, tangent)
        except InvertedElementError:
            if part < SHORTEST**2:
                raise
        else:
            rise = new.energy - now.energy - part * work
            # The energy of tiny strains is round-off: a falling residual is as good.
            falls = _residual(new, c, force) <= (1 - part / 2) * first
            if rise <= 1e-4 * part * slope or falls or part < SHORTEST:
                return new, part
        part /= 2


def _residual(now: FiniteState, contact: IntArray, force: FloatArray) -> float:
    """|F(u) - f| over all free nodes [N]."""
    error = now.residual.copy()
    error[contact] -= force
    return float(np.linalg.norm(error))
