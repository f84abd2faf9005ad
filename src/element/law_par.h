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
#define FLAT_MODULI                                                                                \
  LAW_ROW("young1", 1e9, 0, 1e15, "Pa", "Young's modulus along the first axis"),                   \
      LAW_ROW("young2", 1e9, 0, 1e15, "Pa", "Young's modulus along the second axis")
#define FLAT_THICKNESS_ROW LAW_ROW("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform")
#define FLAT_REST                                                                                  \
  LAW_ROW("poisson12", 0.3, -1e3, 1e3, "", "contraction along 2 when pulled along 1"),             \
      LAW_ROW("shear12", 4e8, 0, 1e15, "Pa", "shear modulus in the plane"), ANGLE_ROW

#endif
