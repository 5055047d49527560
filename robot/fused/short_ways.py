"""Where the fast forms of a simulator are chosen: the short ways of its contact step.

A walk also receives `TickBlocks`, many ticks in one call, and `BufferSenses`: see
`robot.walk.assembly`. A whole step in one call of its own was 1.3 times as fast as `Simulator.step`
with the short ways, less than the 1.5 that a second form is worth
(`python benchmarks/fast_forms.py`); a step in one call is a block of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contact.ground import Ground
from contact.papers.penalty import PenaltyLaw
from contact.step import StepOptions
from contact.swept_step import FAST_WAYS
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
    """Return a simulator with the short ways of the contact step, as walks use it.

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
    )
