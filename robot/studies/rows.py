"""Walk rows of a study: a humanoid walks on every sole, one walk per case.

A row starts from scratch, never from its neighbour, so that a study that was interrupted and
continued gives the same table to the last bit. A robot that falls is a result (`fell` = 1); what
cannot be planned or run at all is a failed row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robot.studies.files import Files
from robot.studies.scenarios import base_scenario, scenario_of
from sole.errors import ConfigError
from sole.studies.axis import Setting
from sole.studies.rows import FIELD_COLUMNS, HERE, Case, Column, SharedSole

if TYPE_CHECKING:
    from robot.run import Run
    from robot.running.assembly import Soles
    from robot.scenario import Scenario
    from robot.soles import FeetOnSoles
    from sole.mesh import SoleMesh

SNAPSHOTS = 5e-3  # s between two snapshots of nodes
UNCONVERGED = Column("", "highlighted metrics that halving dt twice still changes")
_OWN = ("scenario", "after", "strain", "converge")


class WalkRows:
    """One walk per case, on the sole of the study.

    Options: `scenario`, a file that `sole walk` runs, and any of its keys and tables, which win;
    `after` [s], from when on metrics count; `strain = false` leaves out strain and stress;
    `converge = true` walks at dt, dt/2 and dt/4 as well (seven times the work), takes the finest
    and tells in `unconverged` how many highlighted metrics still depend on dt.

    The study's mesh, axes, layers and element are the soles'. Without a mesh they are pads of the
    feet of the scenario's robot, and its [sole] thickness, size, young, poisson and density are
    theirs where the study says nothing else.
    """

    needs_sole = True

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        from robot.scenario import Scenario
        from robot.studies.columns import COLUMNS
        from robot.studies.quantities import quantities_of

        known = [*_OWN, *(f.name for f in fields(Scenario))]
        for name in options:
            if name not in known:
                raise ConfigError(f"walk rows have no option '{name}'; known: {', '.join(known)}")
        self.after = _seconds("after", options.get("after", 0.0))
        self.strain, self.converge = (
            _flag(name, options.get(name, usual))
            for name, usual in (("strain", True), ("converge", False))
        )
        given = {k: v for k, v in options.items() if k == "scenario" or k not in _OWN}
        self.base: Scenario = base_scenario(given, folder)
        self.files = Files(folder)
        self.files.robot(self.base)
        self.files.ground(self.base)
        self.quantities = quantities_of(self.base, self.files)
        self.columns: dict[str, Column] = dict(COLUMNS)
        if self.strain:
            self.columns |= FIELD_COLUMNS
        if self.converge:
            self.columns["unconverged"] = UNCONVERGED

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What rows depend on: the scenario, and the robots and grounds read so far."""
        return {"scenario": asdict(self.base), "read": dict(sorted(self.files.read.items()))}

    @property
    def element(self) -> str:
        """Element of the pads, where the study names none."""
        return self.base.sole.element

    def check(self, settings: Mapping[str, Setting]) -> None:
        """Refuse axes that do not go together.

        Raises
        ------
        SoleError
            One of them rules the other.
        """
        scenario_of(self.base, settings)

    def pad(self, settings: Mapping[str, Setting]) -> str:
        """Return the robot whose feet the pads of a case are for."""
        return str(settings.get("robot", self.base.robot))

    def mesh(self, label: str) -> SoleMesh:
        """Return the pad of a robot's left foot, of the scenario's material."""
        from robot.running.assembly import material_of, pad_of

        s = replace(self.base, robot=label)
        pad = pad_of(s.sole, self.files.robot(s))
        return replace(pad, materials=(material_of(s.sole),) * len(pad.layers))

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the numbers of one walk.

        Raises
        ------
        SoleError
            It cannot be planned, or the simulation stopped.
        """
        from robot.running.stopping import interruptible
        from robot.studies.columns import measured, numbers
        from robot.studies.strains import largest_strains

        scenario = scenario_of(self.base, case.settings)
        sole = shared.sole if case.scale == 1.0 else shared.sole.scaled(case.scale)
        run, feet, row = self._walked(scenario, (sole, None))
        with interruptible():
            row |= numbers(measured(run, self.after))
            if self.strain and not feet.rigid:
                row |= largest_strains(run, feet, shared.recovery, case.scale, self.after)
        return row

    def _walked(
        self, scenario: Scenario, soles: Soles
    ) -> tuple[Run, FeetOnSoles, dict[str, float]]:
        """Return the walk, that of the finest dt if there are several, and what dt changes."""
        from robot.running.assembly import assemble
        from robot.running.execution import Kept, execute
        from robot.running.refinement import refine
        from robot.running.stopping import interruptible
        from robot.studies.columns import METRICS, measured

        kept = Kept(nodes=max(1, round(SNAPSHOTS / scenario.dt)) if self.strain else 0)
        if not self.converge:
            with interruptible():
                walk = assemble(scenario, self.files.folder, soles)
            done, feet, row = execute(walk, kept), walk.feet, dict[str, float]()
        else:
            measure = partial(measured, after=self.after)
            refined = refine(scenario, self.files.folder, kept, soles=soles, measure=measure)
            done, feet = refined.finest, refined.feet
            judged = [found for name, found in refined.found.items() if METRICS[name].highlight]
            row = {"unconverged": float(sum(not found.converged for found in judged))}
        if done.error is not None:
            raise done.error
        return done.run, feet, row


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ConfigError(f"walk rows: {name} must be a time [s] from 0 on, got {value!r}")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"walk rows: {name} must be true or false, got {value!r}")
    return value
