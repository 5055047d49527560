"""VTU and VTP files for ParaView: fields with their units in their names, as VTK's XML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sole.base.errors import SoleError

if TYPE_CHECKING:
    from pyvista import PolyData, UnstructuredGrid


def encode_vtu(
    dataset: UnstructuredGrid | PolyData, units: Mapping[str, str] | None = None
) -> bytes:
    """Return the dataset as VTU or VTP text; VTK's own file writer crashes on a full disk.

    An array that has a unit in `units` is called "NAME [UNIT]", as ParaView shows nothing else.
    """
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter, vtkXMLUnstructuredGridWriter

    dataset = dataset.copy(deep=False)
    for home in (dataset.point_data, dataset.cell_data):
        for name in list(home):
            if unit := (units or {}).get(name):
                home[f"{name} [{unit}]"] = home.pop(name)
    surface = dataset.IsA("vtkPolyData")
    writer = vtkXMLPolyDataWriter() if surface else vtkXMLUnstructuredGridWriter()
    writer.SetInputData(dataset)
    writer.SetDataModeToBinary()
    writer.SetCompressorTypeToZLib()
    writer.WriteToOutputStringOn()
    if not writer.Write():
        raise SoleError("VTK could not write the dataset as XML")
    return str(writer.GetOutputString()).encode()
