#!/usr/bin/python3
"""Makes the damaged meshes of bad/ that are not made by make_samples.py; run it here."""
import base64
import pathlib
import struct
import zlib

BAD = pathlib.Path("bad")


def put(name, data):
    (BAD / name).write_bytes(data if isinstance(data, bytes) else data.encode())


SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def obj():
    put("empty.obj", "")
    put("index_high.obj", SQUARE + "f 1 2 3\nf 1 3 9\n")
    put("index_zero.obj", SQUARE + "f 0 1 2\n")
    put("index_negative.obj", SQUARE + "f -1 -2 -9\n")
    put("index_absurd.obj", SQUARE + "f 1 2 3\nf 1 2 99999999999999999999\n")
    put("index_large.obj", SQUARE + "f 1 2 4000000000\n")
    put("nan.obj", "v 0 0 0\nv 0 nan 0\nv 0 1 0\nf 1 2 3\n")
    put("inf.obj", "v 0 0 0\nv 0 1 0\nv 0 1 1e999\nf 1 2 3\n")
    put("vertex_short.obj", "v 0 0 0\nv 1 2\n")
    put("vertex_word.obj", "# a comment\r\nv 0 0 0\r\nv 1 two 3\r\n")
    put("vertex_hex.obj", "v 0 0x10 0\n")
    put("face_short.obj", SQUARE + "\n\nf 1 2\n")
    put("face_corner.obj", SQUARE + "f 1 2 x3\n")
    put("face_slash.obj", SQUARE + "f 1/a/1 2 3\n")
    put("face_polygon.obj", SQUARE + "f " + "1 2 3 4 " * 64 + "\n")
    put("line_short.obj", SQUARE + "l 1\n")
    put("binary.obj", b"\0\1\2\3" * 100)
    put("garbage.obj", "lorem ipsum dolor\nsit amet\n")
    put("no_cells.obj", SQUARE)
    put("groups.obj", "g " + " ".join(f"part{k}" for k in range(17)) + "\n")
    put("group_long.obj", "g " + "n" * 300 + "\n")
    put("is_ply.obj", "ply\nformat ascii 1.0\nend_header\n")
    put("utf16.obj", (SQUARE + "f 1 2 3\n").encode("utf-16"))
    put("gzip.obj", b"\x1f\x8b\x08\0\0\0\0\0\0\3")
    put("legacy.vtu", "# vtk DataFile Version 3.0\n")


def stl_binary(n, triangles, head=b"made by hand"):
    rows = b"".join(struct.pack("<12fH", 0, 0, 1, *t, 0) for t in triangles)
    return head.ljust(80) + struct.pack("<I", n) + rows


def stl():
    tri = [0, 0, 0, 1, 0, 0, 0, 1, 0]
    facet = "facet normal 0 0 1\n outer loop\n{}endloop\nendfacet\n"
    corner = "  vertex 0 0 0\n"
    put("short.stl", b"too short")
    put("cut.stl", stl_binary(3, [tri, tri, tri])[:-10])
    put("count_absurd.stl", stl_binary(0xFFFFFFFF, [tri]))
    put("count_small.stl", stl_binary(1, [tri, tri]))
    put("count_zero.stl", stl_binary(0, []))
    put("nan.stl", stl_binary(1, [[0, 0, 0, 1, float("nan"), 0, 0, 1, 0]]))
    put("solid_binary_cut.stl", stl_binary(3, [tri, tri], b"solid made by hand"))
    opened = "facet normal 0 0 1\nouter loop\n"
    put("ascii_cut.stl", "solid a\n" + facet.format(corner * 3) + opened)
    put("ascii_open.stl", "solid a\n" + facet.format(corner * 3))
    put("ascii_four.stl", "solid a\n" + facet.format(corner * 4) + "endsolid\n")
    put("ascii_word.stl", "solid a\n" + facet.format(corner + "vertex 0 x 0\n") + "endsolid\n")
    put("ascii_inf.stl", "solid a\n" + facet.format(corner * 2 + "vertex 0 inf 0\n") + "endsolid\n")
    put("ascii_garbage.stl", "solid a\nthis is prose\n")


PLY = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)


