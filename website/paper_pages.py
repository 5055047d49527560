"""Pages of the papers' experiments: one for every paper, one for every experiment.

The claims are those of `sole reproduce --list`; figures and verdicts are the tables of
docs/results/papers.md and no_verdict.md, which `make docs-numbers ARGS='papers no_verdict'` makes
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from page_links import ROOT

from sole.claims import Claim, Experiment, Paper, known_claims

RESULTS = ROOT / "docs" / "results"
TABLES = (RESULTS / "papers.md", RESULTS / "no_verdict.md")
FIGURES = ROOT / "docs" / "experiments"
OURS, VERDICT = 4, 5  # columns of the tables


def judged() -> dict[str, dict[str, list[str]]]:
    """Return key of the paper -> claim -> cells of its row in `TABLES`."""
    found: dict[str, dict[str, list[str]]] = {}
    paper = ""
    for line in "".join(page.read_text(encoding="utf-8") for page in TABLES).splitlines():
        if match := re.match(r"Made by `.*paper_claims\.py (\w+)", line):
            paper = match[1]
        elif paper and (match := re.match(r"\| `(\w+)` \|", line)):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            found.setdefault(paper, {})[match[1]] = [cell.strip() for cell in cells]
    return found


def paper_pages() -> Iterator[tuple[str, str]]:
    """Yield the place and the Markdown of every page."""
    rows = judged()
    claims = sorted(known_claims(), key=lambda c: (c.paper.key, c.order))
    for _, group in groupby(claims, key=lambda c: c.paper.key):
        mine = list(group)
        yield from pages_of(mine[0].paper, mine, rows[mine[0].paper.key])


def pages_of(
    paper: Paper, claims: list[Claim], rows: dict[str, list[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the page of a paper and those of its experiments."""
    experiments = {c.experiment.at: c.experiment for c in claims if c.experiment}
    lines = [
        f"# {paper.authors}: {paper.title}\n",
        f"`sole reproduce {paper.key} --quick -o figures` runs all of it. What the verdicts mean,",
        "and all papers on one page: [The papers, claim by claim](../results/papers.md).\n",
        "## Experiments\n",
    ]
    for at, experiment in experiments.items():
        mine = [c for c in claims if c.experiment and c.experiment.at == at]
        page = name_of(experiment)
        lines.append(f"- [{title_of(at)}]({page}.md): {', '.join(f'`{c.name}`' for c in mine)}")
        yield f"experiments/{page}.md", experiment_page(paper, experiment, mine, rows)
    waiting = [c for c in claims if not c.experiment]
    if waiting:
        lines += ["\n## Not built, or not decided by the text\n", *table(waiting, rows)]
    yield f"experiments/{paper.key}.md", "\n".join(lines) + "\n"


def experiment_page(
    paper: Paper, experiment: Experiment, claims: list[Claim], rows: dict[str, list[str]]
) -> str:
    """Return the page of an experiment: claims and verdicts, pictures, how to run it, its code."""
    names = " ".join(c.name for c in claims)
    lines = [f"# {title_of(experiment.at)}\n"]
    drawn = dict.fromkeys(c.picture or c.name for c in claims)
    for name in drawn:
        if (FIGURES / f"{paper.key}_{name}.png").exists():
            lines.append(f"![{name}, with the axes of the paper]({paper.key}_{name}.png)\n")
    lines += [
        *table(claims, rows),
        "\n## Run it\n",
        f"About {experiment.quick:g} s of processor time; {experiment.full:g} s without `--quick`.",
        f"\n```sh\nsole reproduce {paper.key} {names} --quick -o figures\n```\n",
        f"## Code\n\n::: {experiment.at.replace(':', '.')}",
        "    options:\n      show_source: true\n      heading_level: 3\n",
        f"[{paper.authors}]({paper.key}.md)",
    ]
    return "\n".join(lines) + "\n"


def table(claims: list[Claim], rows: dict[str, list[str]]) -> list[str]:
    """Return the table of claims with our figures and verdicts."""
    lines = ["| claim | says | the paper | ours | verdict |", "|---|---|---|---|---|"]
    for claim in claims:
        cells = rows[claim.name]
        said = [f"`{claim.name}`, {claim.place}", claim.says, claim.printed]
        told = [text.replace("|", "\\|") for text in said]
        lines.append(f"| {' | '.join([*told, cells[OURS], f'**{cells[VERDICT]}**'])} |")
    return lines


def name_of(experiment: Experiment) -> str:
    """Return the file name of an experiment's page."""
    return experiment.at.rpartition(":")[2].removeprefix("reproduce_")


def title_of(at: str) -> str:
    """Return the title of an experiment's page."""
    return at.rpartition(":")[2].removeprefix("reproduce_").replace("_", " ").capitalize()
