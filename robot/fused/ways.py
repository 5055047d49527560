"""Where the fast forms of a simulator are chosen: its contact steps, and whole steps in one call.

`FusedStep` checks its case in every step and returns None where it does not hold; the general way
of `robot.simulator.simulator` makes that step. A walk also receives `TickBlocks`, many ticks in one
call, and `BufferSenses` (`robot.walk.assembly`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contact.ground import Ground
from contact.papers.penalty import PenaltyLaw
from contact.step import StepOptions
from contact.swept_step import FAST_WAYS
from robot.fused.fused_step import FusedStep
from robot.simulator import Coupling, Servo, Simulator, Stops, Touching

if TYPE_CHECKING:
    import pinocchio as pin


def fast_simulator(
    model: pin.Model,
    touching: Sequence[Touching],
    ground: Ground,
    servo: Servo,
    options: StepOptions | None = None,
    *,
    stops: Stops | None = None,
    couplings: Sequence[Coupling] = (),
    penalty: PenaltyLaw | None = None,
) -> Simulator:
    """Return a simulator with all fast forms, as walks use it.

    Arguments and errors as for `robot.simulator.Simulator`.
    """
    return Simulator(
        model,
        touching,
        ground,
        servo,
        StepOptions() if options is None else options,
        stops,
        couplings,
        penalty,
        FAST_WAYS,
        FusedStep.of,
    )
