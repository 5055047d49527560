"""The surroundings of a robot: free boxes, contact points, bushes, its start."""

from robot.scenery.bush import Bush, with_bushes
from robot.scenery.contact_points import Touch, touching_of
from robot.scenery.grip import Grip, with_grips
from robot.scenery.objects import FreeBox, with_boxes
from robot.scenery.start import INSIDE, Start, check_outside, lift_out

__all__ = [
    "INSIDE",
    "Bush",
    "FreeBox",
    "Grip",
    "Start",
    "Touch",
    "check_outside",
    "lift_out",
    "touching_of",
    "with_boxes",
    "with_bushes",
    "with_grips",
]
