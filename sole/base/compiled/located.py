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

MARK = "-k"  # between what names a kernel and what numba appends
SUMS = f"{MARK}.sums"


class Located:
    """What numba asks for a function of ours; it finds the methods by their names."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file  # for numba's warnings
        self.folder = working_folder() / ("inner" if function.kept_inside else "")
        self.folder.mkdir(exist_ok=True)
        self.name = name_of(function, file)
        if not function.kept_inside:
            _fetch(self.name, self.folder)
        _drop_spoiled(self.name, self.folder)
        _touched.add((self.folder, self.name))

    @classmethod
    def from_function(cls, function: Any, file: str) -> Located | None:
        """Return a locator for a kernel of ours; None for others, and where nothing is kept."""
        if not hasattr(function, "kept_inside"):
            return None
        try:
            return cls(function, file)
        except OSError:  # a full disk: numba goes on with its own locators
            return None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self.folder)

    def get_source_stamp(self) -> str:
        """Return what does not change: the files' names say it all."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what follows the kernel's name, without the dash."""
        return MARK[1:]

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)


def name_of(function: Any, file: str) -> str:
    """Return the part of the files' names that numba makes of a function's name."""
    return f"{Path(file).stem}.{function.__qualname__}".translate({ord("<"): "", ord(">"): ""})


@cache
def working_folder() -> Path:
    """Return the folder that is written to; one of this process alone if there is no other."""
    if (folder := writable_folder()) is not None:
        return folder
    from sole.base.compiled.news import say

    say(
        f"machine code cannot be kept in {code_folders()[-1]}: this process compiles for itself "
        "(NUMBA_CACHE_DIR names another folder)"
    )
    made = tempfile.mkdtemp(prefix="compliant-sole-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def is_kept(function: Any, types: tuple[Any, ...]) -> bool:
    """Whether machine code of a kernel for these types was kept by `note_kept`."""
    name, key = name_of(function, function.__code__.co_filename), _key(types)
    for folder in {working_folder(): 0, **dict.fromkeys(code_folders())}:
        if name in _files(folder) and key in _sums(folder / f"{name}{SUMS}")["kept"]:
            return True
    return False


def note_kept(function: Any = None, types: tuple[Any, ...] = ()) -> None:
    """Write down the checksums of what this process has written, and that a kernel is kept."""
    for folder, name in sorted(_touched):
        kept = function is not None and name == name_of(function, function.__code__.co_filename)
        with contextlib.suppress(OSError):
            _note(folder, name, _key(types) if kept else None)


def _note(folder: Path, name: str, key: str | None) -> None:
    file = folder / f"{name}{SUMS}"
    known, written = _sums(file), file.stat().st_mtime_ns if file.exists() else 0
    files = [p for p in folder.glob(f"{name}{MARK}.py*.nb?") if p.suffix in (".nbi", ".nbc")]
    new = [p for p in files if p.name not in known["files"] or p.stat().st_mtime_ns > written]
    if not new and (key is None or key in known["kept"]):
        return
    known["files"] |= {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in new}
    known["kept"] = sorted({*known["kept"], *filter(None, [key])})
    number, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
    with open(number, "w", encoding="ascii") as stream:
        json.dump(known, stream)
    os.chmod(temporary, 0o644)
    os.replace(temporary, file)


def _key(types: tuple[Any, ...]) -> str:
    from sole.base.numba_settings import processor

    return digest(types, processor())[:16]


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
    with contextlib.suppress(OSError):
        for file in os.scandir(folder):
            kernel, mark, _ = file.name.partition(f"{MARK}.")
            if mark and not file.name.endswith(".tmp"):
                found.setdefault(kernel, []).append(file.name)
    return found


def _fetch(name: str, folder: Path) -> None:
    """Copy the files of a kernel from a folder that cannot be written."""
    for other in code_folders():
        if other != folder and name in _files(other) and name not in _files(folder):
            for file in _files(other)[name]:
                number, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
                os.close(number)
                shutil.copyfile(other / file, temporary)
                os.replace(temporary, folder / file)
            _files(folder)[name] = list(_files(other)[name])
            return


def _drop_spoiled(name: str, folder: Path) -> None:
    """Delete the files of a kernel if any is not as it was written."""
    files = _files(folder).get(name, ())
    sums = _sums(folder / f"{name}{SUMS}")["files"]
    if not all(_is_sound(folder / file, sums.get(file)) for file in files):
        for file in files:
            (folder / file).unlink(missing_ok=True)


def _is_sound(file: Path, known: str | None) -> bool:
    """Whether a file has this checksum, or is whole as far as one can see without."""
    if not file.name.endswith((".nbi", ".nbc")):
        return True
    try:
        content = file.read_bytes()
    except OSError:
        return True  # somebody has deleted it: numba compiles
    if known == hashlib.sha256(content).hexdigest():
        return True
    if file.suffix == ".nbc":
        return known is None and content[:1] == b"\x80" and content[-1:] == b"."
    try:  # another process may have added types since; two pickles, the second of numba's types
        with open(file, "rb") as stream:
            return all(pickle.load(stream) is not None for _ in range(2))
    except Exception:  # whatever is wrong with it
        return False


_touched: set[tuple[Path, str]] = set()
atexit.register(note_kept)
