#include "protocol_impl.h"

#define X(name) extern const pl_protocol protocol_##name;
PROTOCOL_LIST(X)
#undef X

#define X(name) &protocol_##name,
const pl_protocol *const pl_protocol_table[] = {PROTOCOL_LIST(X)};
#undef X
const int pl_protocol_count = COUNT(pl_protocol_table);
