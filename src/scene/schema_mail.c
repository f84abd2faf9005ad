// Mappings of interlocking materials.
#include "schema.h"

#define OPT_STRUCT pl_limits_opts
const pl_option pl_limits_option_table[] = {PL_LIMITS_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
#undef OPT_STRUCT
const int pl_limits_option_count = COUNT(pl_limits_option_table);

static key_list family_keys(int which) {
  const pl_mail_family *f = pl_mail_table[which];
  return (key_list){f->brief, f->text, f->nkey, f->key};
}

static const map_info map_family[PL_MAIL_COUNT] = {
#define X(name_, key_)                                                                             \
  [PL_MAIL_##name_] = {                                                                            \
      .what = key_, .size = sizeof(shape_def), .keys = family_keys, .which = PL_MAIL_##name_},
    PL_MAIL_LIST(X)
#undef X
};

static const row mail_rows[] = {
    ROW(mail_def, name, "name", T_WORD, .text = "name; that of its family when left out"),
#define X(name_, key_)                                                                             \
  ROW(mail_def, family[PL_MAIL_##name_], key_, T_MAP, SUB(map_family[PL_MAIL_##name_])),
    PL_MAIL_LIST(X)
#undef X
};
const map_info map_mail = {.what = "interlocking",
                           .text = "A material of rigid elements that hold each other by being "
                                   "linked, of exactly one family.",
                           .size = sizeof(mail_def),
                           ROWS(mail_rows)};
