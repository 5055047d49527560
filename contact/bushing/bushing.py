"""The bushing of a sole: springs about the point where pushing does not turn, and its range.

While the whole tread sticks, the foot sees K6. About a point p, T(-p) = [1, p^; 0, 1],

    K_p = T(-p)' K6 T(-p),      coupling K_tr(p) = K_tt p^ + K_tr;

p makes the coupling least (in the norm of K_tt^-1), and the diagonal of K_p is the bushing, damped
by eta times itself. The tread becomes a hard rectangle on the far side of the springs. A soft foot
that is tilted opens little by little while a hard tread tips at once about its edge; half lengths
of the rectangle are those with the least error of the moment at given tilt.

The sole is linear, so its arms are those without load. In an engine the load N moves along with the
foot, h above the tread about the springs, and turns it: N h over the least turning spring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contact.identify import BenchModel
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, EquilibriumError
from sole.condense import CondensedSole

FLAT = 1e-6  # of the thickness: how even a tread must be
SINK = 0.05  # of the thickness: the load up to which a bushing is meant
EDGE = 0.15  # error that is allowed
SHORTEST = 0.45  # half length of the hard tread over that of the tread
# Tilts looked at, in multiples of that at which the hard tread tips:
KNEES = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.8, 2.2, 2.7, 3.3, 4.0])


@dataclass(frozen=True, eq=False, kw_only=True)
class Bushing:
    """Six springs between foot and tread.

    Parameters
    ----------
    name : of the sole.
    center : the point of the springs, in the sole frame (3,) [m].
    stiffness : (6,) along and about x, y, z [N/m, N m/rad]; damping : eta times it [N s/m, N m s].
    full : K6 (6, 6) about `origin`, with couplings.
    origin : the sole's origin on the tread (3,) [m].
    low, high : corners x, y of the hard tread, at the height of `origin` (2,) [m].
    thickness, mass : of the sole [m, kg].
    load : largest normal force meant [N]: it sinks the sole by 5 % of its thickness.
    tilt : (2,) largest tilts about x and y at that load [rad] whose moment errs by 15 % at most;
        they go with the load.
    stuck_error : largest error of a motion of the stuck foot under a force or moment along an axis.
    load_error : what comes on top at `load`, and goes with the load: engines turn its arms.
    edge_error : (2,) largest error of the moment about x and y up to `tilt`.
    """

    name: str
    center: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    full: FloatArray
    origin: FloatArray
    low: FloatArray
    high: FloatArray
    thickness: float
    mass: float
    load: float
    tilt: FloatArray
    stuck_error: float
    load_error: float
    edge_error: FloatArray

    def __post_init__(self) -> None:
        arrays = "center", "stiffness", "damping", "full", "origin", "low", "high", "tilt"
        for name in (*arrays, "edge_error"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def require(self, load: float | None = None, tilt: float | None = None) -> None:
        """Refuse a load [N] or a tilt [rad] outside of the range.

        Raises
        ------
        ConfigError
            Names the limit. The tilt is that under `load`, by default the largest.
        """
        if load is not None and not 0 < load <= self.load:
            raise ConfigError(
                f"{load:.4g} N is outside the range of this bushing, up to {self.load:.4g} N "
                f"({SINK:.0%} of the thickness): take a stiffer sole, or the condensed one itself"
            )
        share = 1.0 if load is None else load / self.load
        most = share * float(self.tilt.min())
        if tilt is not None and not abs(tilt) <= most:
            raise ConfigError(
                f"a tilt of {np.degrees(tilt):.3g} degrees is outside the range of this bushing, "
                f"up to {np.degrees(most):.3g} degrees under this load: its moment would err by "
                f"more than {EDGE:.0%}"
            )


def fit_bushing(sole: CondensedSole, eta: float = 0.0) -> Bushing:
    """Fit the bushing of a sole with a flat tread; `eta` [s] is the Kelvin-Voigt time.

    Raises
    ------
    ConfigError
        An uneven tread, which no single bushing describes, or a negative eta.
    """
    if not 0 <= eta < np.inf:
        raise ConfigError(f"eta must be finite and not negative, got {eta:g} s")
    uneven = float(np.ptp(sole.points[:, 2]))
    if uneven > FLAT * sole.thickness:
        raise ConfigError(
            f"the tread of '{sole.mesh.name}' is uneven by {1e3 * uneven:.3g} mm: its stiffness "
            "grows with the load, which six springs cannot. Use the condensed sole (robot.bridge)"
        )
    K = sole.foot_stiffness
    p = elastic_center(K)
    k = np.diag(moved_stiffness(K, p)).copy()
    load = SINK * sole.thickness * float(K[2, 2])
    corners = sole.points[:, :2].min(axis=0), sole.points[:, :2].max(axis=0)
    middle, half = (corners[0] + corners[1]) / 2, (corners[1] - corners[0]) / 2
    tilt, error, reach = np.empty(2), np.empty(2), np.empty(2)
    for axis in (0, 1):  # turns about x tip over y, and the other way round
        reach[1 - axis], tilt[axis], error[axis] = _edge(sole, axis, half[1 - axis], k, load)
    return Bushing(
        name=sole.mesh.name,
        center=sole.origin + p,
        stiffness=k,
        damping=eta * k,
        full=K,
        origin=sole.origin,
        low=middle - reach,
        high=middle + reach,
        thickness=sole.thickness,
        mass=sole.inertia.mass,
        load=load,
        tilt=tilt,
        stuck_error=stuck_error(K, p, k),
        load_error=load * abs(float(p[2])) / float(k[3:5].min()),
        edge_error=error,
    )


def moved_stiffness(K: FloatArray, p: FloatArray) -> FloatArray:
    """Return T(-p)' K T(-p) (6, 6): the stiffness about a point p away."""
    T = np.eye(6)
    T[:3, 3:] = _cross(p)
    return np.asarray(T.T @ K @ T)


