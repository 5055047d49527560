"""Series for ParaView: NAME.pvd lists datasets in time, the folder NAME_series holds them.

ParaView opens NAME.pvd alone and finds the rest. Parts such as soles and ground are blocks
of every instant; units are in the names of arrays, as in single VTU files.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from sole.base.archive import replacing, require_writable, target_of
from sole.base.errors import SoleError
from sole.pictures.vtu_export import encode_vtu

if TYPE_CHECKING:
    from pyvista import PolyData, UnstructuredGrid

OURS = re.compile(r"[a-z]+_\d{4,}\.vt[up]")  # names of the files in the folder


def write_series(
    output: Path,
    instants: Iterable[tuple[float, Mapping[str, UnstructuredGrid | PolyData]]],
    units: Mapping[str, str],
) -> int:
    """Write (time, part -> dataset) of every instant and return how many there were.

    A part that is the very object of the instant before is written once and listed again. Files
    of an older series of this name are replaced; others in the folder stay.

    Raises
    ------
    SoleError
        The folder of `output` cannot be written to, or the disk is full; no file is left.
    """
    require_writable(Path(output))
    output = target_of(Path(output))  # whose folder the names in it are relative to
    folder = output.with_name(f"{output.stem}_series")
    if folder.exists() and not folder.is_dir():
        raise SoleError(f"cannot write {output}: {folder} is a file, expected a folder")
    lines, last, count = list[str](), dict[str, tuple[object, str]](), 0
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.stem}-") as made:
        for time, parts in instants:
            for place, (part, dataset) in enumerate(parts.items()):
                if part not in last or last[part][0] is not dataset:
                    kind = "vtp" if dataset.IsA("vtkPolyData") else "vtu"
                    name = f"{part}_{count:04d}.{kind}"
                    with replacing(Path(made) / name) as temporary:
                        temporary.write_bytes(encode_vtu(dataset, units))
                    last[part] = (dataset, name)
                at = quoteattr(f"{folder.name}/{last[part][1]}")
                lines.append(
                    f'    <DataSet timestep="{time:.9g}" part="{place}" '
                    f"name={quoteattr(part)} file={at}/>\n"
                )
            count += 1
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            if OURS.fullmatch(old.name):
                old.unlink()
        for new in Path(made).iterdir():
            shutil.move(new, folder / new.name)
    with replacing(output) as temporary:
        temporary.write_text(
            '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n  <Collection>\n'
            f"{''.join(lines)}  </Collection>\n</VTKFile>\n",
            encoding="utf-8",
        )
    return count
