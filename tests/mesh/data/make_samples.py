#!/usr/bin/python3
"""Makes the sample meshes of this folder with other programs: gmsh, meshio and VTK.

Run it here; needs the Debian packages gmsh, python3-meshio and python3-vtk9.
"""
import pathlib
import subprocess

import meshio
import numpy as np
import vtk


def gmsh(geo, out, *options):
    dim = "-2" if geo.startswith("plate") else "-3"
    subprocess.run(["gmsh", dim, geo, "-v", "1", *options, "-o", out], check=True)


def gmsh_samples():
    for name in ("plate", "box", "bricks"):
        for version in ("22", "41"):
            gmsh(f"{name}.geo", f"{name}_{version}_ascii.msh", "-format", f"msh{version}")
            gmsh(f"{name}.geo", f"{name}_{version}_binary.msh", "-format", f"msh{version}", "-bin")
        gmsh(f"{name}.geo", f"{name}.inp", "-format", "inp", "-setnumber", "Mesh.SaveGroupsOfNodes", "1")
    parametric = ["-setnumber", "Mesh.SaveParametric", "1", "-format", "msh41"]
    gmsh("plate.geo", "plate_41_parametric_ascii.msh", *parametric)
    gmsh("plate.geo", "plate_41_parametric_binary.msh", *parametric, "-bin")
    for name in ("plate", "box", "bricks"):
        second = ["-order", "2", "-setnumber", "Mesh.SecondOrderIncomplete", "1"]
        gmsh(f"{name}.geo", f"{name}_second_22.msh", *second, "-format", "msh22")
        gmsh(f"{name}.geo", f"{name}_second_41.msh", *second, "-format", "msh41", "-bin")
        gmsh(f"{name}.geo", f"{name}_second.inp", *second, "-format", "inp")
    gmsh("bricks.geo", "bricks_complete_41.msh", "-order", "2", "-format", "msh41")
    for version in ("22", "41"):
        gmsh("mixed.geo", f"mixed_{version}.msh", "-format", f"msh{version}")
    gmsh("mixed.geo", "mixed_second_22.msh", *second, "-format", "msh22")
    gmsh("mixed.geo", "mixed_complete_41.msh", "-order", "2", "-format", "msh41", "-bin")
    gmsh("mixed.geo", "mixed_second.inp", *second, "-format", "inp", "-setnumber", "Mesh.SaveGroupsOfNodes", "1")
    gmsh("plate.geo", "bad/third_order_22.msh", "-order", "3", "-format", "msh22")
    gmsh("plate.geo", "bad/third_order_41.msh", "-order", "3", "-format", "msh41", "-bin")
    gmsh("plate.geo", "bad/version_40.msh", "-format", "msh40")


