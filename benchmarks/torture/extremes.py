"""Every number that a user can give, one at a time, at every extreme: no choice, so no seed.

    python benchmarks/torture/extremes.py [SHARE] [--only K ...]

The numbers are the options of the commands, given or not, and the keys of the TOML files, there or
not. Judged as in `torture.bad_input`. A SHARE below 1 takes so many of the cases, evenly.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sole.base.numba_settings import set_up_numba
from torture.bad_input import Outcome, outcome_of, print_rows, table, trials
from torture.options import numeric_options
from torture.valid_calls import CALLS, Call
from torture.valid_files import TEXTS

SMALL = ("5e-324", "1e-300", "1e-12", "0", "-1", "-1e300")
LARGE = ("1e300", "1e12", "1000000", "2147483648", "9223372036854775808", "1" + "0" * 40)
LONG = 1_000_000  # rows of a study: allowed, and hours of work
WHOLE = tuple(v for v in SMALL + LARGE if "e" not in v)


@dataclasses.dataclass(frozen=True)
class Case:
    """A call, the words instead of its own, the text of its file (None: as it is), what is set."""

    call: Call
    words: tuple[str, ...]
    text: str | None
    way: str


def cases() -> list[Case]:
    """Return all cases, always in the same order."""
    return [*options(), *keys()]


def options() -> Iterator[Case]:
    """Yield one number of one option of every command at a time; an option not given is added."""
    seen: set[tuple[str, str]] = set()
    for call in CALLS:
        words = call.words.split()
        for name, count, whole in numeric_options(call):
            if (call.command, name) in seen:
                continue
            seen.add((call.command, name))
            for value in WHOLE if whole else SMALL + LARGE:
                kept = list(words)
                if name in kept:
                    at = kept.index(name)
                    del kept[at : at + 1 + count]
                yield Case(call, (*kept, name, *[value] * count), None, f"{name} {value}")


def keys() -> Iterator[Case]:
    """Yield one number of one key of every TOML file at a time; a key not there is added."""
    done: set[str] = set()
    for call in CALLS:
        if call.file not in TEXTS or call.file in done or not call.file.endswith(".toml"):
            continue
        if call.words.startswith("info"):
            continue
        done.add(call.file)
        for where, text in changed(TEXTS[call.file]):
            yield Case(call, tuple(call.words.split()), text, where)


def changed(text: str) -> Iterator[tuple[str, str]]:
    """Yield (what is set, text) for every number of a TOML text."""
    from sole.base.toml_text import toml_text

    tree = complete(tomllib.loads(text))
    for path, old in leaves(tree):
        whole = isinstance(old, int)
        for value in WHOLE if whole else SMALL + LARGE:
            new = json.loads(value) if "e" not in value else float(value)
            name = ".".join(map(str, path))
            if path[0] == "axis" and path[-1] == "number" and new == LONG:
                continue
            yield f"{name} = {value}", toml_text(put(tree, path, new))


def complete(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a file with all numbers of their dataclass, by default or 1."""
    from contact.press.load import LoadPath
    from robot.walk import Scenario
    from sole.shape import Shape
    from sole.studies import Study
    from sole.studies.design import Design

    KNOWN = {
        "robot.scenario/1": Scenario,
        "contact.path/1": LoadPath,
        "sole.shape/1": Shape,
        "sole.study/2": Study,
        "sole.design/1": Design,
    }
    kind = KNOWN.get(tree["schema"])
    return tree if kind is None else _filled(tree, kind)


def _filled(table: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    from sole.base.angles import key_of

    found, hints = dict(table), get_type_hints(kind)
    for f in dataclasses.fields(kind):
        if not f.init:
            continue
        key, inner = key_of(kind, f.name), [hints[f.name], *get_args(hints[f.name])]
        tables = [t for t in inner if dataclasses.is_dataclass(t)]
        value = found.get(key, {})
        if len(tables) > 1:  # a union, told apart by the key `kind`
            tables = [t for t in tables if t.kind == value.get("kind", tables[0].kind)]
        if key in found:
            if isinstance(value, dict) and tables:
                found[key] = _filled(value, tables[0])
            elif isinstance(value, list) and tables and value and isinstance(value[0], dict):
                found[key] = [_filled(v, tables[0]) for v in value]
        elif tables and all(map(dataclasses.is_dataclass, inner[1:])):
            found[key] = _filled({}, tables[0])
        elif isinstance(f.default, int | float) and not isinstance(f.default, bool):
            found[key] = f.default
        elif f.default is None and (float in inner or int in inner):
            found[key] = Absent(1 if int in inner else 1.0)
    return {k: v for k, v in found.items() if v != {}}


@dataclasses.dataclass(frozen=True)
class Absent:
    """A key that is left out unless it is the one that is set."""

    like: float


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield path and value of every number in tables and lists."""
    if isinstance(tree, Absent):
        yield path, tree.like
    elif isinstance(tree, dict | list):
        items = tree.items() if isinstance(tree, dict) else enumerate(tree)
        for key, value in items:
            yield from leaves(value, (*path, key))
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        yield path, tree


def put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return tables with one value replaced, and without keys that are absent."""
    if not path:
        return value
    if isinstance(tree, list):
        return [
            put(v, path[1:], value) if k == path[0] else _present(v) for k, v in enumerate(tree)
        ]
    out = {k: put(v, path[1:], value) if k == path[0] else _present(v) for k, v in tree.items()}
    return {k: v for k, v in out.items() if not isinstance(v, Absent)}


def _present(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: _present(v) for k, v in tree.items() if not isinstance(v, Absent)}
    return [_present(v) for v in tree] if isinstance(tree, list) else tree


def run_cases(numbers: Sequence[int], show: bool = False) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of every case."""
    known = cases()
    with trials() as (forks, fresh):
        for number in numbers:
            case = known[number]
            with fresh() as folder:
                if case.text is not None:
                    (folder / case.call.file).write_text(case.text)
                yield number, outcome_of(forks, case.call, list(case.words), case.way, folder, show)


def main(number: int, seed: int) -> list[dict[str, Any]]:
    """Return rows as `torture.bad_input`; `number` cases, the first of which is `seed`."""
    known = len(cases())
    step = max(1, known // number)
    return table(run_cases(range(seed % step, known, step)))


if __name__ == "__main__":
    set_up_numba()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("share", type=float, nargs="?", default=1.0, help="of the cases (1)")
    parser.add_argument("seed", type=int, nargs="?", default=1, help="which cases of a share (1)")
    parser.add_argument("--only", type=int, nargs="+", help="only these cases, and what they said")
    given = parser.parse_args()
    if given.only:
        found = table(run_cases(given.only, show=True))
    else:
        found = main(max(1, round(given.share * len(cases()))), given.seed)
    print_rows(found)
    sys.exit(any(row["failed"] for row in found))
