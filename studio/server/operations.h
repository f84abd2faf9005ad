// The functions behind the table of dispatch.c, by file.
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "studio_impl.h"

// hello.c
json_t *op_hello(studio *s, const json_t *args, failure *f);

// file_ops.c
json_t *op_files(studio *s, const json_t *args, failure *f);
json_t *op_open(studio *s, const json_t *args, failure *f);
json_t *op_save(studio *s, const json_t *args, failure *f);
json_t *op_write(studio *s, const json_t *args, failure *f);

// upload.c
json_t *op_upload(studio *s, const json_t *args, failure *f);

#endif