def elastic_center(K: FloatArray) -> FloatArray:
    """Return p (3,) [m] with the least |K_tt^-1/2 (K_tt p^ + K_tr)|_F."""
    w, V = np.linalg.eigh(K[:3, :3])
    root = (V / np.sqrt(w)) @ V.T
    columns = [(root @ K[:3, :3] @ _cross(e)).ravel() for e in np.eye(3)]
    p, *_ = np.linalg.lstsq(np.array(columns).T, -(root @ K[:3, 3:]).ravel(), rcond=None)
    return np.asarray(p)


def stuck_error(K: FloatArray, p: FloatArray, k: FloatArray) -> float:
    """Return the largest error of a foot's motion along its load, bushing beside K6.

    The loads act at the tread: a force along x, y, z, a moment about x, y, z.
    """
    own = moved_stiffness(np.diag(k), -p)
    exact, ours = np.linalg.inv(K).diagonal(), np.linalg.inv(own).diagonal()
    return float(np.abs(ours / exact - 1).max())


def _edge(
    sole: CondensedSole, axis: int, half: float, k: FloatArray, load: float
) -> tuple[float, float, float]:
    """Return half length of the hard tread, largest tilt and error of the moment, about x or y.

    The moment of the sole at a tilt is that of a plate that neither slips nor pulls; tilt and
    moment grow with the load in proportion.
    """
    model = BenchModel(sole.points, sole.compliance)
    spring = float(k[3 + axis])
    angle = KNEES * load * half / spring
    try:
        moment = np.array([model.moment(axis, turn, load) for turn in angle])
    except EquilibriumError as none:
        raise EquilibriumError(
            f"'{sole.mesh.name}' has {none} under {load:.4g} N: its {len(sole.points)} tread "
            f"vertices are too few to tip it; mesh it finer (--size-tread "
            f"{float(f'{half / 5:.1g}'):g})"
        ) from none
    angle, moment = np.array([0.0, *angle]), np.array([0.0, *moment])
    ends = np.linspace(1.0, SHORTEST, 57) * half
    most = float(angle[-1])
    while True:
        errors = [_worst(angle, moment, spring, load * e, most) for e in ends]
        best = int(np.argmin(np.round(errors, 3)))  # the longest of equal ones
        error, end = errors[best], float(ends[best])
        if error <= EDGE or most < angle[1]:
            return end, most, error
        most *= 0.97


def _worst(
    angle: FloatArray, moment: FloatArray, spring: float, limit: float, most: float
) -> float:
    """Return the largest relative error of min(spring theta, limit) up to the tilt `most`."""
    theta = np.linspace(most / 40, most, 40)
    exact = np.interp(theta, angle, moment)
    return float(np.abs(np.minimum(spring * theta, limit) / exact - 1).max())


def _cross(p: FloatArray | Sequence[float]) -> FloatArray:
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
