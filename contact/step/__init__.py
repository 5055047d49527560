"""One implicit time step of feet on compliant soles, with an account of its energy."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.step.bodies import Bodies, Body, SeveralGrounds
    from contact.step.compliant_step import CLOSED, CompliantStep, ContactStep, StepWay
    from contact.step.end_kernels import (
        advance_contacts,
        list_missed_contacts,
        sum_contact_work,
        sum_nodal_forces,
    )
    from contact.step.energy import ROUND_OFF, StepEnergy
    from contact.step.look_kernels import (
        BELOW,
        SAME,
        align_forces,
        fill_contact_frames,
        fill_rigid_geometry,
        keep_outside,
        place_nodes,
    )
    from contact.step.options import StepOptions
    from contact.step.pose_kernels import PosedArrays, pose_problem
    from contact.step.select_kernels import select_contacts
    from contact.step.sole_state import SoleState, StickMemory
    from contact.step.step_arrays import (
        BodyArrays,
        ContactArrays,
        MemoryArrays,
        NearArrays,
        NodeArrays,
        StepMotion,
    )
    from contact.step.step_frame import SHALLOW, SPEED_SLACK, StepFrame, look_at_ground, look_near
    from contact.step.step_results import ContactLaws, StepResult
    from contact.step.step_solver import AGAIN, HELD, PATIENCE
else:
    # Later: at once, `sole info PRESS` would import 44 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "AGAIN",
    "BELOW",
    "CLOSED",
    "HELD",
    "PATIENCE",
    "ROUND_OFF",
    "SAME",
    "SHALLOW",
    "SPEED_SLACK",
    "Bodies",
    "Body",
    "BodyArrays",
    "CompliantStep",
    "ContactArrays",
    "ContactLaws",
    "ContactStep",
    "MemoryArrays",
    "NearArrays",
    "NodeArrays",
    "PosedArrays",
    "SeveralGrounds",
    "SoleState",
    "StepEnergy",
    "StepFrame",
    "StepMotion",
    "StepOptions",
    "StepResult",
    "StepWay",
    "StickMemory",
    "advance_contacts",
    "align_forces",
    "fill_contact_frames",
    "fill_rigid_geometry",
    "keep_outside",
    "list_missed_contacts",
    "look_at_ground",
    "look_near",
    "place_nodes",
    "pose_problem",
    "select_contacts",
    "sum_contact_work",
    "sum_nodal_forces",
]
