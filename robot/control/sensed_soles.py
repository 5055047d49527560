"""How stiff and how viscous soles count where sensors have noise.

The observer (`robot.control.sole_observer`) foresees a wrench by the speed of a foot times
(T + eta) K6. The stiffer and the more viscous the sole, the more it magnifies the noise of speeds.
The limits here are of the noise that `[sensing] kind = "noisy"` has by default: other noise in the
scenario does not move them.
"""

from __future__ import annotations

from robot.soles import FeetOnSoles

STIFFEST = 4e7  # N/m upward of a sole
NOISE_OF_SPEED = 1e-3  # m/s of a foot, as encoders tell it
MISLEADING = 20.0  # N: twenty times the noise of an ankle sensor
FELT = MISLEADING / NOISE_OF_SPEED  # N s/m of (T + eta) K6 upward


def sensed_share(stiffness: float) -> float:
    """Return how much of a stiffness upward [N/m] counts: stiffer soles count as `STIFFEST`."""
    return min(1.0, STIFFEST / stiffness)


def stiffest_of(feet: FeetOnSoles) -> float:
    """Return the larger K6 upward of both soles [N/m]."""
    return max(float(sole.foot_stiffness[2, 2]) for sole in feet.soles)


def felt_eta(stiffness: float, eta: float, period: float) -> float:
    """Return the eta [s] that the observer and the program count on where sensors have noise.

        (T + eta) k <= FELT,      k [N/m] the stiffness upward, T the period [s].

    A speed of a foot that is wrong by n makes the next wrench wrong by (T + eta) k n. Encoders tell
    speeds to about n = 1 mm/s: beyond 20 N, twenty times the noise of an ankle sensor, the viscous
    force that is foreseen misleads. A sole that is more viscous counts as so much viscous, and as
    elastic if T k alone is more. With half of it light feet bounced on soles of 3 MPa and 0.02 s.
    """
    return min(eta, max(0.0, FELT / stiffness - period))
