"""A step of a foot that slips on flat ground, in six numbers instead of three per node.

The wrench of a sole follows K6, less what slips away; friction limits it by the limit surface of
the sole's pressure [GoyalRuinaPapadopoulos1991], along whose normal it slips:

    w+ = w - dt K6 (v+ - E d),      v+ = v_free + dt S6 w+,
    (f_x, f_y, t_z)+ = -f_z+ grad h(d),      h(d) = mu sum a_i |B_i d|,

with the slip d = (d_x, d_y, omega) of the tread, E its place in a twist, and B_i d the slip of node
i. The first two lines give w+ = w_0 + G E d, G = (K6^-1/dt + dt S6)^-1, so three unknowns are left:
the minimum of a convex function for a given load f_z (a return to the yield surface, as in
plasticity).
The shares a_i of the pressure are those of the sole pressed flat, tilted linearly to the centre of
pressure of w+.

It knows nothing of nodes that stick while others slip, nor of a tread that is not flat on the
ground: `FootStep.usable` is False where that would matter, and the nodal step has to be taken. It
does not judge itself beyond that: the nodal step is the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.per_body.slipping_foot_kernels import slip_foot
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.checks import check_positive
from sole.base.errors import SoleError
from sole.condense import CondensedSole

LEAST = 1e-9  # N: a foot with less load hangs


@dataclass(frozen=True, eq=False, kw_only=True)
class FootStep:
    """The end of a step.

    Parameters
    ----------
    wrench : (6,) w+ of the ground on the foot about the tread's centre, axes of the foot [N, N m].
    twist : (6,) v+ of the foot there [m/s, rad/s].
    slip : (3,) d of the tread: x, y [m/s] and about z [rad/s].
    usable : whether the foot slips as a whole and presses with all nodes.
    """

    wrench: FloatArray
    twist: FloatArray
    slip: FloatArray
    usable: bool


class SlippingFoot:
    """A flat sole on flat ground, for steps in which it slips.

    Parameters
    ----------
    sole : its K6, nodes and flat pressure. friction : Coulomb's mu > 0.

    Raises
    ------
    SoleError
        mu is not positive; or the flat sole does not press with all nodes.

    Attributes
    ----------
    points : (m, 2) nodes from the tread's centre [m]. shares : (m,) of the load, all nodes pressed.
    """

    def __init__(self, sole: CondensedSole, friction: float) -> None:
        check_positive("a slipping foot", {"friction": friction})
        m = len(sole.points)
        K = np.asarray(sole.foot_stiffness)
        G = np.asarray(sole.geometry).reshape(m, 3, 6)
        sunk = np.linalg.solve(K, np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
        forces = np.linalg.solve(sole.compliance, G.reshape(-1, 6) @ sunk).reshape(m, 3)
        if not forces[:, 2].min() > 0:
            raise SoleError(
                "a slipping foot presses with all nodes, but node "
                f"{int(np.argmin(forces[:, 2]))} of this sole pulls when it is pressed flat: "
                "take the nodal step"
            )
        self.mu, self.K, self.C = friction, frozen(K), frozen(np.linalg.inv(K))
        self.points = frozen(np.stack([-G[:, 2, 4], G[:, 2, 3]], axis=1))
        self.shares = frozen(forces[:, 2])

    def step(
        self,
        wrench: ArrayLike,
        free_twist: ArrayLike,
        inverse_inertia: ArrayLike,
        dt: float,
        guess: ArrayLike = (0.0, 0.0, 0.0),
    ) -> FootStep:
        """Step from the wrench w (6,), as in `FootStep`.

        Parameters
        ----------
        free_twist : (6,) v_free at the end without contact. inverse_inertia : S6 (6, 6).
        dt : [s] > 0. guess : (3,) slip to start from, e.g. the last one.
        """
        w, v = shaped("wrench", wrench, (6,)), shaped("free_twist", free_twist, (6,))
        S = shaped("inverse_inertia", inverse_inertia, (6, 6))
        check_positive("a slipping foot", {"dt": dt})
        end, d, usable = slip_foot(
            self.points, self.shares, self.mu, self.C, w, v, S, dt, shaped("guess", guess, (3,))
        )
        return FootStep(
            wrench=end, twist=v + dt * S @ end, slip=d, usable=bool(usable) and end[2] > LEAST
        )
