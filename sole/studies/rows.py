"""Rows of a sweep: what is worked out for one material, and the two things all kinds share.

A kind of row is a class registered in the entry-point group `sole.rows`. It is made once per
study from its table of options and asked for one row per case. It sees a `SharedSole` (what
all cases of equal thickness, equal stiffness ratios and equal Poisson's ratios have in common)
and the `Case` itself, whose `scale` says how much stiffer than the shared sole it is:

    C(case) = C(shared) / scale,    K_c(case) = scale K_c(shared)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sole.arrays import FloatArray
from sole.errors import ConfigError
from sole.inertia import Inertia
from sole.material import Material
from sole.studies.axis import Setting
from sole.studies.quantities import Quantity

if TYPE_CHECKING:
    from sole.condense import CondensedSole
    from sole.fields import Deformation, Recovery

HERE = Path()
GRAVITY = 9.80665  # [m/s^2]
MOTIONS = ("x", "y", "z", "rx", "ry", "rz")
_WORDS = ("forward", "sideways", "vertical", "roll", "pitch", "yaw")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: its unit ('' if none), what it is, whether summaries show it."""

    unit: str
    description: str
    highlight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One point of a study.

    Parameters
    ----------
    index : place in the table, counted along the last axis first.
    settings : value of every axis by its quantity ("young", "young_tread", "friction").
    materials : one per layer.
    scale : all E of this case are those of the shared sole times this factor.
    young : E of the reference layer (the tread's) [Pa].
    """

    index: int
    settings: Mapping[str, Setting]
    materials: tuple[Material, ...]
    scale: float
    young: float


@dataclass(eq=False, kw_only=True)
class SharedSole:
    """A condensed sole that many cases share up to a factor on E; matrices come when asked for.

    Parameters
    ----------
    foot_stiffness : (6, 6) G' K_c G about the origin on the tread plane [N/m, N, N m].
    inertia : mass, centre of mass and inertia of the sole.
    make_sole, make_recovery : called at most once, and only if a row wants them.
    """

    foot_stiffness: FloatArray
    inertia: Inertia
    make_sole: Callable[[], CondensedSole] = field(repr=False)
    make_recovery: Callable[[CondensedSole], Recovery] = field(repr=False)

    @cached_property
    def sole(self) -> CondensedSole:
        """The condensed sole itself, at scale 1."""
        return self.make_sole()

    @cached_property
    def recovery(self) -> Recovery:
        """What recovers strain and stress; call it with the forces and the case's scale."""
        return self.make_recovery(self.sole)


class Rows(Protocol):
    """A kind of row.

    The class is called with its options (a mapping of plain TOML data) and the folder in which
    the files that they name are looked for. A kind with a sole of its own, used where the study
    names none, also has `pad(settings) -> label`, which depends on words among the settings only,
    `mesh(label) -> SoleMesh` and `element`. A kind may have `check(settings)`, which raises
    ConfigError where axes do not go together.

    Attributes
    ----------
    columns : every number a row may hold; one that a row leaves out is NaN in the table.
    quantities : further axes it understands ("friction").
    needs_sole : whether `row` asks for `SharedSole.sole` or `.recovery`.
    fingerprint : all that rows depend on besides options and case, such as the contents of
        files, as JSON-serialisable data; None if there is nothing.
    """

    columns: Mapping[str, Column]
    quantities: Mapping[str, Quantity]
    needs_sole: bool
    fingerprint: Any

    def row(self, shared: SharedSole, case: Case) -> Mapping[str, float]:
        """Return the numbers of one case.

        Raises
        ------
        SoleError
            The case has no result (no equilibrium, no convergence): the table says why.
        """


class StiffnessRows:
    """The 6x6 stiffness of the foot over ground that its tread sticks to, and what it implies.

    With `mass` m and `com_height` h_c (options `mass` [kg] and `com_height` [m], the load on
    this one foot and the height of its centre of mass above the tread plane), standing needs
    k_theta > m g h_c about both horizontal axes; k_theta grows as E if all layers scale
    together, so the critical E is

        E_crit = max over roll and pitch of m g h_c / (k_theta / E)

    and is left empty (NaN) where one layer is varied alone.
    """

    quantities: Mapping[str, Quantity] = MappingProxyType({})
    needs_sole = False
    fingerprint = None

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        known = ("mass", "com_height")
        for name in options:
            if name not in known:
                raise ConfigError(
                    f"stiffness rows have no option '{name}'; known: mass, com_height"
                )
        values = [_positive(name, options[name]) for name in known if name in options]
        if len(values) == 1:
            raise ConfigError("the critical E needs both mass and com_height")
        self.toppling = GRAVITY * values[0] * values[1] if values else None
        self.columns = dict(_STIFFNESS_COLUMNS)
        if self.toppling is not None:
            for name in ("k_rx_rx", "k_ry_ry"):  # the critical E says it better
                self.columns[name] = replace(self.columns[name], highlight=False)
            self.columns |= {
                "critical_young": Column(
                    "Pa", "E below which the foot topples: m g h_c/(k/E)", True
                ),
                "standing_margin": Column("", "E / critical E: above 1 the foot stands", True),
            }

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the 21 independent stiffnesses, the sole's mass and the critical E."""
        K = (shared.foot_stiffness * case.scale)[_UPPER].tolist()
        row = dict(zip(_STIFFNESS_NAMES, K, strict=True))
        row["sole_mass"] = shared.inertia.mass
        if self.toppling is not None:
            softest = min(row["k_rx_rx"], row["k_ry_ry"])
            # With one layer varied alone k is not proportional to E: no critical E follows.
            alone = any(name.startswith("young_") for name in case.settings)
            row["critical_young"] = np.nan if alone else self.toppling / (softest / case.young)
            row["standing_margin"] = softest / self.toppling
        return row


def _stiffness_unit(i: int, j: int) -> str:
    return ("N/m", "N", "N m")[(i > 2) + (j > 2)]


def _stiffness_words(i: int, j: int) -> str:
    if i == j:
        return f"foot stiffness: {_WORDS[i]}"
    effort = f"{_WORDS[i]} {'force' if i < 3 else 'moment'}"
    return f"foot stiffness: {effort} per {_WORDS[j]} motion"


_UPPER = np.triu_indices(6)
_PAIRS = [(i, j) for i in range(6) for j in range(i, 6)]
_STIFFNESS_NAMES = tuple(f"k_{MOTIONS[i]}_{MOTIONS[j]}" for i, j in _PAIRS)
_STIFFNESS_COLUMNS = {
    name: Column(
        _stiffness_unit(i, j),
        _stiffness_words(i, j),
        i == j and MOTIONS[i] in ("z", "rx", "ry"),
    )
    for name, (i, j) in zip(_STIFFNESS_NAMES, _PAIRS, strict=True)
} | {"sole_mass": Column("kg", "mass of the sole")}


def _positive(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
        raise ConfigError(f"{name} must be a positive number, got {value!r}")
    return float(value)


# --- fields of a deformed sole, shared by every kind of row that loads it -----------------------

FIELD_COLUMNS = {
    "strain_p99": Column("", "von Mises strain, 99th percentile by volume", True),
    "strain_max": Column("", "von Mises strain, maximum: depends on the mesh at bonded corners"),
    "von_mises_p99": Column("Pa", "von Mises stress, 99th percentile by volume"),
    "von_mises_max": Column("Pa", "von Mises stress, maximum: depends on the mesh"),
}


def field_metrics(deformation: Deformation) -> dict[str, float]:
    """Return the columns `FIELD_COLUMNS` of a recovered deformation."""
    strain = von_mises_strain(deformation.strain)
    V, s = deformation.volumes, deformation.von_mises
    return {
        "strain_p99": weighted_percentile(strain, V, 0.99),
        "strain_max": float(strain.max()),
        "von_mises_p99": weighted_percentile(s, V, 0.99),
        "von_mises_max": float(s.max()),
    }


def von_mises_strain(strain: FloatArray) -> FloatArray:
    """sqrt(2/3 e_dev : e_dev) of (e, 6) tensor components xx, yy, zz, yz, xz, xy.

    A bar under tension e without change of volume has e.
    """
    deviator = strain.copy()
    deviator[:, :3] -= strain[:, :3].mean(axis=1, keepdims=True)
    squared = (deviator**2) @ np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    result: FloatArray = np.sqrt(2 / 3 * squared)
    return result


def weighted_percentile(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Return the smallest value below or at which at least `fraction` of the weight lies."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    k = int(np.searchsorted(total, fraction * total[-1] * (1 - 1e-12)))
    return float(values[order[min(k, len(order) - 1)]])
