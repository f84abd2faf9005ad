#include "read_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

// Every file of data/bad must be refused with its message: the line (0: no line), part of the text,
// and part of the hint (NULL: none).
static const struct {
  const char *file;
  int line;
  const char *text, *hint;
} bad[] = {
    {"binary.obj", 1, "a zero byte: this is not a text file, so not an OBJ", NULL},
    {"empty.obj", 0, "the file is empty", NULL},
    {"face_corner.obj", 5, "'x3' is not a corner",
     "corners are v, v/vt, v//vn or v/vt/vn with whole numbers"},
    {"face_polygon.obj", 5, "a face of more than 255 vertices",
     "triangulate the faces when exporting"},
    {"face_short.obj", 7, "a face needs 3 vertices or more, got 2", NULL},
    {"face_slash.obj", 5, "'1/a/1' is not a corner",
     "corners are v, v/vt, v//vn or v/vt/vn with whole numbers"},
    {"garbage.obj", 0, "there are no vertices", NULL},
    {"group_long.obj", 1, "a name of 300 bytes; at most 255", NULL},
    {"groups.obj", 1, "more than 16 groups at once", NULL},
    {"gzip.obj", 0, "the file is compressed with gzip", "unpack it with gunzip"},
    {"index_absurd.obj", 6, "'99999999999999999999' is not a corner",
     "corners are v, v/vt, v//vn or v/vt/vn with whole numbers"},
    {"index_high.obj", 6, "vertex 9 is out of range: the file has 4 vertices", NULL},
    {"index_large.obj", 5, "vertex 4000000000 is out of range: 4 vertices so far", NULL},
    {"index_negative.obj", 5, "vertex -9 is out of range: 4 vertices so far", NULL},
    {"index_zero.obj", 5, "vertex 0 is out of range: 4 vertices so far", "OBJ counts from 1"},
    {"inf.obj", 3, "vertex 3 has a coordinate that is not finite (0, 1, inf)", NULL},
    {"is_ply.obj", 0, "the content is a PLY file, not an OBJ file", "rename it to end in .ply"},
    {"line_short.obj", 5, "a line needs 2 vertices or more, got 1", NULL},
    {"nan.obj", 2, "vertex 2 has a coordinate that is not finite (0, nan, 0)", NULL},
    {"no_cells.obj", 0, "there are 4 vertices but no lines, faces or solids", NULL},
    {"utf16.obj", 0, "the file is UTF-16 text", "plain text or UTF-8"},
    {"vertex_hex.obj", 1, "'0x10' is not a number", NULL},
    {"vertex_short.obj", 2, "a vertex needs 3 coordinates, got 2", NULL},
    {"vertex_word.obj", 3, "'two' is not a number", NULL},
    {"ascii_cut.stl", 11, "the file ends where 'vertex' should be", "cut off"},
    {"ascii_four.stl", 7, "expected 'endloop', got 'vertex'", NULL},
    {"ascii_garbage.stl", 2, "expected 'facet', got 'this'", NULL},
    {"ascii_inf.stl", 6, "vertex 2 has a coordinate that is not finite (0, inf, 0)", NULL},
    {"ascii_open.stl", 9, "the file ends without 'endsolid'", "cut off"},
    {"ascii_word.stl", 5, "a vertex needs 3 numbers, got 'x' as number 2", NULL},
    {"count_absurd.stl", 0,
     "the header says 4294967295 triangles, which take 214748364834 bytes, but the file has 134",
     "cut off"},
    {"count_small.stl", 0,
     "the header says 1 triangles, which take 134 bytes, but the file has 184", NULL},
    {"count_zero.stl", 0, "there are no vertices", NULL},
    {"cut.stl", 0, "the header says 3 triangles, which take 234 bytes, but the file has 224",
     "cut off"},
    {"nan.stl", 0, "vertex 2 has a coordinate that is not finite (1, nan, 0)", NULL},
    {"short.stl", 0, "a binary STL has at least 84 bytes, this file has 9", NULL},
    {"solid_binary_cut.stl", 0,
     "the header says 3 triangles, which take 234 bytes, but the file has 184", "cut off"},
    {"binary_cut.ply", 0, "the file ends before its last element", "cut off"},
    {"binary_index.ply", 0, "vertex -1 is out of range: the file has 3 vertices", NULL},
    {"count_absurd.ply", 3, "2000000000 of element 'vertex'; at most 50000000", NULL},
    {"count_large.ply", 12,
     "the header announces 40000000 rows of at least 2 bytes, but 10 bytes are left", "cut off"},
    {"count_word.ply", 7, "'many' is not a count", NULL},
    {"cut.ply", 14, "the file ends before its last element", "cut off"},
    {"elements.ply", 35, "more than 32 kinds of element", NULL},
    {"face_polygon.ply", 13, "a face of 1000 vertices", "triangulate the faces when exporting"},
    {"face_short.ply", 13, "a face needs 3 vertices or more, got 2", NULL},
    {"format_unknown.ply", 2, "unknown PLY format 'text'",
     "ascii, binary_little_endian or binary_big_endian"},
    {"header_word.ply", 9, "unknown header line 'oops'", NULL},
    {"index.ply", 13, "vertex 3 is out of range: the file has 3 vertices", NULL},
    {"index_float.ply", 8, "vertex numbers must be integers", NULL},
    {"index_negative.ply", 13, "vertex -1 is out of range: the file has 3 vertices", NULL},
    {"list_float.ply", 8, "the length of a list must be an integer", NULL},
    {"list_negative.ply", 13, "a list of length -3", NULL},
    {"magic.ply", 1, "not a PLY file: it does not begin with 'ply'", NULL},
    {"nan.ply", 11, "vertex 2 has a coordinate that is not finite (1, -nan, 0)", NULL},
    {"no_end.ply", 10, "unknown header line '0'", NULL},
    {"no_format.ply", 9, "the header has no 'format' line", NULL},
    {"no_list.ply", 12, "the faces lack the list vertex_indices", NULL},
    {"no_z.ply", 9, "the vertices lack x, y or z", NULL},
    {"properties.ply", 260, "more than 256 properties", NULL},
    {"property_first.ply", 3, "a property before any element", NULL},
    {"strips.ply", 7, "triangle strips are not read", "save the model as triangles"},
    {"two_vertex.ply", 7, "a second element 'vertex'", NULL},
    {"type_unknown.ply", 8, "unknown type 'quaternion'",
     "types are char uchar short ushort int uint float double"},
    {"version.ply", 2, "PLY version '2.0'; only 1.0 is known", NULL},
    {"word.ply", 11, "'o' is not a number", NULL},
    {"binary_blocks.msh", 0,
     "section $Nodes announces 1152921504606846976 entries but has 437 bytes left", "cut off"},
    {"binary_cut.msh", 0, "section $Nodes announces 8 entries but has 217 bytes left", "cut off"},
    {"binary_end.msh", 18, "the section has no $EndElements", "cut off"},
    {"byte_order.msh", 3, "the byte order mark is 7, not 1", NULL},
    {"count_absurd.msh", 6, "section $Nodes announces 3000000000 entries but has 24 bytes left",
     "cut off"},
    {"count_large.msh", 6, "section $Nodes announces 4 entries but has 24 bytes left", "cut off"},
    {"count_negative.msh", 5, "a negative count", NULL},
    {"count_small.msh", 8, "section $Nodes holds more than its counts say", NULL},
    {"cut.msh", 11, "the section has no $EndElements", "cut off"},
    {"data_size.msh", 2, "file type 0 and data size 4; only 0 or 1, and 8", NULL},
    {"garbage.msh", 1, "expected a section such as $Nodes, got 'this'", NULL},
    {"name_dimension.msh", 6, "dimension 4 or tag 7 is out of range", NULL},
    {"name_empty.msh", 6, "a physical name is empty", NULL},
    {"name_open.msh", 6, "a physical name without its closing quote", NULL},
    {"name_quote.msh", 6, "a physical name must stand in quotes", NULL},
    {"name_twice.msh", 8, "physical group 7 of dimension 2 is named twice", NULL},
    {"name_utf8.msh", 6, "a physical name is not UTF-8 text", "save the file as UTF-8"},
    {"no_elements.msh", 1, "there is no section $Elements", NULL},
    {"no_end.msh", 5, "the section has no $EndNodes", "cut off"},
    {"no_format.msh", 1, "there is no section $MeshFormat", NULL},
    {"no_nodes.msh", 1, "there is no section $Nodes", NULL},
    {"node_nan.msh", 7, "vertex 2 has a coordinate that is not finite (nan, 0, 0)", NULL},
    {"node_twice.msh", 8, "node 2 is there twice", NULL},
    {"node_unknown.msh", 12, "an element names node 4, which is not there", NULL},
    {"node_word.msh", 7, "'one' is not a number", NULL},
    {"prism.msh", 13, "section $Elements ends before its last entry", NULL},
    {"tags.msh", 12, "a run of 1 elements with -1 tags", NULL},
    {"third_order_22.msh", 64, "elements of third or higher order (type 26) are not read",
     "set Mesh.ElementOrder = 2 and mesh again"},
    {"third_order_41.msh", 0, "elements of third or higher order (type 26) are not read",
     "set Mesh.ElementOrder = 2 and mesh again"},
    {"total_elements.msh", 130, "34 elements announced, 33 found", NULL},
    {"total_nodes.msh", 86, "13 nodes announced, 12 found", NULL},
    {"two_nodes.msh", 10, "a second section $Nodes", NULL},
    {"type_unknown.msh", 12, "unknown element type 999", NULL},
    {"version_1.msh", 1, "MSH version 1 is not read",
     "convert it: gmsh old.msh -save -format msh41 -o new.msh"},
    {"version_3.msh", 2, "MSH version 3 is not read, only 2.2 and 4.1",
     "convert it: gmsh old.msh -save -format msh41 -o new.msh"},
    {"version_40.msh", 2, "MSH version 4 is not read, only 2.2 and 4.1",
     "convert it: gmsh old.msh -save -format msh41 -o new.msh"},
    {"base64.vtu", 13, "array 'Points': its data end early or are not base64", "cut off"},
    {"base64_short.vtu", 13, "array 'Points': 528 bytes cannot come from the 51 that are there",
     NULL},
    {"base64_size.vtu", 13, "array 'Points' has 512 bytes, wanted 528", NULL},
    {"bomb.vtu", 13, "array 'Points': 1176000000 bytes cannot come from the 5483 that are there",
     NULL},
    {"close.vtu", 11, "a closing tag that does not fit the open one", NULL},
    {"comment_open.vtu", 2, "no '-->' to the end", "cut off"},
    {"cut.vtu", 37, "the file ends inside a tag's body", "cut off"},
    {"deep.vtu", 2, "tags nested deeper than 32", NULL},
    {"doctype.vtu", 1, "document types and CDATA are not read in VTU files", NULL},
    {"encoding.vtu", 19, "the encoding of AppendedData must be raw or base64", NULL},
    {"format.vtu", 47, "array 'types': unknown format", "ascii, binary or appended"},
    {"high_order.vtu", 48, "cell 2 is of VTK type 33, an element of second or higher order",
     "of second order, types 21 to 27 are read"},
    {"header_type.vtu", 1, "header_type must be UInt32 or UInt64", NULL},
    {"index.vtu", 39, "cell 2: point 22 is out of range: there are 22", NULL},
    {"legacy.vtu", 0, "legacy VTK files are not read", "save it as VTU (XML) instead"},
    {"lz4.vtu", 1, "the file is compressed by something other than zlib",
     "save it with zlib compression or with none"},
    {"no_appended.vtu", 48, "there is no AppendedData", NULL},
    {"no_offset.vtu", 47, "array 'types' has no valid offset", NULL},
    {"no_piece.vtu", 53, "the grid has no Piece", NULL},
    {"no_types.vtu", 3, "a Piece without the array 'types'", NULL},
    {"offset.vtu", 10, "array 'Points': offset 99999999 is beyond the end", NULL},
    {"offset_inside.vtu", 10,
     "array 'Points': 36028797018963968 compressed blocks of 96757023244288 bytes", NULL},
    {"offsets.vtu", 39, "cell 3: its offset is 16, wanted 15", NULL},
    {"piece_count.vtu", 3, "a Piece needs NumberOfPoints and NumberOfCells", NULL},
    {"points_absurd.vtu", 16, "array 'Points' has fewer than 120000000 values", NULL},
    {"points_flat.vtu", 15, "the points need 3 components, not 2", NULL},
    {"points_limit.vtu", 3, "4000000000000 points and 6 cells; at most 50000000 and 50000000",
     NULL},
    {"points_long.vtu", 26, "array 'Points' has more than 66 values", NULL},
    {"points_nan.vtu", 16, "vertex 1 has a coordinate that is not finite (0, 0, nan)", NULL},
    {"points_short.vtu", 27, "the array ends early", NULL},
    {"points_word.vtu", 16, "'zero' is not a number", NULL},
    {"prose.vtu", 1, "there is no VTKFile tag", "cut off"},
    {"raw_cut.vtu", 10, "array 'Points': offset 98 is beyond the end", NULL},
    {"root.vtu", 1, "not a VTU file: the first tag is not VTKFile", NULL},
    {"tag_open.vtu", 53, "a tag without its end or name", "cut off"},
    {"two_types.vtu", 47, "a second array 'types' in one Piece", NULL},
    {"type.vtu", 1, "the VTK file does not hold an UnstructuredGrid",
     "save it as an unstructured grid (.vtu)"},
    {"type_unknown.vtu", 47, "array 'types': unknown number type",
     "Int8 to UInt64, Float32 or Float64"},
    {"types_float.vtu", 47, "array 'types' must hold integers", NULL},
    {"underscore.vtu", 20, "AppendedData does not begin with an underscore", NULL},
    {"voxel.vtu", 48, "cell 2 is of VTK type 11", "hexahedra, prisms and pyramids are read"},
    {"zlib_blocks.vtu", 13, "array 'Points': 528 compressed blocks of 1 bytes", NULL},
    {"zlib_bomb.vtu", 1, "array 'Points': 2400000 bytes cannot come from the 3", NULL},
    {"zlib_damaged.vtu", 13, "array 'Points': a compressed block is damaged", NULL},
    {"cylindrical.inp", 1, "nodes in cylindrical or spherical coordinates are not read",
     "write nodes with x, y and z"},
    {"element_cut.inp", 6, "element 1 has 2 nodes; it needs 3", NULL},
    {"element_long.inp", 6, "element 1 has more than 3 nodes", NULL},
    {"element_short.inp", 6, "element 1 has 2 nodes; it needs 3", NULL},
    {"element_twice.inp", 8, "element 1 is there twice", NULL},
    {"garbage.inp", 1, "expected a keyword such as *NODE, got 'this'", NULL},
    {"include.inp", 5, "more.inp' cannot be read", "relative to the file that has *INCLUDE"},
    {"include_above.inp", 5, "is not in the folder of the mesh file",
     "put a copy of it beside the mesh file"},
    {"include_itself.inp", 5, "files include each other 8 deep", "does a file include itself?"},
    {"include_nothing.inp", 5, "a file is included without its name", "*INCLUDE, INPUT=file.inp"},
    {"input.inp", 1, "cannot be read", "relative to the file that has *INCLUDE"},
    {"instances.inp", 12, "more than one instance of a part",
     "write the file without parts and assemblies"},
    {"made.inp", 5, "nodes or elements that are made by a keyword are not read",
     "write all nodes and elements out"},
    {"moved.inp", 11, "an instance that is moved", "write the file without parts and assemblies"},
    {"name_long.inp", 5, "a name of 300 bytes; at most 255", NULL},
    {"no_elements.inp", 0, "there are 3 vertices but no lines, faces or solids", NULL},
    {"node_id.inp", 3, "'-2' is not the number of a node", NULL},
    {"node_nan.inp", 3, "vertex 2 has a coordinate that is not finite (inf, 0, 0)", NULL},
    {"node_twice.inp", 5, "node 2 is there twice", NULL},
    {"node_unknown.inp", 6, "an element names node 4, which is not there", NULL},
    {"node_word.inp", 3, "'one' is not a number", NULL},
    {"parameters.inp", 5, "more than 32 parameters", NULL},
    {"parts.inp", 9, "more than one part", "write the file without parts and assemblies"},
    {"prism.inp", 6, "element 1 has 3 nodes; it needs 6", NULL},
    {"pyramid.inp", 6, "element 1 has 3 nodes; it needs 5", NULL},
    {"reference_point.inp", 12, "nodes of an assembly, such as reference points, are not read",
     "write the file without parts and assemblies"},
    {"set_element.inp", 8, "a set names element 7, which is not there", NULL},
    {"set_name.inp", 7, "a set without a name", NULL},
    {"set_node.inp", 9, "a set names node 7, which is not there", NULL},
    {"second_order.inp", 5, "elements of type C3D27 are not read",
     "of second order, lines, triangles (S6), quads (S8), C3D10, C3D15 and C3D20 are read"},
    {"set_range.inp", 8, "a range is FIRST, LAST or FIRST, LAST, STEP", NULL},
    {"set_step.inp", 8, "'0' is not a number of a range", NULL},
    {"set_unknown.inp", 8, "'b' is neither a number nor a set",
     "a set must stand before the sets that name it"},
    {"system.inp", 1, "*SYSTEM is not read", "write nodes with x, y and z"},
    {"type_missing.inp", 5, "*ELEMENT without a TYPE", NULL},
    {"type_unknown.inp", 5, "unknown element type 'COH3D6'",
     "C3D10, C3D15 and C3D20 are read; remove this block"},
};
enum { NBAD = sizeof bad / sizeof bad[0] };

