#ifndef LAW_PAR_H
#define LAW_PAR_H

// rows of parameter tables that several kinds of orthotropic sheets and bodies have
#define LAW_ROW(name_, value_, lo_, hi_, unit_, text_)                                             \
  {                                                                                                \
    .name = name_, .type = PL_OPT_REAL, .value = value_, .lo = lo_, .hi = hi_, .unit = unit_,      \
    .text = text_                                                                                  \
  }
#define AXIS_ROWS                                                                                  \
  LAW_ROW("axis_x", 1, -1e12, 1e12, "", "first axis, x"),                                          \
      LAW_ROW("axis_y", 0, -1e12, 1e12, "", "first axis, y"),                                      \
      LAW_ROW("axis_z", 0, -1e12, 1e12, "", "first axis, z"),                                      \
      LAW_ROW("side_x", 0, -1e12, 1e12, "", "towards the second axis, x"),                         \
      LAW_ROW("side_y", 1, -1e12, 1e12, "", "towards the second axis, y"),                         \
      LAW_ROW("side_z", 0, -1e12, 1e12, "", "towards the second axis, z")
#define ANGLE_ROW                                                                                  \
  LAW_ROW("angle", 0, -1e6, 1e6, "rad", "by which the axes are turned from the first to the second")
// of hyperelastic ones
#define HYPER_ROWS                                                                                 \
  LAW_ROW("bulk", 1e9, 0, 1e18, "Pa", "bulk modulus; of sheets 0: their volume stays"),            \
      {.name = "law",                                                                              \
       .type = PL_OPT_INT,                                                                         \
       .value = 0,                                                                                 \
       .lo = 0,                                                                                    \
       .hi = 1,                                                                                    \
       .unit = "",                                                                                 \
       .text =                                                                                     \
           "0: polynomial c10 c01 c20 c11 c02 c30, 1: Ogden mu1 alpha1 mu2 alpha2 mu3 alpha3"},    \
      LAW_ROW("density", 1000, 0, 1e7, "kg/m^3", "mass density"),                                  \
      LAW_ROW("c1", 1e6, -1e15, 1e15, "Pa", "c10, or mu1"),                                        \
      LAW_ROW("c2", 0, -1e15, 1e15, "Pa", "c01, or alpha1, without a unit"),                       \
      LAW_ROW("c3", 0, -1e15, 1e15, "Pa", "c20, or mu2"),                                          \
      LAW_ROW("c4", 0, -1e15, 1e15, "Pa", "c11, or alpha2, without a unit"),                       \
      LAW_ROW("c5", 0, -1e15, 1e15, "Pa", "c02, or mu3"),                                          \
      LAW_ROW("c6", 0, -1e15, 1e15, "Pa", "c30, or alpha3, without a unit")
#define FLAT_MODULI                                                                                \
  LAW_ROW("young1", 1e9, 0, 1e15, "Pa", "Young's modulus along the first axis"),                   \
      LAW_ROW("young2", 1e9, 0, 1e15, "Pa", "Young's modulus along the second axis")
#define FLAT_THICKNESS_ROW LAW_ROW("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform")
#define FLAT_REST                                                                                  \
  LAW_ROW("poisson12", 0.3, -1e3, 1e3, "", "contraction along 2 when pulled along 1"),             \
      LAW_ROW("shear12", 4e8, 0, 1e15, "Pa", "shear modulus in the plane"), ANGLE_ROW

#endif
