"""``package://`` of a URDF: named folders, folders above the file, and those of ROS.

ROS 1 lists folders of packages in ROS_PACKAGE_PATH; ROS 2 lists prefixes in AMENT_PREFIX_PATH,
with a package in PREFIX/share/NAME.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from sole.base.errors import ShapeError
from sole.shape.urdf_numbers import place_of

SCHEME = "package://"


def find_packages(tree: ET.Element, path: Path, packages: Sequence[str | Path]) -> None:
    """Give each mesh of a URDF whose ``package://`` is found the path of its file.

    The others keep their names, also single files that a named package lacks.

    Parameters
    ----------
    path : the URDF; the folders above it are searched after `packages`, those of ROS last.
    packages : "NAME=FOLDER" for one package, or a folder that holds packages.

    Raises
    ------
    ShapeError
        NAME=FOLDER names no folder, or one that holds no mesh of the package.
    """
    named = dict(split for text in packages if (split := _named(str(text))) is not None)
    folders = [Path(text) for text in packages if _named(str(text)) is None]
    folders += path.resolve().parents
    lacking: dict[str, ET.Element] = {}
    found_in: set[str] = set()
    for mesh in tree.iter("mesh"):
        filename = mesh.get("filename", "")
        package, _, rest = filename.removeprefix(SCHEME).partition("/")
        if not filename.startswith(SCHEME):
            continue
        if package in named:
            file = named[package] / rest
            if file.is_file():
                found_in.add(package)
                mesh.set("filename", str(file.resolve()))
            else:
                lacking.setdefault(package, mesh)
        elif find_package_file(filename, folders) is None:
            places = [folder / rest for folder in _ros_folders(package)]
            if (found := next((p for p in places if p.is_file()), None)) is not None:
                mesh.set("filename", str(found.resolve()))
    for package in lacking.keys() - found_in:
        filename = lacking[package].get("filename", "")
        rest = filename.removeprefix(f"{SCHEME}{package}/")
        raise ShapeError(
            f"{place_of(path, lacking[package])}: {filename}: no file '{rest}' in "
            f"{named[package]}: --package {package}=FOLDER must name the package's folder"
        )


def refuse_missing_folders(packages: Sequence[str | Path]) -> None:
    """Raise ShapeError if "NAME=FOLDER" or a folder names no folder."""
    for text in packages:
        named = _named(str(text))
        folder = Path(text) if named is None else named[1]
        if not folder.is_dir():
            raise ShapeError(f"--package {text}: no such folder '{folder}'")


def find_package(name: str, path: Path, packages: Sequence[str | Path]) -> Path | None:
    """Return the folder of a package, looked up as `find_packages` does; None if there is none."""
    named = dict(split for text in packages if (split := _named(str(text))) is not None)
    if name in named:
        return named[name]
    above = package_above(path, name)
    folders = [*plain_folders(packages), *path.resolve().parents]
    places = [folder / name for folder in folders] + _ros_folders(name)
    return above or next((place for place in places if place.is_dir()), None)


def package_above(path: Path, name: str | None = None) -> Path | None:
    """Return the next folder above a file that is a package, of this name if one is given."""
    for folder in path.resolve().parents:
        manifest = folder / "package.xml"
        if name == folder.name or (
            manifest.is_file()
            and (name is None or f"<name>{name}</name>" in manifest.read_text(errors="replace"))
        ):
            return folder
    return None


def plain_folders(packages: Sequence[str | Path]) -> tuple[Path, ...]:
    """Return those of `packages` that are folders with packages."""
    return tuple(Path(text) for text in packages if _named(str(text)) is None)


def find_package_file(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the path of a mesh's `filename`, or None if no folder has it."""
    if name.startswith(SCHEME):
        parts = Path(name.removeprefix(SCHEME)).parts
        # A package's folder may have been renamed or moved: then its end is looked for.
        ends = [Path(*parts[k:]) for k in range(max(1, len(parts) - 1))]
        return next((f / end for end in ends for f in folders if (f / end).is_file()), None)
    path = Path(name.removeprefix("file://"))
    places = [path] if path.is_absolute() else [f / path for f in folders]
    return next((p for p in places if p.is_file()), None)


def relative_to(folder: Path, package: str) -> str:
    """Return "NAME=FOLDER" or a folder with its path relative to `folder`."""
    if (split := _named(package)) is None:
        return str(folder / package)
    return f"{split[0]}={folder / split[1]}"


def _named(text: str) -> tuple[str, Path] | None:
    """Return the name and folder of "NAME=FOLDER"; None for a folder."""
    name, equals, folder = text.partition("=")
    if not equals or "/" in name:
        return None
    if not name or not folder:
        raise ShapeError(f"package '{text}': expected NAME=FOLDER or a folder")
    return name, Path(folder).expanduser()


def _ros_folders(package: str) -> list[Path]:
    """Return the places of a package in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH."""
    listed = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
    prefixes = [Path(p) for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    return [
        *(p if p.name == package else p / package for p in listed),
        *(p / "share" / package for p in prefixes),
    ]
