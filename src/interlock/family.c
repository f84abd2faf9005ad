#include "family.h"

#include <string.h>

// Families of materials: their default is the material of the paper, in metres.

pl_pose pose_at(double x, double y, const double axis[3], double angle) {
  pl_pose p = {.x = {x, y, 0}};
  pl_rotation3(axis, angle, p.Q);
  return p;
}

void set_mail(pl_mail_data *d, int nkind, const int *npiece, int nelem, const double L[4]) {
  for (int k = 0; k < nkind; k++) {
    d->kind[k].piece = k ? d->kind[k - 1].piece + d->kind[k - 1].npiece : d->piece;
    d->kind[k].npiece = npiece[k];
  }
  d->m = (pl_mail){.nkind = nkind,
                   .kind = d->kind,
                   .nelem = nelem,
                   .kind_of = d->kind_of,
                   .pose = d->pose,
                   .lattice = {{L[0], L[1]}, {L[2], L[3]}}};
}

static const int ONE[1] = {1};

// ---- European 4-in-1 ----------------------------------------------------------------------------

static const pl_key four_in_one_keys[] = {
    LENGTH("radius", 4.9e-3, "of a ring, to the middle of its wire"),
    LENGTH("wire", 1.15e-3, "radius of the wire"),
    LENGTH("across", 12.2e-3, "distance of rings of one row"),
    LENGTH("along", 6e-3, "distance of rows whose rings lean the same way"),
    ANGLE("tilt", 35, 0, "by which rings lean, rows to and fro"),
};

static void make_four_in_one(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[1], v[1]);
  d->pose[0] = pose_at(0, 0, X_AXIS, -v[4]);
  d->pose[1] = pose_at(v[2] / 2, -v[3] / 2, X_AXIS, v[4]);
  set_mail(d, 1, ONE, 2, (double[]){v[2], 0, 0, v[3]});
}

static const pl_mail_family family_four_in_one = {
    .brief = "European 4-in-1 chainmail",
    .text = "Rings in rows that lean to and fro; each holds four of its neighbours.",
    .nkey = COUNT(four_in_one_keys),
    .key = four_in_one_keys,
    .lattice = 1 << 2 | 1 << 3 | 1 << 4,
    .make = make_four_in_one};

// ---- European 6-in-1 ----------------------------------------------------------------------------

static const pl_key six_in_one_keys[] = {
    LENGTH("radius", 5e-3, "of a ring, to the middle of its wire"),
    LENGTH("wire", 0.7e-3, "radius of the wire"),
    LENGTH("across", 4.4e-3, "distance of rings of one row"),
    LENGTH("along", 11.8e-3, "distance of rows whose rings lean the same way"),
    ANGLE("tilt", 33, 0, "by which rings lean along their row, rows to and fro"),
};

static void make_six_in_one(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[1], v[1]);
  d->pose[0] = pose_at(0, 0, Y_AXIS, -v[4]);
  d->pose[1] = pose_at(0, v[3] / 2, Y_AXIS, v[4]);
  set_mail(d, 1, ONE, 2, (double[]){v[2], 0, 0, v[3]});
}

static const pl_mail_family family_six_in_one = {
    .brief = "European 6-in-1 chainmail",
    .text =
        "Rows of rings that lean along their row, to and fro; each holds three of both rows beside "
        "it.",
    .nkey = COUNT(six_in_one_keys),
    .key = six_in_one_keys,
    .lattice = 1 << 2 | 1 << 3 | 1 << 4,
    .make = make_six_in_one};

// ---- threefold ----------------------------------------------------------------------------------

static const pl_key threefold_keys[] = {
    LENGTH("radius", 4.25e-3, "of the flat ring"),
    LENGTH("arm", 2.575e-3, "radius of the three upright rings that are fused to it"),
    LENGTH("wire", 0.95e-3, "half the width of all sections in the plane of their ring"),
    LENGTH("height", 1.5e-3, "half the height of the flat ring's section"),
    LENGTH("arm_height", 1.4e-3, "half the height of the upright rings' sections"),
    LENGTH("pitch", 11.075e-3, "distance of elements"),
};

static void make_threefold(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  double far = v[0] + v[1], a = v[5];
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[2], v[3]);
  for (int k = 0; k < 3; k++) {
    double phi = (30 + 120 * k) * PL_PI / 180, c = cos(phi), s = sin(phi);
    d->piece[1 + k] =
        pl_piece_ring((double[]){far * c, far * s, 0}, (double[]){-s, c, 0}, v[1], v[2], v[4]);
  }
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  set_mail(d, 1, (int[]){4}, 1, (double[]){a * sqrt(0.75), a / 2, 0, a});
}

static const pl_mail_family family_threefold = {
    .brief = "threefold chainmail",
    .text =
        "A flat ring with three upright arms, each of which holds the flat ring of a neighbour; "
        "hexagonal.",
    .nkey = COUNT(threefold_keys),
    .key = threefold_keys,
    .lattice = 1 << 5,
    .make = make_threefold};

// ---- torus knots --------------------------------------------------------------------------------

static const pl_key torus_knot_keys[] = {
    LENGTH("radius", 5.5e-3, "of the torus"),
    LENGTH("winding", 2.7e-3, "radius of its tube, about which the wire winds four times"),
    LENGTH("wire", 1.5e-3, "radius of the wire"),
    LENGTH("pitch", 38.5e-3 / 3, "distance of elements"),
};

