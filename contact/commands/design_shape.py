"""`sole design` of a file of the schema "contact.shape_design": a shape by gradients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sole.base.report import Report

SUFFIXES = (".png", ".pdf", ".svg", ".html")


def design_shape(source: Path, output: Path, plot: Path | None, *, shown: bool) -> Report:
    """Search for the shape; write the condensed sole, its trials as .csv and the picture.

    Raises
    ------
    SoleError
        A bad file, a wrong suffix, or limits that no flat pad keeps. Nothing is written then.
    """
    from sole.base.archive import require_output

    table = output.with_suffix(".csv")
    require_output(output, ".npz", inputs=[source])
    require_output(table, inputs=[source])
    require_output(plot, *SUFFIXES, option="--plot", inputs=[source])

    from contact.shape_design import ShapeProblem, load_shape_design, search_shape, write_trials
    from contact.summaries.shape_design_summary import describe_shape
    from sole.base.compiled import prepare
    from sole.base.files import require_file
    from sole.base.progress import progress_bar
    from sole.condense import save_condensed
    from sole.mesh import Source, mesh_from

    design = load_shape_design(source)
    grounds = design.parsed_grounds(source.parent)
    require_file(Path(design.mesh))
    mesh = mesh_from(Source(file=Path(design.mesh)))
    prepare(["condense"], bar=False)
    budget = design.search.evaluations
    with progress_bar(f"searching for {output}", None, shown=shown) as bar:
        found = search_shape(
            ShapeProblem(design, mesh, grounds), lambda number, peak: bar(number / budget)
        )
    save_condensed(output, found.sole)
    write_trials(table, found)
    if plot is not None:
        from contact.pictures import draw_shape_design

        draw_shape_design(found).write(plot)
    return describe_shape(found, output, table)