def ply():
    def edit(name, *pairs):
        text = PLY
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new, 1)
        put(name, text)

    edit("magic.ply", ("ply\n", "plx\n"))
    edit("no_format.ply", ("format ascii 1.0\n", ""))
    edit("format_unknown.ply", ("ascii", "text"))
    edit("version.ply", ("1.0", "2.0"))
    edit("type_unknown.ply", ("list uchar int", "list uchar quaternion"))
    edit("list_float.ply", ("list uchar", "list float"))
    edit("index_float.ply", ("uchar int", "uchar float"))
    edit("properties.ply", ("property float x\n", "property float a\n" * 257))
    edit("elements.ply", ("element vertex", "element some 1\n" * 32 + "element vertex"))
    edit("count_absurd.ply", ("vertex 3", "vertex 2000000000"))
    edit("count_large.ply", ("face 1", "face 40000000"))
    edit("count_word.ply", ("face 1", "face many"))
    edit("two_vertex.ply", ("element face", "element vertex 3\nelement face"))
    edit("property_first.ply", ("element vertex 3\n", ""))
    edit("no_z.ply", ("property float z\n", ""))
    edit("no_list.ply", ("vertex_indices", "corners"))
    edit("no_end.ply", ("end_header\n", "comment\n"))
    edit("header_word.ply", ("end_header\n", "oops\nend_header\n"))
    edit("index.ply", ("3 0 1 2", "3 0 1 3"))
    edit("index_negative.ply", ("3 0 1 2", "3 0 1 -1"))
    edit("list_negative.ply", ("3 0 1 2", "-3 0 1 2"))
    edit("face_short.ply", ("3 0 1 2", "2 0 1"))
    edit("face_polygon.ply", ("3 0 1 2", "1000 0 1 2"))
    edit("nan.ply", ("1 0 0", "1 -nan 0"))
    edit("word.ply", ("1 0 0", "1 o 0"))
    edit("cut.ply", ("3 0 1 2\n", "3 0 1\n"))
    edit("strips.ply", ("element face 1", "element tristrips 1"))
    head = PLY[: PLY.index("end_header")].replace("ascii", "binary_little_endian")
    body = struct.pack("<9fB3i", 0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 1, 2)
    put("binary_cut.ply", (head + "end_header\n").encode() + body[:-2])
    put("binary_index.ply", (head + "end_header\n").encode() + body[:-4] + b"\xff" * 4)


def inp():
    nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n"
    elements = "*ELEMENT, TYPE=S3, ELSET=all\n1, 1, 2, 3\n"
    put("garbage.inp", "this is no mesh\n")
    put("no_elements.inp", nodes)
    put("node_word.inp", nodes.replace("1, 0, 0\n3", "one, 0, 0\n3") + elements)
    put("node_id.inp", nodes.replace("\n2,", "\n-2,") + elements)
    put("node_nan.inp", nodes.replace("2, 1,", "2, 1e999,") + elements)
    put("node_twice.inp", "** first\n" + nodes.replace("\n3,", "\n2,") + elements)
    put("node_unknown.inp", nodes + elements.replace("2, 3", "2, 4"))
    put("cylindrical.inp", nodes.replace("NODE", "NODE, SYSTEM=C") + elements)
    put("type_missing.inp", nodes + "*ELEMENT\n1, 1, 2, 3\n")
    put("type_unknown.inp", nodes + elements.replace("S3", "COH3D6"))
    put("prism.inp", nodes + elements.replace("S3", "C3D6"))
    put("second_order.inp", nodes + elements.replace("S3", "C3D27"))
    put("pyramid.inp", nodes + elements.replace("S3", "C3D5"))
    put("element_short.inp", nodes + elements.replace(", 3\n", "\n"))
    put("element_cut.inp", nodes + elements.replace(" 3\n", "\n"))
    put("element_long.inp", nodes + elements.replace("2, 3\n", "2, 3, 1\n"))
    put("element_twice.inp", nodes + elements + elements)
    put("include.inp", nodes + "*include, input=more.inp\n")
    put("include_itself.inp", nodes + "*INCLUDE, INPUT=include_itself.inp\n")
    put("include_above.inp", nodes + "*INCLUDE, INPUT=../plate.inp\n")
    put("include_nothing.inp", nodes + "*INCLUDE\n")
    put("input.inp", "*NODE, INPUT=nodes.txt\n" + elements)
    put("system.inp", "*SYSTEM\n1, 0, 0, 1, 1, 0\n" + nodes + elements)
    put("made.inp", nodes + "*NGEN\n1, 2\n" + elements)
    put("parts.inp", f"*PART, NAME=a\n{nodes}{elements}*END PART\n*Part, name=b\n*END PART\n")
    instance = "*INSTANCE, NAME=i, PART=a\n%s*END INSTANCE\n"
    assembly = f"*PART, NAME=a\n{nodes}{elements}*END PART\n*ASSEMBLY, NAME=s\n%s*END ASSEMBLY\n"
    put("instances.inp", assembly % (2 * instance % ("", "")))
    put("moved.inp", assembly % (instance % "1, 0, 0\n"))
    put("reference_point.inp", assembly % (instance % "" + "*NODE\n1, 0, 0, 0\n"))
    put("set_node.inp", nodes + elements + "*NSET, NSET=a\n1, 2,\n7\n")
    put("set_element.inp", nodes + elements + "*ELSET, ELSET=a\n1, 7\n")
    put("set_name.inp", nodes + elements + "*NSET\n1, 2\n")
    put("set_unknown.inp", nodes + elements + "*NSET, NSET=a\nb\n")
    put("set_range.inp", nodes + elements + "*NSET, NSET=a, GENERATE\n3, 1\n")
    put("set_step.inp", nodes + elements + "*NSET, NSET=a, GENERATE\n1, 3, 0\n")
    put("name_long.inp", nodes + elements.replace("all", "n" * 300))
    put("parameters.inp", nodes + "*ELEMENT" + ", a=1" * 40 + "\n")


