"""The contact wrench cone of rigid feet: closed form, polygons, circular friction, yaw."""

from contact.wrench_cone.circular_cone import CircularCone
from contact.wrench_cone.cone_kernels import LEAST_LOAD, UNLOADED
from contact.wrench_cone.facet_words import UNLOADED_WORDS, flat_words
from contact.wrench_cone.friction_pyramids import checked_contacts, checked_friction
from contact.wrench_cone.polyhedral_cone import WrenchCone
from contact.wrench_cone.rectangle import (
    checked_halves,
    rectangle_corners,
    rectangle_holds_wrench,
    rectangle_margin,
    rectangle_yaw_torque,
)
from contact.wrench_cone.support_hull import Hull
from contact.wrench_cone.yaw_interval import YawTorque

__all__ = [
    "LEAST_LOAD",
    "UNLOADED",
    "UNLOADED_WORDS",
    "CircularCone",
    "Hull",
    "WrenchCone",
    "YawTorque",
    "checked_contacts",
    "checked_friction",
    "checked_halves",
    "flat_words",
    "rectangle_corners",
    "rectangle_holds_wrench",
    "rectangle_margin",
    "rectangle_yaw_torque",
]
