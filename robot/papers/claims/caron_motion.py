"""Claims of the wrench cone's paper that need a robot's motion."""

from __future__ import annotations

from contact.papers.claims.four_papers import CARON
from sole.claims import Claim

__all__ = ["CARON_MOTION_CLAIMS"]

RETIMING = "motions retimed to the limit of the wrench cone"

CARON_MOTION_CLAIMS = (
    Claim(
        paper=CARON,
        name="weak_stability",
        order=15,
        place="2.2, definition 1",
        says="a contact is weakly stable if accelerations, torques within limits and wrenches "
        "in their cones exist that keep it fixed",
        missing="inverse dynamics with torque limits, for a posture and along a motion",
    ),
    Claim(
        paper=CARON,
        name="inverse_dynamics",
        order=55,
        place="1, 5",
        says="with the wrench as variable, fast inverse dynamics for variables without redundancy "
        "apply",
        missing=f"inverse dynamics with the wrench as variable ({RETIMING})",
    ),
    Claim(
        paper=CARON,
        name="single_inversion",
        order=56,
        place="1, 5",
        says="in single support time-optimal retiming under the cone boils down to a single matrix "
        "inversion",
        missing=RETIMING,
    ),
    Claim(
        paper=CARON,
        name="fig3",
        order=60,
        place="5, figure 3",
        says="a motion of HRP-4 through eleven postures on a foot, retimed under the cone of 45 % "
        "of the foot",
        printed="7.285 s",
        missing=RETIMING,
    ),
    Claim(
        paper=CARON,
        name="fig4",
        order=61,
        place="5, figure 4",
        says="the motion played as planned, and in 5, 10 and 15 % less time: the foot stays, then "
        "stands on edges, then falls",
        printed="0, -5, -10, -15 %",
        missing=RETIMING,
    ),
    Claim(
        paper=CARON,
        name="safe_yaw_law",
        order=62,
        place="4, 6",
        says="tau_safe is a sensible control law against unwanted yaw of the foot",
        missing="the yaw law in a walk",
    ),
)
