"""The explicit contact model of a foot: lambda_f = U x_f [SygullaEtAl2017].

    lambda_f = (T_x, T_y, F_z)                            wrench of the ground on the foot
    x_f      = (sin alpha_x, sin alpha_y, z_TCP - z_0)    pose of the foot
    U        = -c_A int phi phi' dA,  phi = (y, -x, 1)    equation (8)

about the tool centre point (TCP) in the sole plane, in the foot's frame F: x forward, y left, z up.
This module is the front door; how it is done lies in `contact.foundation`:

    region      rectangle, polygon, four_pads, triangles, tread, segments, points, union
    winkler     springs c_A = E/d per area, with cosines, and pushing only (partial contact)
    condensed   U of a condensed sole: all of its tread, or the nodes now in contact
    slipping    the same with nodes that slip under Coulomb friction
    inverse     U^-1, for lines and points too, and which motions cannot be controlled
    force_law   equations (14) and (15): the next motion of the foot from a wrench error
    pads        what to take for E in c_A = E/d: effective moduli of bonded pads

See docs/foot_stiffness.md for examples and for how far E/d is from finite elements.
"""

from contact.foundation.condensed import (
    U_of_motions,
    frictionless,
    held_stiffness,
    instantaneous_U,
    pressed_U,
    sole_U,
    status_of_step,
)
from contact.foundation.force_law import ForceLaw
from contact.foundation.inverse import Directions, directions, inverse, regularised_inverse
from contact.foundation.pads import (
    PadModuli,
    confined_modulus,
    gent_lindley_modulus,
    pad_moduli,
    pad_U,
)
from contact.foundation.region import (
    Region,
    four_pads,
    points,
    polygon,
    rectangle,
    segments,
    tread,
    triangles,
    union,
)
from contact.foundation.slipping import motion_gradient, slipping_U
from contact.foundation.winkler import Pressed, WinklerFoundation

__all__ = [
    "Directions",
    "ForceLaw",
    "PadModuli",
    "Pressed",
    "Region",
    "U_of_motions",
    "WinklerFoundation",
    "confined_modulus",
    "directions",
    "four_pads",
    "frictionless",
    "gent_lindley_modulus",
    "held_stiffness",
    "instantaneous_U",
    "inverse",
    "motion_gradient",
    "pad_U",
    "pad_moduli",
    "points",
    "polygon",
    "pressed_U",
    "rectangle",
    "regularised_inverse",
    "segments",
    "slipping_U",
    "sole_U",
    "status_of_step",
    "tread",
    "triangles",
    "union",
]
