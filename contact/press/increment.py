"""One implicit increment of a press: Gauss-Seidel on linearised contacts, exact geometry outside.

In load control the pose follows by the proximal point method: with S = (alpha K_6)^-1, a
small part of the foot's stiffness, the motion of the foot is

    delta = S (G' f - w),    W = P (C + G S G') P',

whose fixed points are exactly the states of rest, G' f = w. Every outer iteration solves this
cone problem by Gauss-Seidel, moves the foot, and evaluates gaps and normals anew. Once the
contacts have settled, a few Newton steps give the last digits (`contact.press.press_newton`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from contact.press.press_newton import newton_step
from contact.press.press_state import PressSetting, PressState, PressView
from contact.problem import Problem, SoleDelassus
from contact.solvers import GaussSeidel
from sole.base.arrays import BoolArray, FloatArray
from sole.base.checks import LARGEST_SEED, check_seed, check_tolerance


@dataclass(frozen=True, eq=False, kw_only=True)
class IncrementControl:
    """How the foot is driven: held (`wrench` None), loaded, or pushed along `direction`.

    `free` (6,) names the motions of the foot (sole frame) that follow the load; the others are
    held: without friction nothing but a guide can stop the foot along the ground.
    Loads are in the axes of the ground's frame and keep their direction while the foot tilts.
    With `direction` w1 (6,) the load is wrench + lam w1 with lam unknown, and the work-conjugate
    motion w1 . s has the given `amount` [J] instead: this passes through a limit load.
    """

    wrench: FloatArray | None = None
    direction: FloatArray | None = None
    amount: float = 0.0
    free: BoolArray = field(default_factory=lambda: np.ones(6, dtype=bool))


@dataclass(frozen=True, kw_only=True)
class PressOptions:
    """Numerical options of a press.

    Parameters
    ----------
    tolerance : on natural map and equilibrium, both relative. Where the iteration stalls, a
        natural map up to 100 times it (`contact.press.SLACK`) and an imbalance up to
        1e-9 are accepted; `PressResult.certificate` and the report say so.
    max_outer : outer iterations; up to ten times as many while the residual falls.
    max_sweeps : Gauss-Seidel sweeps per outer iteration.
    relaxation, seed : of Gauss-Seidel.
    polish : allow Newton steps; without them Gauss-Seidel alone.
    """

    tolerance: float = 1e-10
    max_outer: int = 80
    max_sweeps: int = 200
    relaxation: float = 1.15
    seed: int = 1
    polish: bool = True

    def __post_init__(self) -> None:
        check_tolerance("tolerance", self.tolerance)
        check_seed("seed", self.seed, least=-LARGEST_SEED)


@dataclass(frozen=True, eq=False, kw_only=True)
class Increment:
    """The end of an increment: its residuals, and `factor`, the lam of a driven one.

    `ran_away` is "tips" or "slides" if the foot moved too far, else empty.
    """

    view: PressView
    residual: float
    imbalance: float
    outer: int
    sweeps: int
    newton: int
    factor: float
    ran_away: str

    @property
    def error(self) -> float:
        """The larger residual."""
        return max(self.residual, self.imbalance)


ALPHA = 0.05  # fraction of the foot's stiffness in the proximal term
ALPHA_MIN = 1e-5
INNER = 0.05  # residual asked of Gauss-Seidel / residual before it
TURN = 0.08  # largest turn of the foot in one outer iteration [rad]
NEWTON_BASIN = 0.1  # residual from which Newton steps are tried
BALANCE_FLOOR = 1e-14  # round-off of the equilibrium, relative


def solve_increment(
    setting: PressSetting,
    state: PressState,
    control: IncrementControl,
    options: PressOptions,
    tell: Callable[[float], None] | None = None,
) -> Increment:
    """Solve one increment from `state`, whose `start` and held pose are already set.

    `tell` is called with the residual of every outer iteration and Newton step.
    """
    view = best = PressView(setting, state)
    alpha, factor, motion = ALPHA, 0.0, 0.0
    least = before = (np.inf, np.inf)
    previous = np.inf
    sweeps = newton = outer = 0
    ran_away = ""
    patience = max(1, options.max_outer // 4)
    for outer in range(10 * options.max_outer):
        late = outer - options.max_outer
        if late >= -patience and late % patience == 0:
            if late >= 0 and not max(least) < 0.5 * max(before):
                outer -= 1
                break
            before = least
        errors = _errors(view, control, factor, motion)
        if tell is not None:
            tell(max(errors))
        polish = options.polish and outer > 0 and control.direction is None
        if polish and max(errors) < NEWTON_BASIN and not _settled(view, errors, options):
            view, errors, steps = _polish(view, control, errors, options, tell)
            newton += steps
        settled = _settled(view, errors, options)
        if settled or max(errors) <= max(least):
            best, least = view, errors
        if settled:
            break
        error = max(errors)
        if error > 0.4 * previous:
            alpha = max(alpha * 0.25, ALPHA_MIN)
        previous = error
        load = None if control.wrench is None else view.load(control.wrench)
        along = None if control.direction is None else view.load(control.direction)
        support = _support(setting, control, alpha, along, motion)
        problem = _linearised(view, load, support)
        # The residual is scaled by the motion of loaded nodes, at first by the penetration, and
        # not by q, which contains the gaps of distant nodes.
        wanted = max(INNER * min(error, 1.0), 0.05 * options.tolerance)
        size = float(np.linalg.norm(problem.offset)) or 1.0
        inside = float(np.linalg.norm(np.minimum(problem.offset[:, 2], 0.0)))
        solver = GaussSeidel(
            tolerance=wanted * min(1.0, (view.scale or inside) / size),
            max_sweeps=options.max_sweeps,
            relaxation=options.relaxation,
            wait=0.0,  # where the answer is not unique, waiting leads to worse ones
            seed=options.seed + outer,
        )
        solution = solver.solve(problem, view.reactions)
        sweeps += solution.sweeps
        forces = np.einsum("kab,ka->kb", view.frames, solution.reactions)
        rotation, place = view.state.rotation, view.state.place
        if load is not None:
            nodal = forces.reshape(-1, 3 * len(setting.arms)).sum(axis=0)
            excess = setting.sole.geometry.T @ nodal - load
            delta = support.matrix @ excess + support.drift
            factor = float(support.gain @ excess) - support.shift
            shrink = min(1.0, TURN / _size(delta[3:]), setting.length / _size(delta[:3]))
            if shrink < 1.0:
                alpha, previous = min(2 * alpha, ALPHA), np.inf
            delta = shrink * delta
            if along is not None:
                motion += float(along @ delta)
            rotation, place = view.state.moved(delta)
            if along is None:
                ran_away = _ran_away(setting, state, rotation, place)
            if ran_away:
                break
        view = PressView(
            setting, PressState(forces=forces, rotation=rotation, place=place, start=state.start)
        )
    return Increment(
        view=best,
        residual=least[0],
        imbalance=least[1],
        outer=outer + 1,
        sweeps=sweeps,
        newton=newton,
        factor=factor,
        ran_away=ran_away,
    )


@dataclass(frozen=True, eq=False)
class _Support:
    """delta = matrix (G'f - w) + drift;  lam = gain . (G'f - w) - shift."""

    matrix: FloatArray
    drift: FloatArray
    gain: FloatArray
    shift: float


def _support(
    setting: PressSetting,
    control: IncrementControl,
    alpha: float,
    w1: FloatArray | None,
    motion: float,
) -> _Support:
    """Return the proximal support of the foot in this outer iteration.

    Driven along w1, delta = S (G'f - w - lam w1) with w1 . delta = rest fixes
    lam = (w1' S (G'f - w) - rest) / (w1' S w1).
    """
    zero = np.zeros(6)
    if control.wrench is None:
        return _Support(np.zeros((6, 6)), zero, zero, 0.0)
    S = np.zeros((6, 6))
    free = np.ix_(control.free, control.free)
    S[free] = np.linalg.inv(alpha * setting.sole.foot_stiffness[free])
    S = (S + S.T) / 2
    if w1 is None:
        return _Support(S, zero, zero, 0.0)
    rest = control.amount - motion
    gain = S @ w1 / float(w1 @ S @ w1)
    return _Support(S - np.outer(gain, S @ w1), gain * rest, gain, rest / float(w1 @ S @ w1))


def _linearised(view: PressView, load: FloatArray | None, support: _Support) -> Problem:
    """Contact problem for the new forces with the geometry of `view`; `load` in the sole frame.

    velocity(f') = velocity + P (C (f' - f) + G delta(f')).
    """
    setting, G = view.setting, view.setting.sole.geometry
    constant = -view.displacement
    if load is not None:
        motion = support.drift - support.matrix @ load
        constant = constant + (G @ motion).reshape(-1, 3)
    offset = view.velocity + np.einsum("kab,kb->ka", view.frames, constant[setting.node])
    operator = SoleDelassus(
        compliances=setting.compliances,
        scale=np.ones(1),
        node=setting.node,
        frames=view.frames,
        geometry=G,
        support=support.matrix,
    )
    return Problem(operator, offset, np.asarray(setting.friction))


def _errors(
    view: PressView, control: IncrementControl, factor: float, motion: float
) -> tuple[float, float]:
    """(residual, imbalance) of a state under its control; infinite if not finite."""
    wrench = control.wrench
    if wrench is not None and control.direction is not None:
        wrench = wrench + factor * control.direction
    balance = view.imbalance(wrench, control.free)
    if control.direction is not None:
        balance = max(balance, abs(motion / control.amount - 1))
    finite = np.isfinite(view.residual) and np.isfinite(balance)
    return (view.residual, balance) if finite else (np.inf, np.inf)


def _settled(view: PressView, errors: tuple[float, float], options: PressOptions) -> bool:
    """Return whether both errors are small enough; the residual has a floor of round-off."""
    residual, balance = errors
    return residual <= max(options.tolerance, view.floor) and balance <= max(
        options.tolerance, BALANCE_FLOOR
    )


def _polish(
    view: PressView,
    control: IncrementControl,
    errors: tuple[float, float],
    options: PressOptions,
    tell: Callable[[float], None] | None,
) -> tuple[PressView, tuple[float, float], int]:
    """Take Newton steps while each at least halves the error."""
    steps = 0
    while steps < 12 and not _settled(view, errors, options):
        state = newton_step(view, control.wrench, control.free)
        steps += 1
        if state is None:
            break
        trial = PressView(view.setting, state)
        reached = _errors(trial, control, 0.0, 0.0)
        # A step that throws the foot far away is no progress: residuals are relative to |q|.
        thrown = max(1.0, trial.scale / view.scale)
        if not (thrown * max(reached) < 0.5 * max(errors) or _settled(trial, reached, options)):
            break
        view, errors = trial, reached
        if tell is not None:
            tell(max(errors))
    return view, errors, steps


def _ran_away(
    setting: PressSetting, start: PressState, rotation: FloatArray, place: FloatArray
) -> str:
    """Return "tips" or "slides" if the foot turned by 60 degrees or moved its length, else ''."""
    if float(np.trace(rotation.T @ start.rotation)) < 2.0:
        upright = float(rotation[:, 2] @ start.rotation[:, 2])
        return "tips" if upright < 0.75 else "slides"  # or turned about the normal
    return "slides" if float(np.linalg.norm(place - start.place)) > 2 * setting.length else ""


def _size(vector: FloatArray) -> float:
    return float(np.abs(vector).max()) + 1e-300
