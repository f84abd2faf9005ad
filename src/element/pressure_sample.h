// A random edge of NODES vertices under a pressure, with the parameters of par_options.
static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[9] = {0, 0, 0.3, 1, 0.2, 0.1, 0.45, 0.2, 0.3};
  pl_sample_shape(seed, NODES, 3, shape, 0.15, X, q, v);
  X[XDOF] = 0;
  q[XDOF] = 1.5 + 0.1 * (seed % 7);
  v[XDOF] = 0.3;
  for (int i = 0; i < COUNT(par_options); i++) par[i] = 0.5 + 0.1 * ((seed + 3 * (unsigned)i) % 10);
}
