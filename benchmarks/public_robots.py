"""Thirty public humanoids and bipeds, from their files as they are: which ones walk.

    python benchmarks/public_robots.py CLONES [--clone] [--only NAME ...] [--sites 4] [--again]

benchmarks/public_robots.toml is the list, with commits; it was fixed before the first run. Each
robot lies in a folder of CLONES by its name in small letters; `--clone` clones what is missing. No
robot gets an option but the folders of its packages. Each walks two of its usual steps and one to
close on pads of 20 mm: of 3 MPa and of 0.3 MPa on a plane, of 3 MPa on gravel and down an unknown
edge of 1 cm that lies 1 cm in front of its feet. Accelerations are below 100 Hz. A row runs in a
child of its own with at most `--seconds` of processor time. Rows are kept in
CLONES/public_robots.jsonl as they come, so a run that was broken off goes on where it was;
`--again` runs all, or those of `--only`, again. `--sites 1` walks on the first alone; `--json` and
`--csv` print other forms of the table. Half an hour of processor time.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from robot.gait import Walking
from robot.measures import landings_of, metrics, verdict
from robot.model import RobotModel, load_robot
from robot.summaries.model_summary import describe_robot
from robot.walk import (
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    replace_values,
)
from sole.base.bounded_child import bounded_child
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba
from sole.base.progress import progress_bar

LIST = Path(__file__).with_suffix(".toml")
KEPT = "public_robots.jsonl"
STEPS = 2  # and one to close
EDGE = 0.01  # m: how deep, and how far in front of the feet
SITES = ("3 MPa", "0.3 MPa", "gravel", "1 cm down")
HEADER = (
    "robot", "format", "mass [kg]", "height [m]", "joints", "legs", "foot [mm]", *SITES,
    "landing [m/s^2]", "why not",
)  # fmt: skip
_CHILD = """
sys.path[:0] = sys.argv[1:3]
from public_robots import try_in_child
try_in_child(sys.argv[3], sys.argv[4], *map(int, sys.argv[5:]))
"""


def listed() -> list[dict[str, Any]]:
    """Return the robots of the list, each a table of public_robots.toml."""
    rows: list[dict[str, Any]] = tomllib.loads(LIST.read_text(encoding="utf-8"))["robot"]
    return rows


def folder_of(clones: Path, robot: Mapping[str, Any]) -> Path:
    """Return the folder of a robot's clone."""
    return clones / str(robot["name"]).lower().replace(" ", "-")


def clone(clones: Path, robot: Mapping[str, Any]) -> str:
    """Check out the part of a repository that a robot needs; return what went wrong, or ""."""
    into = folder_of(clones, robot)
    part = "/*" if robot["folder"] == "." else f"/{robot['folder']}/"
    url = f"https://github.com/{robot['repository']}"
    for words in (
        ("init", "--quiet", str(into)),
        ("-C", str(into), "sparse-checkout", "set", "--no-cone", part),
        ("-C", str(into), "fetch", "-q", "--depth=1", "--filter=blob:none", url, robot["commit"]),
        ("-C", str(into), "checkout", "--quiet", "FETCH_HEAD"),
    ):
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"git: {done.stderr.strip().splitlines()[-1]}"
    return ""


