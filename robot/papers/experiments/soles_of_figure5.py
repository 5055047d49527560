"""Figure 5 of the deformable-soles paper: walks of `hrp2-like` over Young's modulus.

Without `--quick` these are the studies `figure5_flat` and `figure5_plate` of
docs/results/figure5.md: seven moduli, four Poisson's ratios, two controllers, three repeats on each
ground.
With an output folder they are kept there and go on after an interrupt. Quick: four moduli of soles
that stay linear at nu = 0.4; on flat ground both controllers once, on the plate the stabiliser in
three phases.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from robot.measures import metrics
from robot.papers.experiments.figure5_drawings import draw_curves_of_soles
from robot.papers.experiments.figure5_tables import LINEAR, MEASURES, read_figure5
from robot.papers.experiments.figure5_trends import trends_of_soles
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.claims import Effort, Findings
from sole.studies import ROWS, Progress, load_study, run_study

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["reproduce_figure5", "walk_with_plain_pd"]

GROUNDS = {"flat": "plane", "plate": "step:0.005,0.4"}
REPEATS = {
    "flat": '[[axis]]\nquantity = "gait.single"\nvalues = [0.67, 0.70, 0.73]\nensemble = true\n',
    "plate": '[[axis]]\nquantity = "start.x"\nname = "phase"\nvalues = [-0.06, 0.0, 0.06]\n'
    "ensemble = true\n",
}
LANDING_DT = 1.25e-4  # s: peaks do not converge with the 1 ms of the rest
HEAD = 'schema = "sole.study/2"\nrows = ["walk"]\nelement = "ccr"\n'


def reproduce_figure5(effort: Effort) -> Findings:
    """Run the studies; correlate E with impacts and inclination on flat ground and on a plate.

    Numbers begin with `flat_` and `plate_`, for plain PD with `pd_flat_` and `pd_plate_`, and go on
    as `trends_of_soles` has them.
    """
    every: list[xr.Dataset] = []
    with ExitStack() as stack:
        kept = None if effort.quick else effort.folder
        made = kept or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for k, ground in enumerate(GROUNDS):
            name = f"figure5_{'quick' if effort.quick else 'full'}_{ground}"
            source, table = made / f"{name}.toml", made / f"{name}.nc"
            text = _study(ground, effort.quick)
            same = source.exists() and source.read_text(encoding="utf-8") == text
            source.write_text(text, encoding="utf-8")
            if not (same and table.exists()):  # an unfinished study goes on from its journal
                run_study(load_study(source), None, table, folder=made, listener=_shares(effort, k))
            effort.tell((k + 1) / len(GROUNDS))
            every += [walks.load() for walks in read_figure5(table)]
    numbers: dict[str, float] = {}
    for walks in every:
        ground = "flat" if walks.attrs["ground"] == "flat ground" else "plate"
        who = "pd_" if walks.attrs["controller"] == "plain PD" else ""
        found = trends_of_soles(
            walks.young.values,
            {name: walks[metric].values for name, metric in MEASURES.items()},
            (walks.strain_p99 <= LINEAR).all("repeat").values,
        )
        numbers |= {f"{who}{ground}_{name}": value for name, value in found.items()}
    return Findings(numbers=numbers, pictures={"fig5": lambda: draw_curves_of_soles(every)})


def walk_with_plain_pd(effort: Effort) -> Findings:
    """Walk with plain PD on a pad of 10 MPa and on one of 0.1 MPa."""
    numbers: dict[str, float] = {}
    cases = {
        "firm": SoleChoice(young=1e7),
        "soft": SoleChoice(young=1e5),
    }
    for k, (name, sole) in enumerate(cases.items()):
        scenario = Scenario(sole=sole, control=ControlChoice(kind="pd"))
        run, error = execute(assemble_walk(scenario), RecordingOptions())
        if error is not None:
            raise error
        found = metrics(run)
        numbers[f"{name}_fell"] = float(bool(found["fell"].value))
        numbers[f"{name}_way"] = float(run["waist_position"][-1, 0] - run["waist_position"][0, 0])
        if "residual" in run:
            numbers[f"{name}_residual"] = float(run["residual"].max())
        effort.tell((k + 1) / len(cases))
    return Findings(numbers=numbers)


def _shares(effort: Effort, k: int) -> Callable[[Progress], None]:
    """Return a listener that tells the walks of ground `k` as a share of all."""

    def listen(progress: Progress) -> None:
        if progress.stage == ROWS:
            effort.tell((k + progress.done / progress.total) / len(GROUNDS))

    return listen


def _study(ground: str, quick: bool) -> str:
    """Return the study of a ground as TOML."""
    controllers = '["stabiliser"]' if quick and ground == "plate" else '["pd", "stabiliser"]'
    young = "[3.1622776601683795e6, 1e8]\nnumber = 4" if quick else "[1e5, 1e8]\nnumber = 7"
    nu = "[0.4]" if quick else "[0.0, 0.25, 0.4, 0.49]"
    return (
        f'{HEAD}[[axis]]\nquantity = "controller"\nvalues = {controllers}\n'
        f'[[axis]]\nquantity = "young"\nrange = {young}\n'
        f'[[axis]]\nquantity = "poisson"\nvalues = {nu}\n'
        f"{'' if quick and ground == 'flat' else REPEATS[ground]}"
        f'[options.walk]\nground = "{GROUNDS[ground]}"\nlanding_dt = {LANDING_DT}\n'
        'plan.kind = "fixed"\n'
    )