static int count_files(const char *folder) {
  DIR *dir = opendir(folder);
  int n = 0;
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir)) != NULL;) n += e->d_name[0] != '.';
  closedir(dir);
  return n;
}

static void refused_with_message(void **state) {
  (void)state;
  int wrong = 0;
  for (int k = 0; k < NBAD; k++) {
    pl_env env;
    failing_alloc count;
    pl_env_init(&env);
    failing_alloc_install(&env, &count, -1);
    char path[1024];
    snprintf(path, sizeof path, MESH_DATA "bad/%s", bad[k].file);
    pl_mesh *m = (pl_mesh *)&env;
    pl_status s = pl_mesh_read(&env, path, &m);
    const pl_diag *d = &env.error;
    int ok = s == PL_E_INPUT && m == NULL && count.live == 0 && env.nerror == 1;
    ok = ok && strcmp(d->file, path) == 0 && d->line == bad[k].line;
    ok = ok && strstr(d->text, bad[k].text) != NULL;
    ok = ok && (bad[k].hint ? strstr(d->hint, bad[k].hint) != NULL : d->hint[0] == 0);
    if (ok) continue;
    print_error("%s: status %d, %ld blocks, line %d: %s (%s)\n", bad[k].file, s, count.live,
                d->line, d->text, d->hint);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void every_file_has_a_row(void **state) {
  (void)state;
  assert_int_equal(count_files(MESH_DATA "bad"), NBAD);
}

// no header may make the reader ask for much more than the file is long
static void *bounded(void *ctx, void *old, size_t size) {
  size_t *most = ctx;
  if (size > *most) *most = size;
  if (size == 0) {
    free(old);
    return NULL;
  }
  return realloc(old, size);
}

static void counts_do_not_allocate(void **state) {
  (void)state;
  for (int k = 0; k < NBAD; k++) {
    pl_env env;
    pl_env_init(&env);
    size_t most = 0;
    env.alloc = bounded;
    env.alloc_ctx = &most;
    char path[1024];
    snprintf(path, sizeof path, MESH_DATA "bad/%s", bad[k].file);
    pl_mesh *m;
    assert_int_equal(pl_mesh_read(&env, path, &m), PL_E_INPUT);
    // the table of set names is the largest fixed block, 128 KiB
    if (most > (size_t)1 << 18) fail_msg("%s: a block of %zu bytes", bad[k].file, most);
  }
}

// the caller's limit holds before anything is unpacked
static void callers_limit(void **state) {
  (void)state;
  pl_env env;
  pl_mesh *m;
  pl_env_init(&env);
  check_status(&env, pl_mesh_read_most(&env, MESH_DATA "bad/zlib_bomb.vtu", 1000, &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "100000 points and 100000 cells; at most 1000 and"));
}

int test_read_bad(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refused_with_message),
      cmocka_unit_test(every_file_has_a_row),
      cmocka_unit_test(counts_do_not_allocate),
      cmocka_unit_test(callers_limit),
  };
  return cmocka_run_group_tests_name("mesh.read_bad", tests, NULL, NULL);
}