def msh():
    head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    nodes = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
    elements = "$Elements\n1\n1 2 2 7 1 1 2 3\n$EndElements\n"
    put("version_3.msh", head.replace("2.2", "3") + nodes + elements)
    put("version_1.msh", "$NOD\n3\n1 0 0 0\n$ENDNOD\n")
    put("data_size.msh", head.replace(" 8", " 4") + nodes + elements)
    put("no_format.msh", nodes + elements)
    put("no_nodes.msh", head + elements)
    put("no_elements.msh", head + nodes)
    put("no_end.msh", head + nodes.replace("$EndNodes\n", "") + elements)
    put("two_nodes.msh", head + nodes + nodes + elements)
    put("garbage.msh", "this is no mesh\n")
    put("cut.msh", (head + nodes + elements)[:-20])
    put("node_unknown.msh", head + nodes + elements.replace("1 2 3\n", "1 2 4\n"))
    put("node_twice.msh", head + nodes.replace("\n3 0", "\n2 0") + elements)
    put("node_nan.msh", head + nodes.replace("2 1 0", "2 nan 0") + elements)
    put("node_word.msh", head + nodes.replace("2 1 0", "2 one 0") + elements)
    put("count_absurd.msh", head + nodes.replace("\n3\n", "\n3000000000\n") + elements)
    put("count_negative.msh", head + nodes.replace("\n3\n", "\n-3\n") + elements)
    put("count_small.msh", head + nodes.replace("\n3\n", "\n2\n") + elements)
    put("count_large.msh", head + nodes.replace("\n3\n", "\n4\n") + elements)
    put("prism.msh", head + nodes + elements.replace("1 2 2", "1 6 2"))
    put("type_unknown.msh", head + nodes + elements.replace("1 2 2", "1 999 2"))
    put("tags.msh", head + nodes + elements.replace("1 2 2", "1 2 -1"))
    names = '$PhysicalNames\n1\n2 7 "skin"\n$EndPhysicalNames\n'
    put("name_utf8.msh", (head + names + nodes + elements).encode().replace(b"skin", b"sk\xfcn"))
    put("name_quote.msh", head + names.replace('"skin"', "skin") + nodes + elements)
    put("name_open.msh", head + names.replace('"skin"', '"skin') + nodes + elements)
    put("name_empty.msh", head + names.replace("skin", "") + nodes + elements)
    put("name_dimension.msh", head + names.replace("2 7", "4 7") + nodes + elements)
    twice = names.replace("\n1\n", "\n2\n").replace('"skin"\n', '"skin"\n2 7 "hide"\n')
    put("name_twice.msh", head + twice + nodes + elements)

    box = pathlib.Path("box_41_ascii.msh").read_text()
    put("total_nodes.msh", box.replace("\n19 12 1 12\n", "\n19 13 1 13\n"))
    put("total_elements.msh", box.replace("\n8 33 1 33\n", "\n8 34 1 34\n"))
    binary = pathlib.Path("plate_22_binary.msh").read_bytes()
    put("byte_order.msh", binary.replace(b"1 8\n\1\0\0\0", b"1 8\n\7\0\0\0"))
    at = binary.index(b"$EndNodes")
    put("binary_cut.msh", binary[: at - 9] + binary[at - 1 :])
    put("binary_end.msh", binary[:-40])
    large = pathlib.Path("plate_41_binary.msh").read_bytes()
    at = large.index(b"$Nodes\n") + 7
    put("binary_blocks.msh", large[:at] + struct.pack("<Q", 1 << 60) + large[at + 8 :])


