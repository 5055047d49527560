"""Plans that several walks share: rows of a study differ in their soles more than in their gaits.

With a plan its feed-forward is shared too (`robot.control.plan_table`).
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from robot.gait import WalkPlan
from robot.soles import FeetOnSoles
from robot.walk.scenario import Scenario

KEPT = 4


class KnownPlans:
    """The last few plans, found by all that they follow from."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, WalkPlan] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        return KnownPlans, ()

    def of(
        self,
        scenario: Scenario,
        feet: FeetOnSoles,
        plan_of: Callable[[Scenario, FeetOnSoles], WalkPlan],
    ) -> WalkPlan:
        """Return the plan of a scenario's gait on these feet, made by `plan_of` if it is new."""
        s, robot = scenario, feet.robot
        if s.plan.follows or s.retime is not None:  # changed by the walk, or made for the soles
            return plan_of(s, feet)
        # The model has the mass of the soles: nothing of it may differ.
        parts = (
            s.robot, s.urdf, s.gait, s.plan, s.start.foothold, s.control.period,
            feet.thicknesses, feet.edges, robot.model.saveToString(),
        )  # fmt: skip
        key = pickle.dumps(parts)
        if key not in self._known:
            self._known[key] = plan_of(s, feet)
        self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return self._known[key]
