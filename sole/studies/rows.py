"""Kinds of rows: the protocol of a kind, and the shared sole and case that it receives.

A kind of row is a class registered in the entry-point group `sole.rows`. It is made once per
study from its table of options and computes one row per case. It receives a `SharedSole` (common
to all cases of equal thickness, equal stiffness ratios and equal Poisson's ratios) and the `Case`,
whose `scale` is its stiffness relative to the shared sole:

    C(case) = C(shared) / scale,    K_c(case) = scale K_c(shared)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sole.base.angles import DEGREES
from sole.base.arrays import FloatArray
from sole.base.cli import plugins
from sole.base.errors import ConfigError
from sole.base.near_names import did_you_mean
from sole.condense import Inertia
from sole.material import Material
from sole.studies.axis import SOLE_QUANTITIES, Axis, AxisQuantity, Setting
from sole.studies.columns import Column, Trades
from sole.studies.study import Study

if TYPE_CHECKING:
    from sole.condense import CondensedSole, Recovery

HERE = Path()
MOST_NAMED = 16  # names listed in an error
RESERVED = ("row", "case", "status", "reason")  # columns of every table


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One point of a study.

    Parameters
    ----------
    index : place in the table, counted along the last axis first.
    settings : value of every axis by its quantity ("young", "young_tread", "friction").
    materials : one per layer.
    scale : factor from every E of the shared sole to the E of this case.
    young : E of the reference layer (the tread's) [Pa].
    """

    index: int
    settings: Mapping[str, Setting]
    materials: tuple[Material, ...]
    scale: float
    young: float


@dataclass(eq=False, kw_only=True)
class SharedSole:
    """A condensed sole that many cases share up to a factor on E; matrices are made on demand.

    Parameters
    ----------
    foot_stiffness : (6, 6) G' K_c G about the origin on the tread plane [N/m, N, N m].
    inertia : mass, centre of mass and inertia of the sole.
    make_sole, make_recovery : called at most once, and only if a row needs them.
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
        """The recovery of strain and stress; call it with the forces and the case's scale."""
        return self.make_recovery(self.sole)


class Rows(Protocol):
    """A kind of row.

    The class is called with its options (a mapping of plain TOML data) and the folder of the
    files that they name. A kind with its own sole, used if the study names none, also has
    `pad(settings) -> label`, which depends on texts among the settings only,
    `mesh(label) -> SoleMesh` and `element`. A kind may have `check(settings)`, which raises
    ConfigError for incompatible axes; `trades`, the default pairs of columns for a choice to trade
    off, of which the first in the table counts; and a class method `declare()`, which returns all
    columns it may have, to read older tables without declarations.

    Attributes
    ----------
    columns : every number a row may hold, at most one of them an outcome; a number missing from
        a row is NaN in the table.
    quantities : further axes that it supports ("friction").
    needs_sole : whether `row` uses `SharedSole.sole` or `.recovery`.
    fingerprint : everything that rows depend on besides options and case, such as file contents,
        as JSON-serialisable data; None if nothing.
    """

    columns: Mapping[str, Column]
    quantities: Mapping[str, AxisQuantity]
    needs_sole: bool
    fingerprint: Any

    def row(self, shared: SharedSole, case: Case) -> Mapping[str, float]:
        """Return the numbers of one case.

        Raises
        ------
        SoleError
            The case has no result (no equilibrium, no convergence); the table gives the reason.
        """


def make_rows(study: Study, folder: Path = HERE) -> dict[str, Rows]:
    """Return the kinds of rows of a study, made from their options.

    `folder` : folder of the files that the options name.

    Raises
    ------
    ConfigError
        An unknown kind or option, a column of two kinds, or two outcomes.
    """
    known = plugins("sole.rows")
    kinds: dict[str, Rows] = {}
    columns: dict[str, str] = {}
    for name in study.rows:
        if name not in known:
            near = did_you_mean(name, known)
            raise ConfigError(f"unknown rows '{name}'; known are {', '.join(sorted(known))}{near}")
        kind: Rows = known[name].load()(dict(study.options.get(name, {})), folder.absolute())
        for column in kind.columns:
            if column in columns:
                raise ConfigError(f"rows '{name}' and '{columns[column]}' both give '{column}'")
            columns[column] = name
        kinds[name] = kind
    outcomes = [name for name, c in collect_columns(kinds).items() if c.outcome is not None]
    if len(outcomes) > 1:
        raise ConfigError(
            f"a study has one outcome, got {' and '.join(outcomes)}: use separate studies"
        )
    return kinds


def collect_columns(kinds: Mapping[str, Rows]) -> dict[str, Column]:
    """Return the columns of all kinds in order."""
    return {name: c for kind in kinds.values() for name, c in kind.columns.items()}


def collect_trades(kinds: Mapping[str, Rows]) -> Trades:
    """Return the pairs of columns that all kinds trade off, in order."""
    return [trade for kind in kinds.values() for trade in getattr(kind, "trades", ())]


def declared_by(names: Sequence[str]) -> tuple[dict[str, Column], Trades]:
    """Return all declarations of the installed kinds of these names, for any options."""
    known = plugins("sole.rows")
    kinds = [known[name].load() for name in names if name in known]
    columns = {
        n: c for kind in kinds if hasattr(kind, "declare") for n, c in kind.declare().items()
    }
    return columns, [trade for kind in kinds for trade in getattr(kind, "trades", ())]


def find_quantities(axes: tuple[Axis, ...], kinds: Mapping[str, Rows]) -> dict[str, AxisQuantity]:
    """Return the quantity of every axis by the axis name.

    Raises
    ------
    ConfigError
        An unknown quantity, a value out of range, or an axis with the name of a column.
    """
    found: dict[str, AxisQuantity] = {}
    taken = {*RESERVED, *(column for kind in kinds.values() for column in kind.columns)}
    for axis in axes:
        if axis.name in taken:
            raise ConfigError(
                f"axis {axis.name}: the table has a column of this name; rename the axis"
            )
        what = SOLE_QUANTITIES.get(axis.quantity) or _of_rows(axis, kinds)
        axis.check(what)
        title = f"{what.title} of layer {axis.layer}" if axis.layer else what.title
        found[axis.name] = replace(what, title=title)
    return found


def _of_rows(axis: Axis, kinds: Mapping[str, Rows]) -> AxisQuantity:
    for kind in kinds.values():
        if axis.quantity in kind.quantities:
            return kind.quantities[axis.quantity]
    known = [*SOLE_QUANTITIES, *(q for kind in kinds.values() for q in kind.quantities)]
    if (unit := axis.quantity + DEGREES) in known:
        raise ConfigError(f"axis {axis.name}: {axis.quantity}: write {unit} (degrees)")
    raise ConfigError(
        f"axis {axis.name}: rows {', '.join(kinds) or '(none)'} have no quantity "
        f"'{axis.quantity}'; {_alike(axis.quantity, known)}"
    )


def _alike(name: str, known: list[str]) -> str:
    """Suggest similar names, or list the known ones."""
    from difflib import get_close_matches

    meant = get_close_matches(name, known, n=3, cutoff=0.7)
    if meant:
        return f"did you mean {' or '.join(dict.fromkeys(meant))}?"
    more = ", ..." if len(known) > MOST_NAMED else ""
    return f"known are {', '.join(dict.fromkeys(known[:MOST_NAMED]))}{more}"
