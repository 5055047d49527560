"""Claims of the deformable soles' paper that need a robot or a user."""

from __future__ import annotations

from contact.papers.claims.four_papers import CHARDONNET
from sole.claims import Claim

__all__ = ["CHARDONNET_ROBOT_CLAIMS"]

INTERACTION = "interaction with a running simulation"

CHARDONNET_ROBOT_CLAIMS = (
    Claim(
        paper=CHARDONNET,
        name="complexity",
        order=14,
        place="2",
        says="contact forces cost O(n m + m^2) for n bodies and m contacts",
        missing="times over the number of bodies and of contacts, and their fit",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig1",
        order=15,
        place="1, figure 1",
        says="the simulator handles several contacts of hands and feet at once",
        missing=f"{INTERACTION}; scripted contacts of hands are shown in docs/walking.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="touching",
        order=20,
        place="3",
        says="a user touches objects: the force that the haptic device gives acts on them",
        missing=INTERACTION,
    ),
    Claim(
        paper=CHARDONNET,
        name="dragging",
        order=21,
        place="3",
        says="a user drags objects by a spring and damper, and feels the force",
        missing=INTERACTION,
    ),
    Claim(
        paper=CHARDONNET,
        name="fig2",
        order=22,
        place="3, figure 2",
        says="a user and HRP-2 carry an object together",
        missing=INTERACTION,
    ),
    Claim(
        paper=CHARDONNET,
        name="sole_in_control",
        order=60,
        place="6",
        says="a control law shall use the dynamic equations with the soles",
        missing="control with the sole's model in the dynamics",
    ),
    Claim(
        paper=CHARDONNET,
        name="forces_per_body",
        order=61,
        place="6",
        says="computing forces per body instead of per point shall reduce the cost",
        missing="contact forces per body",
    ),
)
