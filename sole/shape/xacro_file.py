"""xacro: evaluated in a child process that reads robot files and does nothing else.

xacro evaluates expressions of Python. The child has limits of time and memory, and an audit hook
(PEP 578) refuses it other folders than those of the file's own package and of packages that the
file names, and every program, connection and change of files.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sole.base.bounded_child import bounded_child
from sole.base.errors import ShapeError
from sole.base.extras import require_extra
from sole.base.files import LARGEST_TEXT
from sole.shape.urdf_packages import find_package, package_above

SECONDS = 20  # of processor time
PATIENCE = 60  # s of waiting for the child
MEMORY = 1_000_000_000  # bytes of address space
_ARGUMENT = re.compile(r"\$\(arg\s+([^)\s]+)\s*\)|<xacro:arg\s[^>]*?name\s*=\s*[\"']([^\"']+)")
_CODE = (".py", ".pyc", ".so")  # files of Python's own modules
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.symlink")
_PROGRAMS = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "os.startfile")
_ROOMS = ("subprocess", "socket", "ctypes", "shutil", "pty", "http", "urllib")


def expand_xacro(path: Path, packages: Sequence[str | Path], arguments: Sequence[str]) -> str:
    """Return the XML that a xacro file expands to.

    Parameters
    ----------
    packages : where ``$(find NAME)`` is looked up, see `find_packages`.
    arguments : "NAME=VALUE" for each ``$(arg NAME)``.

    Raises
    ------
    ShapeError
        The file is not valid, lacks an argument or a package, leaves its folders, or takes too much
        time or memory.
    SoleError
        The extra is not installed.
    """
    require_extra("xacro", f"{path}: xacro")
    for text in arguments:
        if not text.partition("=")[0] or "=" not in text:
            raise ShapeError(f"--xacro-arg '{text}': expected NAME=VALUE")
    file = path.resolve()
    folders = [str(package) for package in packages]
    given = json.dumps({"file": str(file), "packages": folders, "arguments": list(arguments)})
    code = "from sole.shape.xacro_file import answer; answer(sys.argv[1])"
    with bounded_child(
        code, [given], seconds=SECONDS, memory=MEMORY, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            told = json.loads(child.communicate(timeout=PATIENCE)[0])
        except (ValueError, subprocess.TimeoutExpired) as error:
            raise ShapeError(
                f"{path}: xacro crashes on it, or takes over {SECONDS} s or {MEMORY / 1e9:.0f} GB"
            ) from error
    if "error" in told:
        raise ShapeError(f"{path}: {told['error']}")
    return str(told["xml"])


def answer(given: str) -> None:
    """Expand a file in the child, and print the XML or the error as JSON."""
    import xacro
    from xacrodoc import packages

    task = json.loads(given)
    path, named = Path(task["file"]), tuple(task["packages"])
    arguments = dict(text.split("=", 1) for text in task["arguments"])
    guard = _Guard(package_above(path) or path.parent)
    sys.addaudithook(guard)
    told: dict[str, str] = {}
    try:
        while True:
            try:
                text = xacro.process_file(str(path), mappings=dict(arguments)).toxml()
                break
            except Exception as error:
                lacking = next(
                    (
                        e.args[0]
                        for e in _causes(error)
                        if isinstance(e, packages.PackageNotFoundError)
                    ),
                    None,
                )
                if lacking is None:
                    raise
                folder = find_package(lacking, path, named)
                if folder is None:
                    told["error"] = f"no package '{lacking}': --package {lacking}=FOLDER"
                    raise
                guard.folders.append(str(folder.resolve()))
                packages.update_package_cache({lacking: folder})
        told |= _checked(text, arguments, guard.read)
    except Exception as error:
        told.setdefault("error", _in_words(error, path, guard.refused, xacro))
    print(json.dumps(told))


class _Guard:
    """An audit hook that lets Python read modules and files in `folders`, and refuses the rest."""

    def __init__(self, folder: Path) -> None:
        self.folders = [str(folder.resolve())]
        self.read: list[str] = []
        self.refused: list[str] = []

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            self._open(*args)
        elif event.split(".")[0] in _ROOMS or event.startswith((*_CHANGES, *_PROGRAMS)):
            self.refused.append(event)
            raise PermissionError(f"{event} is refused")

    def _open(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int):
            return
        place = os.path.realpath(os.fsdecode(path))
        if not flags & (os.O_WRONLY | os.O_RDWR):
            if place.endswith(_CODE):
                return
            if any(place.startswith(folder + os.sep) for folder in self.folders):
                self.read.append(place)
                return
        self.refused.append(place)
        raise PermissionError(1, "is refused", place)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = getattr(error, "exc", None) or error.__cause__


def _checked(text: str, arguments: dict[str, str], read: list[str]) -> dict[str, str]:
    """Return the XML, or an error if it is too long or an argument is used in no file."""
    if len(text) > LARGEST_TEXT:
        return {"error": f"xacro makes over {LARGEST_TEXT / 1e6:.0f} MB of it"}
    files = [Path(file).read_text(encoding="utf-8", errors="replace") for file in set(read)]
    known = sorted({a or b for file in files for a, b in _ARGUMENT.findall(file)})
    for name in arguments:
        if name not in known:
            return {"error": f"no argument '{name}'; there are {', '.join(known) or 'none'}"}
    return {"xml": text}


def _in_words(error: Exception, path: Path, refused: list[str], xacro: Any) -> str:
    if refused:
        return (
            f"xacro asks for {refused[0]}, outside the robot's folder: only files of its package, "
            "and of packages that --package names, are read"
        )
    for cause in _causes(error):
        if isinstance(cause, xacro.substitution_args.ArgException):
            name = str(cause)
            return f"argument '{name}' has no value: --xacro-arg {name}=VALUE"
    where = next((f"{f}: " for f in xacro.filestack[-1:] if f and Path(f) != path), "")
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"not a readable xacro file ({where}{reason})"
