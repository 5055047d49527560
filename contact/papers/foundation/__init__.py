"""The explicit contact model of a foot: lambda_f = U x_f [SygullaEtAl2017].

    lambda_f = (T_x, T_y, F_z)                            wrench of the ground on the foot
    x_f      = (sin alpha_x, sin alpha_y, z_TCP - z_0)    pose of the foot
    U        = -c_A int phi phi' dA,  phi = (y, -x, 1)    equation (8)

about the tool centre point (TCP) in the sole plane, in the foot's frame F: x forward, y left, z up.
The modules of this folder:

    region              rectangles, polygons, pads, triangles, treads, lines, points, their union
    explicit_stiffness  U of springs c_A = E/d per area, with cosines, and pushing only
    sole_stiffness      U of a condensed sole: all of its tread, the nodes in contact, with slip
    inversion           U^-1, for lines and points too, and which motions cannot be controlled
    force_law           equations (14) and (15): the next motion of the foot from a wrench error
    bonded_pads         effective moduli of bonded pads, the E of c_A = E/d

See docs/foot_stiffness.md for examples and for how far E/d is from finite elements.
"""

from contact.papers.foundation.bonded_pads import (
    PadModuli,
    confined_modulus,
    gent_lindley_modulus,
    pad_moduli,
    pad_U,
)
from contact.papers.foundation.explicit_stiffness import Pressed, WinklerFoundation
from contact.papers.foundation.force_law import ForceLaw
from contact.papers.foundation.inversion import (
    Directions,
    directions,
    inverse,
    regularised_inverse,
)
from contact.papers.foundation.region import (
    Region,
    four_pads,
    points_region,
    polygon_region,
    rectangle_region,
    segments_region,
    tread_region,
    triangles_region,
    union_of_regions,
)
from contact.papers.foundation.sole_stiffness import (
    U_of_motions,
    held_stiffness,
    instantaneous_U,
    motion_gradient,
    pressed_U,
    slipping_U,
    sole_U,
    status_of_step,
)

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
    "gent_lindley_modulus",
    "held_stiffness",
    "instantaneous_U",
    "inverse",
    "motion_gradient",
    "pad_U",
    "pad_moduli",
    "points_region",
    "polygon_region",
    "pressed_U",
    "rectangle_region",
    "regularised_inverse",
    "segments_region",
    "slipping_U",
    "sole_U",
    "status_of_step",
    "tread_region",
    "triangles_region",
    "union_of_regions",
]