# a unit cube, a tetrahedron of volume 1/6, a triangle of area 1/2, a unit square, a unit segment,
# and a lone point
POINTS = np.array(
    [
        *[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
        *[[2, 0, 0], [3, 0, 0], [2, 1, 0], [2, 0, 1]],
        *[[0, 0, 2], [1, 0, 2], [0, 1, 2]],
        *[[0, 0, 3], [1, 0, 3], [1, 1, 3], [0, 1, 3]],
        *[[0, 0, 4], [1, 0, 4]],
        [5, 5, 5],
    ],
    dtype=float,
)
CELLS = [
    ("hexahedron", 12, [[0, 1, 2, 3, 4, 5, 6, 7]]),
    ("tetra", 10, [[8, 9, 10, 11]]),
    ("triangle", 5, [[12, 13, 14]]),
    ("quad", 9, [[15, 16, 17, 18]]),
    ("line", 3, [[19, 20]]),
    ("vertex", 1, [[21]]),
]


def vtk_grid():
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    for p in POINTS:
        points.InsertNextPoint(p)
    grid = vtk.vtkUnstructuredGrid()
    grid.SetPoints(points)
    for _, kind, cells in CELLS:
        for cell in cells:
            grid.InsertNextCell(kind, len(cell), cell)
    mark = vtk.vtkFloatArray()
    mark.SetName("mark")
    for k in range(len(POINTS)):
        mark.InsertNextValue(0.5 * k)
    grid.GetPointData().SetScalars(mark)
    return grid


def vtk_write(name, mode, wide=False, big=False, base64=False, packer="zlib"):
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(name)
    writer.SetInputData(vtk_grid())
    getattr(writer, f"SetDataModeTo{mode}")()
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
    writer.SetEncodeAppendedData(base64)
    types = {"zlib": "ZLib", "none": "None", "lz4": "LZ4"}
    getattr(writer, f"SetCompressorTypeTo{types[packer]}")()
    writer.Write()


def vtk_samples():
    vtk_write("vtk_ascii.vtu", "Ascii")
    vtk_write("vtk_inline_zlib.vtu", "Binary")
    vtk_write("vtk_inline_zlib_64_big.vtu", "Binary", wide=True, big=True)
    vtk_write("vtk_inline_none.vtu", "Binary", packer="none")
    vtk_write("vtk_raw_zlib_64.vtu", "Appended", wide=True)
    vtk_write("vtk_raw_none_big.vtu", "Appended", big=True, packer="none")
    vtk_write("vtk_base64_zlib.vtu", "Appended", base64=True)
    vtk_write("vtk_base64_none_64.vtu", "Appended", wide=True, base64=True, packer="none")
    vtk_write("bad/lz4.vtu", "Binary", packer="lz4")


def meshio_samples():
    mixed = meshio.Mesh(POINTS, [(name, np.array(cells)) for name, _, cells in CELLS])
    meshio.write("meshio_ascii.vtu", mixed, binary=False)
    meshio.write("meshio_zlib.vtu", mixed)
    meshio.write("meshio_none.vtu", mixed, compression=None)

    # the surface of the unit cube, two triangles to a side
    quads = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    tris = [t for q in quads for t in ([q[0], q[1], q[2]], [q[0], q[2], q[3]])]
    cube = meshio.Mesh(POINTS[:8], [("triangle", np.array(tris))])
    sides = meshio.Mesh(POINTS[:8], [("quad", np.array(quads))])
    meshio.write("cube_ascii.stl", cube, binary=False)
    meshio.write("cube_binary.stl", cube, binary=True)
    meshio.write("cube_ascii.ply", cube, binary=False)
    meshio.write("cube_binary.ply", cube, binary=True)
    meshio.write("cube_quads.ply", sides, binary=True)


def vtk_surface_samples():
    cube = vtk.vtkCubeSource()
    cube.SetBounds(0, 1, 0, 1, 0, 1)
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputConnection(cube.GetOutputPort())
    writer = vtk.vtkPLYWriter()
    writer.SetFileName("cube_big_endian.ply")
    writer.SetDataByteOrderToBigEndian()
    writer.SetInputConnection(triangles.GetOutputPort())
    writer.Write()


def vtk_image(name, mode, base64=False, wide=False, big=False, packer="ZLib"):
    """6 x 5 x 4 cells: a corner of 2 x 2 x 4 is empty, tissue 1 below and 3 above the middle."""
    image = vtk.vtkImageData()
    image.SetExtent(2, 8, 0, 5, 0, 4)
    image.SetOrigin(9, -2, 0)
    image.SetSpacing(0.5, 1, 2)
    other = vtk.vtkFloatArray()
    other.SetName("density")
    number = vtk.vtkShortArray()
    number.SetName("number")
    tissue = vtk.vtkUnsignedCharArray()
    tissue.SetName("tissue")
    for k in range(4):
        for j in range(5):
            for i in range(6):
                other.InsertNextValue(0.1 * i)
                number.InsertNextValue(1)
                tissue.InsertNextValue(0 if i >= 4 and j >= 3 else 3 if k >= 2 else 1)
    for array in (other, number):
        image.GetCellData().AddArray(array)
    image.GetCellData().SetScalars(tissue)
    writer = vtk.vtkXMLImageDataWriter()
    writer.SetFileName(name)
    writer.SetInputData(image)
    getattr(writer, f"SetDataModeTo{mode}")()
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
    writer.SetEncodeAppendedData(base64)
    getattr(writer, f"SetCompressorTypeTo{packer}")()
    writer.Write()


def vtk_image_samples():
    vtk_image("vtk_ascii.vti", "Ascii")
    vtk_image("vtk_inline_none.vti", "Binary", packer="None")
    vtk_image("vtk_inline_zlib_64_big.vti", "Binary", wide=True, big=True)
    vtk_image("vtk_raw_zlib.vti", "Appended")
    vtk_image("vtk_base64_none.vti", "Appended", base64=True, packer="None")


if __name__ == "__main__":
    pathlib.Path("bad").mkdir(exist_ok=True)
    gmsh_samples()
    vtk_samples()
    meshio_samples()
    vtk_surface_samples()
    vtk_image_samples()
