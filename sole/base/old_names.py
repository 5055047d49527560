"""Options that got another name: the old one is refused with the new one."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["new_name"]

# By command: the old name, and what to write now.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "sole compile": {"--processes": "--workers"},
    "sole contact solve": {"--tol": "--tolerance"},
    "sole contact bench": {"--tol": "--tolerance"},
    "sole export": {"--load": "--force"},
    "sole mesh": {"--step": "--cad"},
    "sole view": {"--size": "--pixels"},
    "sole walk": {
        "--steps": "--footsteps",
        "--size": "--size-tread",
        "--nodes": "--forces-every",
        "--margins": "--margins-every",
    },
    "sole live walk": {"--size": "--size-tread", "--nodes": "--forces-every"},
}


def new_name(command: str, option: str) -> str:
    """Return the present name of an option of a command such as "sole walk", '' if unknown."""
    return RENAMED.get(command, {}).get(option, "")
