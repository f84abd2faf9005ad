// Shape functions N of an edge of NODES vertices (its ends, then the one between them), along its
// length: BOUNDARY[a][b][c] = int N_a (N_b N_c' - N_c N_b'), antisymmetric in b and c, and its sum
// over a.
#if NODES == 2
static const double BOUNDARY[2][2][2] = {{{0, 0.5}, {-0.5, 0}}, {{0, 0.5}, {-0.5, 0}}};
static const double BOUNDARY_SUM[2][2] = {{0, 1}, {-1, 0}};
#else
static const double BOUNDARY[3][3][3] = {
    {{0, -0.1, 0.6}, {0.1, 0, 1. / 15}, {-0.6, -1. / 15, 0}},
    {{0, -0.1, -1. / 15}, {0.1, 0, -0.6}, {1. / 15, 0.6, 0}},
    {{0, -2. / 15, 0.8}, {2. / 15, 0, -0.8}, {-0.8, 0.8, 0}},
};
static const double BOUNDARY_SUM[3][3] = {
    {0, -1. / 3, 4. / 3}, {1. / 3, 0, -4. / 3}, {-4. / 3, 4. / 3, 0}};
#endif
enum { XDOF = 3 * NODES, NDOF = XDOF + 1 };
