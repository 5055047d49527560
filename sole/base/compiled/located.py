"""Where numba's own cache keeps machine code of our kernels, in processes that we start.

    NUMBA_CACHE_LOCATOR_CLASSES = sole.base.compiled.located.Located,UserProvidedCacheLocator,...

numba asks a locator for a folder, for a date of the source and for a part of the files' names. The
name of a kernel already says what it is made of (its `stamp`), so nothing is ever out of date:

    FOLDER/end_kernels.step_soles_<stamp>-k.py311.nbi      which types there are, of numba
    FOLDER/end_kernels.step_soles_<stamp>-k.py311.1.nbc    machine code for one of them
    FOLDER/end_kernels.step_soles_<stamp>-k.sums           ours: checksums, and what is kept
    FOLDER/inner/                                          of kernels that only kernels call

numba writes where it reads, and trusts what it reads. So files of a wheel that cannot be written
are copied to the user's folder when they are first asked for, and files that are not as they were
written are deleted before numba sees them: the kernel is compiled anew.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pickle
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sole.base.compiled.folders import code_folders, writable_folder
from sole.base.compiled.stamp import digest
from sole.base.numba_settings import processor

MARK = "-k"  # between what names a kernel and what numba appends
SUMS = f"{MARK}.sums"


class Located:
    """What numba asks for a function of ours; it finds the methods by their names."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file  # for numba's warnings
        self.folder = working_folder() / ("inner" if function.kept_inside else "")
        self.folder.mkdir(exist_ok=True)
        self.name = name_of(function)
        _fetch(self.name, self.folder)
        _drop_spoiled(self.name, self.folder)
        _touched.add((self.folder, self.name))

    @classmethod
    def from_function(cls, function: Any, file: str) -> Located | None:
        """Return a locator for a kernel of ours; None for others, and where nothing is kept."""
        with contextlib.suppress(OSError):  # a full disk: numba goes on with its own locators
            return cls(function, file) if hasattr(function, "kept_inside") else None
        return None

    def get_cache_path(self) -> str:  # noqa: D102
        return str(self.folder)

    def get_source_stamp(self) -> str:  # noqa: D102
        return ""  # the files' names say it all

    def get_disambiguator(self) -> str:  # noqa: D102
        return MARK[1:]  # numba puts the dash

    def ensure_cache_path(self) -> None:  # noqa: D102
        self.folder.mkdir(parents=True, exist_ok=True)


def name_of(function: Any) -> str:
    """Return the part of the files' names that numba makes of a function's file and name."""
    stem = Path(function.__code__.co_filename).stem
    return f"{stem}.{function.__qualname__}".translate({ord("<"): "", ord(">"): ""})


@cache
def working_folder() -> Path:
    """Return the folder that is written to; one of this process alone if there is no other."""
    if (folder := writable_folder()) is not None:
        return folder
    from sole.base.compiled.news import say

    where = f"machine code cannot be kept in {code_folders()[-1]}: this process compiles for itself"
    say(f"{where} (NUMBA_CACHE_DIR names another folder)")
    made = tempfile.mkdtemp(prefix="compliant-sole-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def is_kept(function: Any, types: tuple[Any, ...]) -> bool:
    """Whether machine code of a kernel for these types was kept by `note_kept`."""
    name, key = name_of(function), _key(types)
    for folder in (working_folder(), *code_folders()):
        noted = any(file.endswith(".nbi") for file in _files(folder).get(name, ()))
        if noted and key in _sums(folder / f"{name}{SUMS}")["kept"]:
            return True
    return False


def note_kept(function: Any = None, types: tuple[Any, ...] = ()) -> None:
    """Write down the checksums of what this process has written, and that a kernel is kept."""
    own = None if function is None else name_of(function)
    for folder in {folder for folder, _ in _touched}:
        with contextlib.suppress(OSError):
            files = [p for p in folder.iterdir() if p.suffix in (".nbi", ".nbc")]
            new: dict[str, list[Path]] = {own: []} if own and (folder, own) in _touched else {}
            for file in files:
                name, date = file.name.partition(f"{MARK}.")[0], file.stat().st_mtime_ns
                if (folder, name) in _touched and _noted.get(file) != date:
                    _noted[file] = date
                    new.setdefault(name, []).append(file)
            for name, written in new.items():
                known = _sums(sums := folder / f"{name}{SUMS}")
                found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in written}
                kept = {*known["kept"], *([_key(types)] if name == own else ())}
                now = {"files": known["files"] | found, "kept": sorted(kept)}
                if now != known:
                    _write(sums, json.dumps(now).encode())


def _write(file: Path, content: bytes) -> None:
    """Write a file under another name first, so that nobody reads half."""
    number, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with open(number, "wb") as stream:
        stream.write(content)
    os.chmod(temporary, 0o644)
    os.replace(temporary, file)


def _key(types: tuple[Any, ...]) -> str:
    return digest(types, processor())


def _sums(file: Path) -> dict[str, Any]:
    """Return what a file of checksums says; nothing if it cannot be read."""
    try:
        found = json.loads(file.read_text(encoding="ascii"))
        return {"files": dict(found["files"]), "kept": list(found["kept"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"files": {}, "kept": []}


@cache
def _files(folder: Path) -> dict[str, list[str]]:
    """Return the files of a folder by kernel, as they are when it is first looked at."""
    found: dict[str, list[str]] = {}
    for file in folder.glob(f"*{MARK}.*[!p]"):  # no .tmp
        found.setdefault(file.name.partition(f"{MARK}.")[0], []).append(file.name)
    return found


def _fetch(name: str, folder: Path) -> None:
    """Copy the files of a kernel from a folder that cannot be written."""
    for other in code_folders():
        if name in _files(folder):
            return
        for file in _files(other).get(name, ()) if other != folder else ():
            _write(folder / file, (other / file).read_bytes())
            _files(folder).setdefault(name, []).append(file)


def _drop_spoiled(name: str, folder: Path) -> None:
    """Delete the files of a kernel if any is not as it was written."""
    files, sums = _files(folder).get(name, ()), _sums(folder / f"{name}{SUMS}")["files"]
    if not all(_is_sound(folder / file, sums.get(file)) for file in files):
        for file in files:
            (folder / file).unlink(missing_ok=True)


def _is_sound(file: Path, known: str | None) -> bool:
    """Whether a file has this checksum, or is whole as far as one can see without."""
    if file.suffix == ".sums" or not file.exists():
        return True
    content = file.read_bytes()
    if known == hashlib.sha256(content).hexdigest():
        _noted[file] = file.stat().st_mtime_ns
        return True
    if file.suffix == ".nbc":
        return known is None and content[:1] == b"\x80" and content[-1:] == b"."
    try:  # another process may have added types since; two pickles, the second of numba's types
        with open(file, "rb") as stream:
            return all(pickle.load(stream) is not None for _ in range(2))
    except Exception:  # whatever is wrong with it
        return False


_touched: set[tuple[Path, str]] = set()  # folders and names of kernels that numba has asked for
_noted: dict[Path, int] = {}  # dates of files whose checksums are written down
atexit.register(note_kept)