def try_robot(
    file: Path, packages: Mapping[str, Path], sites: int = len(SITES), first: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield what a file says of its robot, then what became of each walk, as keys of a row."""
    urdf = {"packages": tuple(f"{n}={p}" for n, p in packages.items())} if packages else {}
    try:
        robot = load_robot(str(file), **urdf)
    except SoleError as error:
        yield {"why": f"refused: {_short(error)}"}
        return
    yield _described(robot)
    front = float(robot.left.half_size[0]) + EDGE
    down = f"step:{EDGE},{-front},angle_deg=180"
    walks = zip(SITES, (3e6, 3e5, 3e6, 3e6), ("plane", "plane", "gravel", down), strict=True)
    for site, young, ground in islice(walks, first, sites):
        scenario = replace_values(
            Scenario(sole=SoleChoice(young=young), gait=Walking(steps=STEPS), ground=ground),
            robot=str(file),
            urdf=urdf,
        )
        try:
            done = execute(assemble_walk(scenario), RecordingOptions())
        except SoleError as error:
            yield {site: "refused", "why": f"{site}: {_short(error)}"}
            if site == SITES[0]:
                return
            continue
        if done.error is not None:
            yield {site: "stopped", "why": f"{site}: {_short(done.error)}"}
            continue
        run, told = done.run, verdict(done.run)
        if "fell" in told.partition(" ")[0] or not run.finished:
            yield {site: "falls", "why": f"{site}: {_short(told)}"}
            continue
        peak = metrics(run)["landing acceleration 100 Hz"].value
        yield {site: "walks", **({"landing": peak} if site == SITES[0] else {})}
        if not landings_of(run):
            yield {site: "stands", "why": f"{site}: no landing"}


def try_in_child(clones: str, name: str, sites: int, first: int) -> None:
    """Print the keys of a row as lines of JSON, as they come."""
    set_up_numba()
    robot = next(r for r in listed() if r["name"] == name)
    at = folder_of(Path(clones), robot)
    packages = {name: at / folder for name, folder in robot.get("packages", {}).items()}
    try:
        for part in try_robot(at / robot["path"], packages, sites, first):
            print(json.dumps(part), flush=True)
    except Exception as error:  # a defect of ours is a row, too
        print(json.dumps({"why": f"internal error: {type(error).__name__}: {_short(error)}"}))


def row_of(
    clones: Path,
    robot: Mapping[str, Any],
    seconds: int,
    sites: int,
    before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the row of a robot, found in a child with `seconds` of processor time.

    The walks of the row `before` are kept.
    """
    row = dict(before or {k: robot[k] for k in ("name", "format", "licence", "commit")})
    if not (folder_of(clones, robot) / robot["path"]).is_file():
        return row | {"why": f"not fetched: no {robot['path']} in the clone"}
    here = Path(__file__).resolve().parent
    words = [str(here), str(here.parent), str(clones), str(robot["name"])]
    words += [str(sites), str(walks_in(row))]
    why = [row.pop("why")] if "why" in row else []
    with bounded_child(_CHILD, words, seconds=seconds, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("{"):
                part = json.loads(line)
                why += [part.pop("why")] if "why" in part else []
                row |= part
        code = child.wait()
    if code:
        late = f"no end within {seconds} s of processor time"
        why.append(late if code in (-9, -24) else f"the child ended with {code}")
    return row | ({"why": "; ".join(why)} if why else {})


def walks_in(row: Mapping[str, Any]) -> int:
    """Return how many walks a row has."""
    return sum(site in row for site in SITES)


def is_due(row: Mapping[str, Any] | None, robot: Mapping[str, Any], sites: int) -> bool:
    """Return whether a robot's row is missing, of another commit, or has fewer walks."""
    if row is None or row["commit"] != robot["commit"] or row.get("why", "").startswith("not f"):
        return True
    return "mass" in row and row.get(SITES[0]) != "refused" and walks_in(row) < sites


def cells_of(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of a row of the table."""
    size = row.get("foot")
    cells = [str(row["name"]), str(row["format"])]
    cells += [f"{row[k]:.3g}" if row.get(k) is not None else "" for k in ("mass", "height")]
    cells += [str(row.get("joints", "")), str(row.get("legs", ""))]
    cells.append("" if size is None else f"{1e3 * size[0]:.0f} x {1e3 * size[1]:.0f}")
    cells += [str(row.get(site, "")) for site in SITES]
    cells.append(f"{row['landing']:.2f}" if row.get("landing") is not None else "")
    return [*cells, str(row.get("why", "")).replace("|", "\\|")]


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many robots walk, in a sentence."""
    counts = [sum(row.get(site) == "walks" for row in rows) for site in SITES]
    told = ", ".join(f"{n} on {site}" for n, site in zip(counts, SITES, strict=True))
    return f"Of {len(rows)} robots walk: {told}; {sum('mass' in row for row in rows)} are read."


def main(words: Sequence[str] | None = None) -> None:
    """Run the rows that are not there yet, and print the table."""
    given = _arguments(words)
    robots = [r for r in listed() if given.only is None or r["name"] in given.only]
    unknown = set(given.only or ()) - {r["name"] for r in robots}
    if unknown or not given.clones.is_dir():
        listed_names = ", ".join(r["name"] for r in listed())
        what = f"no robot {', '.join(sorted(unknown))}; there are {listed_names}"
        sys.exit(what if unknown else f"no folder {given.clones}: give the folder of the clones")
    kept = given.clones / KEPT
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    rows = {row["name"]: row for row in map(json.loads, lines)}
    if given.again:
        rows = {name: row for name, row in rows.items() if name not in {r["name"] for r in robots}}
    due = [r for r in robots if is_due(rows.get(r["name"]), r, given.sites)]
    with progress_bar("public robots", None, shown=True, now=lambda: at[0]) as tell:
        for i, robot in enumerate(due):
            at = [f"{robot['name']}, {i + 1} of {len(due)}"]
            tell(i / len(due))
            failed = ""
            if given.clone and not (folder_of(given.clones, robot) / robot["path"]).is_file():
                failed = clone(given.clones, robot)
            before = rows.get(robot["name"])
            before = before if before and "mass" in before else None
            row = row_of(given.clones, robot, given.seconds, given.sites, before)
            rows[robot["name"]] = row | ({"why": f"not fetched: {failed}"} if failed else {})
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[robot["name"]]) + "\n")
    table = [rows[r["name"]] for r in robots]
    if given.json:
        print(json.dumps(table, indent=1))
    elif given.csv:
        out = csv.writer(sys.stdout)
        out.writerow(HEADER)
        out.writerows(cells_of(row) for row in table)
    else:
        print(f"\n| {' | '.join(HEADER)} |\n|" + "---|" * len(HEADER))
        print("\n".join(f"| {' | '.join(cells_of(row))} |" for row in table))
        print(f"\n{summary(table)}")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("clones", type=Path, help="the folder of the clones")
    arguments.add_argument("--clone", action="store_true", help="clone what is missing")
    arguments.add_argument("--only", nargs="+", metavar="NAME", help="these robots alone")
    arguments.add_argument("--again", action="store_true", help="also rows that are there already")
    arguments.add_argument("--seconds", type=int, default=120, help="processor time of a row [s]")
    arguments.add_argument("--sites", type=int, default=len(SITES), help="how many walks")
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--csv", action="store_true")
    return arguments.parse_args(words)


def _described(robot: RobotModel) -> dict[str, Any]:
    """Return mass [kg], height [m], joints, joints of a leg and size of a foot [m]."""
    half = robot.left.half_size
    return {
        "mass": robot.mass,
        "height": describe_robot(robot).quantities["height"].value,
        "joints": len(robot.joints),
        "legs": len(robot.legs[0]),
        "foot": [2 * float(half[0]), 2 * float(half[1])],
    }


def _short(error: object) -> str:
    """Return a message without folders and lists of names."""
    text = re.sub(r"/\S*/(?=\w)", "", str(error)).replace("\n", " ")
    return re.sub(
        r" \(options --left-foot .*|; there are .*|; shorter steps, less lift .*", "", text
    )


if __name__ == "__main__":
    main()
