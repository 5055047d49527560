"""VTU and VTP files for ParaView: a dataset with every field, in SI units, as VTK's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sole.base.errors import SoleError

if TYPE_CHECKING:
    from pyvista import PolyData, UnstructuredGrid


def encode_vtu(dataset: UnstructuredGrid | PolyData) -> bytes:
    """Return the dataset as VTU or VTP text; VTK's own file writer crashes on a full disk."""
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter, vtkXMLUnstructuredGridWriter

    surface = dataset.IsA("vtkPolyData")
    writer = vtkXMLPolyDataWriter() if surface else vtkXMLUnstructuredGridWriter()
    writer.SetInputData(dataset)
    writer.SetDataModeToBinary()
    writer.SetCompressorTypeToZLib()
    writer.WriteToOutputStringOn()
    if not writer.Write():
        raise SoleError("VTK could not write the dataset as XML")
    return str(writer.GetOutputString()).encode()
