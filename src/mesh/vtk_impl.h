#ifndef VTK_IMPL_H
#define VTK_IMPL_H

// What readers of VTK's XML files share: tags, and arrays of numbers inline or appended.
#include "read_impl.h"

enum { VTK_DEPTH_MAX = 32 };

typedef enum vtk_form { VTK_ASCII, VTK_BINARY, VTK_APPENDED } vtk_form;

typedef struct vtk_array {
  int line;         // 0: not there
  const char *what; // its name in messages
  int real;         // 0: integers
  int repeats;      // 1: may be the same number all over, which zlib packs as tight as it can
  vtk_form form;
  pl_number type;
  int64_t offset;          // into the appended data
  const char *text, *stop; // inline data
  void *data;              // once fetched, in the host's byte order; ascii becomes PL_I64 or PL_F64
} vtk_array;

typedef struct vtk_tag {
  const char *name, *attr, *stop; // attributes run from attr to stop
  size_t length;
  int close, empty; // </x>, <x/>
} vtk_tag;

typedef struct vtk {
  pl_load *in;
  const char *ending; // "VTU"
  const char *type;   // that the file must have
  const char *hint;   // how to have it
  // called at every tag below the first that is opened, before it is on the stack
  pl_status (*element)(void *ctx, const vtk_tag *t);
  void *ctx;
  int swap, wide, zlib; // header words of 8 bytes; compressed
  vtk_tag open[VTK_DEPTH_MAX];
  int depth;
  vtk_array *current;   // array whose text is awaited
  const char *appended; // first byte behind the underscore, NULL: none
  int base64;           // encoding of the appended data
} vtk;

int vtk_is_name(const vtk_tag *t, const char *name);
// The value of an attribute; returns 0 when it is not there.
int vtk_attribute(const vtk_tag *t, const char *name, const char **value, size_t *n);
int vtk_attribute_is(const vtk_tag *t, const char *name, const char *want);
// A whole number that is not negative.
int vtk_attribute_int(const vtk_tag *t, const char *name, int64_t *out);
// PL_NUMBER_COUNT: none that is known.
pl_number vtk_number_type(const vtk_tag *t);
// n bytes of an attribute without what XML writes for its own characters; 0: too long, or empty.
int vtk_plain_name(const char *from, size_t n, char name[PL_READ_NAME + 1]);
// Type, form and place of a DataArray; what, real and repeats are set.
pl_status vtk_array_open(vtk *v, const vtk_tag *t, vtk_array *a);
// Reads the tags up to the appended data or the end.
pl_status vtk_read_tags(vtk *v);
// Fetches so many values of an array; line: of what should have it.
pl_status vtk_fetch(vtk *v, int line, vtk_array *a, int64_t count);
// A prism of six vertices turned inside out.
void vtk_turn_prism(int *v);
// A value that was fetched.
double vtk_value(const vtk_array *a, int64_t i);

#endif