def vtu():
    text = pathlib.Path("vtk_ascii.vtu").read_text()
    inline = pathlib.Path("vtk_inline_none.vtu").read_text()
    raw = pathlib.Path("vtk_raw_zlib_64.vtu").read_bytes()

    def edit(name, *pairs, source=text):
        for old, new in pairs:
            assert old in source, old
            source = source.replace(old, new, 1)
        put(name, source)

    edit("type.vtu", ("UnstructuredGrid", "PolyData"))
    edit("root.vtu", ("<VTKFile", "<html"))
    edit("prose.vtu", (text, "no tags at all\n"))
    edit("doctype.vtu", ("<VTKFile", '<!DOCTYPE x [<!ENTITY a "&b;">]>\n<VTKFile'))
    edit("deep.vtu", ("<UnstructuredGrid>", "<a>" * 100 + "<UnstructuredGrid>"))
    edit("cut.vtu", (text[1200:], ""))
    edit("tag_open.vtu", (text[text.index("</VTKFile>") :], "</VTKFile"))
    edit("comment_open.vtu", ("<UnstructuredGrid>", "<!-- <UnstructuredGrid>"))
    edit("close.vtu", ("</PointData>", "</CellData>"))
    edit("header_type.vtu", ("UInt32", "UInt24"))
    edit("no_piece.vtu", ("<Piece", "<Peace"), ("</Piece", "</Peace"))
    edit("piece_count.vtu", ('NumberOfCells="6"', ""))
    edit("points_absurd.vtu", ('"22"', '"40000000"'))
    edit("points_limit.vtu", ('"22"', '"4000000000000"'))
    edit("points_flat.vtu", ('NumberOfComponents="3"', 'NumberOfComponents="2"'))
    edit("points_nan.vtu", ("0 0 0 1 0 0", "0 0 nan 1 0 0"))
    edit("points_word.vtu", ("0 0 0 1 0 0", "0 0 zero 1 0 0"))
    edit("points_short.vtu", ("1 0 4 5 5 5", "1 0 4"))
    edit("points_long.vtu", ("1 0 4 5 5 5", "1 0 4 5 5 5 6 6 6"))
    edit("no_types.vtu", ('Name="types"', 'Name="kinds"'))
    edit("two_types.vtu", ('Name="offsets"', 'Name="types"'))
    edit("type_unknown.vtu", ("UInt8", "Real8"))
    edit("types_float.vtu", ("UInt8", "Float32"))
    edit("format.vtu", ('Name="types" format="ascii"', 'Name="types" format="text"'))
    edit("high_order.vtu", ("12 10 5 9 3 1", "12 33 5 9 3 1"))
    edit("voxel.vtu", ("12 10 5 9 3 1", "12 11 5 9 3 1"))
    edit("index.vtu", ("6 7 8 9 10 11", "6 7 8 9 10 22"))
    edit("offsets.vtu", ("8 12 15 19 21 22", "8 12 16 19 21 22"))
    ascii_types, appended_types = 'Name="types" format="ascii"', 'Name="types" format="appended"'
    edit("no_appended.vtu", (ascii_types, appended_types + ' offset="0"'))
    edit("no_offset.vtu", (ascii_types, appended_types))
    first = inline.index("<Points>")
    first = inline.index(">\n", first + 10) + 2
    data = inline[first:].split("\n")[0].strip()
    edit("base64.vtu", (data, data[:20] + "!" + data[21:]), source=inline)
    edit("base64_short.vtu", (data, data[:40]), source=inline)
    edit("base64_size.vtu", (data, "A" + data[1:]), source=inline)

    zero = zlib.compress(b"\0" * (1 << 22), 9)
    head = struct.pack("<4I", 1 << 20, 1 << 22, 0, len(zero))
    bomb = base64.b64encode(head).decode() + base64.b64encode(zero).decode()
    packed = pathlib.Path("vtk_inline_zlib.vtu").read_text()
    first = packed.index("<Points>")
    first = packed.index(">\n", first + 10) + 2
    data = packed[first:].split("\n")[0].strip()
    edit("bomb.vtu", (data, bomb), ('"22"', '"49000000"'), source=packed)
    edit("zlib_damaged.vtu", (data, data[:44] + "AAAA" + data[48:]), source=packed)
    tiny = struct.pack("<3I", 528, 1, 0) + struct.pack("<I", 9) * 528
    edit("zlib_blocks.vtu", (data, base64.b64encode(tiny).decode()), source=packed)

    at = raw.index(b"offset=", raw.index(b"<Points>"))
    stop = raw.index(b"/>", at) if raw[at : at + 40].find(b"/>") >= 0 else raw.index(b">", at)
    put("offset.vtu", raw[:at] + b'offset="99999999"' + raw[stop:])
    put("offset_inside.vtu", raw[:at] + b'offset="3"' + raw[stop:])
    put("raw_cut.vtu", raw[: raw.index(b"   _") + 24])
    put("underscore.vtu", raw.replace(b"   _", b"   -"))
    put("encoding.vtu", raw.replace(b'encoding="raw"', b'encoding="hex"'))


if __name__ == "__main__":
    BAD.mkdir(exist_ok=True)
    obj()
    stl()
    ply()
    inp()
    msh()
    vtu()
