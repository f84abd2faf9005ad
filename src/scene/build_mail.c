#include "scene_impl.h"

#include <stdio.h>
#include <string.h>

// Interlocking materials.

static const char *const keys[] = {
#define X(name_, key_) key_,
    PL_MAIL_LIST(X)
#undef X
};

static int family_of(const mail_def *d) {
  for (int k = 0; k < PL_MAIL_COUNT; k++)
    if (d->family[k]) return k;
  return -1;
}

const char *mail_name(const mail_def *d) {
  int family = family_of(d);
  return d->name.at ? d->name.s : family >= 0 ? keys[family] : "";
}

// elements of the reference state are apart, and hold each other
static void check_mail(reader *r, const pl_node *at, pl_scene_mail *m) {
  pl_cell *c;
  pl_taut_contact where = {0};
  if (pl_cell_create(r->env, m->m, 1, 1, &c) != PL_OK) {
    r->failed = PL_E_NOMEM;
    return;
  }
  m->gap = pl_cell_gap(c, &where);
  for (int e = 0; e < m->m->nelem; e++) {
    int links = pl_cell_links(c, e);
    if (e == 0 || links < m->links) m->links = links;
  }
  pl_cell_free(c);
  if (m->gap <= 0)
    problem(
        r, at, "make the wire thinner, the rings larger, or change the lattice",
        "interlocking material '%.60s': element %d touches element %d of cell (%d, %d), %.3g mm "
        "deep",
        m->name, where.elem[0] + 1, where.elem[1] + 1, where.cell[0], where.cell[1], -1e3 * m->gap);
  else if (m->links == 0)
    problem(r, at, "bring the elements closer, or make them larger",
            "interlocking material '%.60s': some elements are linked with no other", m->name);
}

static void build_mail(reader *r, const mail_def *d, const pl_node *at, pl_scene_mail *out) {
  int ways = 0, which = family_of(d);
  for (int k = 0; k < PL_MAIL_COUNT; k++) ways += d->family[k] != NULL;
  if (ways != 1) {
    problem(r, at, "e.g. four-in-one: {radius: 4.9 mm, wire: 1.15 mm}",
            "an interlocking material needs exactly one family");
    return;
  }
  const pl_mail_family *f = pl_mail_table[which];
  double value[PL_KEY_MAX];
  for (int k = 0; k < f->nkey; k++) value[k] = d->family[which]->v[k].number.v;
  pl_mail_data *data = scene_alloc(r, 1, sizeof *data);
  if (!data || has_problem(r, at)) return;
  f->make(value, data);
  const char *fault = pl_mail_fault(&data->m);
  if (fault) {
    problem(r, node_get(at, keys[which]), "check the units of its lengths",
            "interlocking material '%.60s': %s", mail_name(d), fault);
    return;
  }
  *out = (pl_scene_mail){.name = mail_name(d), .family = f->brief, .m = &data->m};
  check_mail(r, node_get(at, keys[which]), out);
}

void build_mails(reader *r, pl_scene *s) {
  const items *list = &r->def.interlocking;
  const mail_def *d = list->item;
  const pl_node *at = items_first(list);
  pl_scene_mail *mail = scene_alloc(r, (size_t)list->n + 1, sizeof *mail);
  if (!mail) return;
  s->mail = mail;
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    for (int i = 0; i < k; i++)
      if (strcmp(mail_name(&d[i]), mail_name(&d[k])) == 0)
        problem(r, at, "give it a name", "another interlocking material is called '%.60s' already",
                mail_name(&d[k]));
    build_mail(r, &d[k], at, &mail[s->nmail++]);
  }
}
