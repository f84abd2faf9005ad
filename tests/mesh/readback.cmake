# files written by us, read by others: VTK and meshio in Python, three.js in node
add_executable(make_samples mesh/make_samples.c support/check.c)
target_include_directories(make_samples PRIVATE support ${CMAKE_SOURCE_DIR}/src/mesh)
pl_link_layer(make_samples mesh)
target_link_libraries(make_samples PRIVATE PkgConfig::CMOCKA)
set(samples ${CMAKE_CURRENT_BINARY_DIR}/samples)
add_test(NAME mesh.samples COMMAND make_samples ${samples})
add_test(NAME mesh.readback_python
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/mesh/readback.py ${samples})
add_test(NAME mesh.readback_three
         COMMAND node ${CMAKE_CURRENT_SOURCE_DIR}/mesh/glb/check.mjs ${samples})
set_tests_properties(mesh.samples PROPERTIES FIXTURES_SETUP samples LABELS golden)
set_tests_properties(mesh.readback_python mesh.readback_three PROPERTIES FIXTURES_REQUIRED samples
                     LABELS golden)
