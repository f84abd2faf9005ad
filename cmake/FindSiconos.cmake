# siconos-numerics, an independent solver of Coulomb's law for tests, as the imported target
# Siconos::numerics.
find_path(SICONOS_DIR FrictionContactProblem.h PATH_SUFFIXES siconos/numerics)
find_library(LIB_siconos_numerics siconos_numerics)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Siconos REQUIRED_VARS LIB_siconos_numerics SICONOS_DIR)
if(Siconos_FOUND AND NOT TARGET Siconos::numerics)
  add_library(Siconos::numerics INTERFACE IMPORTED)
  target_link_libraries(Siconos::numerics INTERFACE ${LIB_siconos_numerics})
  get_filename_component(SICONOS_PARENT ${SICONOS_DIR} DIRECTORY)
  target_include_directories(Siconos::numerics SYSTEM INTERFACE ${SICONOS_DIR} ${SICONOS_PARENT})
endif()
