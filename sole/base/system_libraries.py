"""System libraries that the wheels of gmsh, VTK and pinocchio load but do not contain.

Uses the standard library only, so it runs as a script before anything is installed::

    python3 sole/base/system_libraries.py            # say what is missing
    python3 sole/base/system_libraries.py --install  # install it (root on Debian or Ubuntu)

Why check first: on a bare Debian 12 `import pinocchio` and `import gmsh` name one missing
library at a time, and VTK's off-screen window crashes with a segmentation fault.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "LIBRARIES",
    "SystemLibrary",
    "install",
    "is_debian",
    "mending_command",
    "missing",
]


@dataclass(frozen=True)
class SystemLibrary:
    """One shared library: its soname, its Debian package and who needs it."""

    soname: str
    package: str
    needed_by: str


LIBRARIES = (
    SystemLibrary("libgomp.so.1", "libgomp1", "pinocchio"),
    SystemLibrary("libGL.so.1", "libgl1", "gmsh, VTK"),
    SystemLibrary("libGLU.so.1", "libglu1-mesa", "gmsh"),
    SystemLibrary("libXcursor.so.1", "libxcursor1", "gmsh"),
    SystemLibrary("libXft.so.2", "libxft2", "gmsh"),
    SystemLibrary("libXinerama.so.1", "libxinerama1", "gmsh"),
    SystemLibrary("libXrender.so.1", "libxrender1", "gmsh, VTK"),
    SystemLibrary("libfontconfig.so.1", "libfontconfig1", "gmsh"),
    SystemLibrary("libEGL.so.1", "libegl1", "VTK without a display"),
)


def missing(libraries: Sequence[SystemLibrary] = LIBRARIES) -> tuple[SystemLibrary, ...]:
    """Return the libraries that the loader does not find; always none outside Linux."""
    if not sys.platform.startswith("linux"):
        return ()
    return tuple(library for library in libraries if not _loads(library.soname))


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def mending_command(libraries: Sequence[SystemLibrary]) -> str:
    """Return the shell command that installs `libraries`; '' if there are none."""
    if not libraries:
        return ""
    sudo = "" if _is_root() else "sudo "
    packages = " ".join(library.package for library in libraries)
    return f"{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends {packages}"


def is_debian(os_release: Path = Path("/etc/os-release")) -> bool:
    """Return whether this is Debian, Ubuntu or a system that declares itself like them."""
    try:
        lines = os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    names = [line.partition("=")[2].strip("\"'") for line in lines if line.startswith("ID")]
    known = {"debian", "ubuntu"}
    return bool(known & set(" ".join(names).split())) and shutil.which("apt-get") is not None


def install(libraries: Sequence[SystemLibrary]) -> bool:
    """Install `libraries` by apt-get without prompts; show its output only if it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = [library.package for library in libraries]
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends"]):
        command = ["apt-get", *arguments, *(packages if arguments[0] == "install" else [])]
        print("+", " ".join(command), flush=True)
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            print(done.stdout + done.stderr, file=sys.stderr)
            return False
    return True


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def main(arguments: Sequence[str]) -> int:
    """Print what is missing, install it on request; return 0 if nothing is missing, else 2."""
    lacking = missing()
    if lacking and "--install" in arguments and _is_root() and is_debian():
        print("system libraries missing:", ", ".join(library.soname for library in lacking))
        install(lacking)
        lacking = missing(lacking)
    if not lacking:
        if "--install" not in arguments:
            print("system libraries: all found")
        return 0
    print("error: these system libraries are missing:", file=sys.stderr)
    for library in lacking:
        print(f"  {library.soname}  (needed by {library.needed_by})", file=sys.stderr)
    elsewhere = "" if is_debian() else " (Debian's names; find the same in your distribution)"
    print(f"install them with this command{elsewhere}:", file=sys.stderr)
    print(f"  {mending_command(lacking)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