// cos 4t cos t and the like are sums of the third and fifth harmonic
static void make_torus_knot(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->cosine[0][0] = d->sine[0][1] = v[0];
  d->cosine[2][0] = d->cosine[4][0] = d->sine[4][1] = v[1] / 2;
  d->sine[2][1] = -v[1] / 2;
  d->sine[3][2] = -v[1];
  d->piece[0] = (pl_piece){.kind = PL_PIECE_CURVE,
                           .radius = v[2],
                           .nharmonic = 5,
                           .cosine = (const double(*)[3])d->cosine,
                           .sine = (const double(*)[3])d->sine};
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  set_mail(d, 1, ONE, 1, (double[]){v[3], 0, 0, v[3]});
}

static const pl_mail_family family_torus_knot = {
    .brief = "torus knots",
    .text = "Wires that wind about a torus, T(1, 4), each linked to four neighbours; square.",
    .nkey = COUNT(torus_knot_keys),
    .key = torus_knot_keys,
    .lattice = 1 << 3,
    .make = make_torus_knot};

// ---- Japanese 4-in-1 ----------------------------------------------------------------------------

static const pl_key japanese_keys[] = {
    LENGTH("radius", 5e-3, "of the flat rings"),
    LENGTH("wire", 1e-3, "radius of their wire"),
    LENGTH("link_radius", 4e-3, "of the upright rings between them"),
    LENGTH("link_wire", 0.8e-3, "radius of their wire"),
    LENGTH("pitch", 13.6e-3, "distance of the flat rings"),
};

static void make_japanese(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[1], v[1]);
  d->piece[1] = pl_piece_ring(ORIGIN, Y_AXIS, v[2], v[3], v[3]);
  d->kind_of[1] = d->kind_of[2] = 1;
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  d->pose[1] = pose_at(v[4] / 2, 0, Z_AXIS, 0);
  d->pose[2] = pose_at(0, v[4] / 2, Z_AXIS, PL_PI / 2);
  set_mail(d, 2, (int[]){1, 1}, 3, (double[]){v[4], 0, 0, v[4]});
}

static const pl_mail_family family_japanese = {
    .brief = "Japanese 4-in-1, square",
    .text = "Flat rings in a square net, held together by upright ones.",
    .nkey = COUNT(japanese_keys),
    .key = japanese_keys,
    .lattice = 1 << 4,
    .make = make_japanese};

static void make_japanese_hexagonal(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[1], v[1]);
  d->piece[1] = pl_piece_ring(ORIGIN, Y_AXIS, v[2], v[3], v[3]);
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  for (int k = 0; k < 3; k++) {
    double phi = k * PL_PI / 3;
    d->kind_of[1 + k] = 1;
    d->pose[1 + k] = pose_at(v[4] / 2 * cos(phi), v[4] / 2 * sin(phi), Z_AXIS, phi);
  }
  set_mail(d, 2, (int[]){1, 1}, 4, (double[]){v[4], 0, v[4] / 2, v[4] * sqrt(0.75)});
}

static const pl_mail_family family_japanese_hexagonal = {
    .brief = "Japanese 6-in-1, hexagonal",
    .text = "Flat rings in a hexagonal net, each held to its six neighbours by upright ones.",
    .nkey = COUNT(japanese_keys),
    .key = japanese_keys,
    .lattice = 1 << 4,
    .make = make_japanese_hexagonal};

// ---- nets of links ------------------------------------------------------------------------------

static const pl_key link_net_keys[] = {
    LENGTH("radius", 4e-3, "of the half circles of a link"),
    LENGTH("straight", 5e-3, "length of its straight sides"),
    LENGTH("wire", 1e-3, "radius of the wire"),
    LENGTH("across", 20e-3, "distance of flat links along their length"),
    LENGTH("along", 15.5e-3, "the same across it"),
};

static void make_link_net(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_link(ORIGIN, Z_AXIS, X_AXIS, v[0], v[1], v[2]);
  d->piece[1] = pl_piece_link(ORIGIN, Y_AXIS, X_AXIS, v[0], v[1], v[2]);
  d->kind_of[1] = d->kind_of[2] = 1;
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  d->pose[1] = pose_at(v[3] / 2, 0, Z_AXIS, 0);
  d->pose[2] = pose_at(0, v[4] / 2, Z_AXIS, PL_PI / 2);
  set_mail(d, 2, (int[]){1, 1}, 3, (double[]){v[3], 0, 0, v[4]});
}

static const pl_mail_family family_link_net = {
    .brief = "nets of links",
    .text = "Flat links with straight sides in a rectangular net, held together by upright ones.",
    .nkey = COUNT(link_net_keys),
    .key = link_net_keys,
    .lattice = 1 << 3 | 1 << 4,
    .make = make_link_net};

// ---- chains -------------------------------------------------------------------------------------

static const pl_key chain_keys[] = {
    LENGTH("radius", 4e-3, "of a ring"),
    LENGTH("wire", 1e-3, "radius of the wire"),
    LENGTH("pitch", 5.5e-3, "distance of rings"),
    LENGTH("beside", 20e-3, "distance of the next chain"),
};

static void make_chain(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  d->piece[0] = pl_piece_ring(ORIGIN, Z_AXIS, v[0], v[1], v[1]);
  d->pose[0] = pose_at(0, 0, X_AXIS, 0);
  d->pose[1] = pose_at(v[2], 0, X_AXIS, PL_PI / 2);
  set_mail(d, 1, ONE, 2, (double[]){2 * v[2], 0, 0, v[3]});
}

static const pl_mail_family family_chain = {
    .brief = "chains beside each other",
    .text = "Rings along x, every other one turned by 90 degrees.",
    .nkey = COUNT(chain_keys),
    .key = chain_keys,
    .lattice = 1 << 2 | 1 << 3,
    .make = make_chain};

#define X(name_, key_) [PL_MAIL_##name_] = &family_##name_,
const pl_mail_family *const pl_mail_table[PL_MAIL_COUNT] = {PL_MAIL_LIST(X)};
#undef X
