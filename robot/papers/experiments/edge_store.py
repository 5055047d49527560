"""Walks over edges that are done already, kept in a file: an ensemble goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from math import isnan, nan
from pathlib import Path
from typing import Any

from robot.papers.experiments.lola_cases import EdgeCase
from robot.papers.experiments.lola_walks import EdgeWalk, measured, walk_over
from sole.base.config import written
from sole.base.errors import SoleError
from sole.claims import Effort

__all__ = ["STORE", "digest_of", "store_walk", "stored_walks", "walk_all"]

STORE = "lola_walks.jsonl"


def walk_all(effort: Effort, cases: Sequence[EdgeCase]) -> list[EdgeWalk]:
    """Return the numbers of all cases; without `--quick` those in the folder are not walked again.

    They are kept in `STORE`, one line for each walk.
    """
    kept = None if effort.quick or effort.folder is None else effort.folder / STORE
    known = {} if kept is None else stored_walks(kept)
    found = []
    for k, case in enumerate(cases):
        key = digest_of(case)
        if key not in known:
            known[key] = measured(walk_over(case))
            if kept is not None:
                store_walk(kept, case, known[key])
        found.append(known[key])
        effort.tell((k + 1) / len(cases))
    return found


def digest_of(case: EdgeCase) -> str:
    """Return what tells a case from others: a digest of its scenario as a file would say it.

    A walk is known by what is asked of it, not by the program that walked: after a change of the
    laws the file has to be made anew.
    """
    said = json.dumps(written(case.scenario), sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def store_walk(path: Path, case: EdgeCase, walk: EdgeWalk) -> None:
    """Append a walk to a file, with its ground and law in words."""
    rhythm = f"{case.forward:g} m {case.single:g} s {case.young:g} Pa"
    law = f" g_a {case.force.g_a:g} U {case.force.U}" if case.kind == "force" else ""
    plan = "online" if case.phase_logic else "fixed"
    seen = "" if case.noise is None else f" noise {case.noise}"
    said = f"{case.scenario.ground} {rhythm} {case.kind}{law} {plan}{seen}"
    line = {"key": digest_of(case), "walk": said, **_short(walk)}
    begun = "\n" if _is_cut_off(path) else ""
    with path.open("a", encoding="utf-8") as file:
        file.write(begun + json.dumps(line) + "\n")


def stored_walks(path: Path) -> dict[str, EdgeWalk]:
    """Return the walks of a file by their keys; none without a file.

    A line that an interrupt cut off is left out: its walk is walked again.

    Raises
    ------
    SoleError
        A line is damaged in another way: the message names it.
    """
    if not path.exists():
        return {}
    walks = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.startswith(b"{") and not line.endswith(b"}"):  # cut off
            continue
        try:
            key, walk = _read(line)
        except (ValueError, KeyError, TypeError) as error:  # no JSON, no walk, no object
            raise SoleError(
                f"{path}, line {number}: this is not a walk of an ensemble; delete the line (a "
                "walk that is missing is repeated)"
            ) from error
        walks[key] = walk
    return walks


def _is_cut_off(path: Path) -> bool:
    text = path.read_bytes() if path.exists() else b""
    return bool(text) and not text.endswith(b"\n")


def _read(line: bytes) -> tuple[str, EdgeWalk]:
    found = json.loads(line)
    values: dict[str, Any] = {f.name: found[f.name] for f in fields(EdgeWalk)}
    for name, x in values.items():
        values[name] = nan if x is None else x
    return found["key"], EdgeWalk(**values)


def _short(walk: EdgeWalk) -> dict[str, Any]:
    """Return a walk with six digits of each number; None: there is none."""
    return {
        name: x if not isinstance(x, float) else None if isnan(x) else float(f"{x:.6g}")
        for name, x in asdict(walk).items()
    }
