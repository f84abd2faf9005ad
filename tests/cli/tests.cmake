add_test(NAME cli COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_cli.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli)
set_tests_properties(cli PROPERTIES LABELS cli TIMEOUT 600)
foreach(page tutorial)
  add_test(NAME docs.${page} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_docs.py
           $<TARGET_FILE:pliant> ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/docs-${page} docs/${page}.md)
  set_tests_properties(docs.${page} PROPERTIES LABELS cli TIMEOUT 900)
endforeach()
add_test(NAME cli_steps COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_steps.py $<TARGET_FILE:pliant>
         ${CMAKE_CURRENT_BINARY_DIR}/cli_steps)
set_tests_properties(cli_steps PROPERTIES LABELS cli TIMEOUT 600)
# numpy and meshio are the distribution's
add_test(NAME cli_joins COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_joins.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_joins)
set_tests_properties(cli_joins PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_reports COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_reports.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_reports)
set_tests_properties(cli_reports PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_solids COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_solids.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_solids)
set_tests_properties(cli_solids PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_stress COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_stress.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_stress)
set_tests_properties(cli_stress PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_laws COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_laws.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_laws)
set_tests_properties(cli_laws PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_shells COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_shells.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_shells)
set_tests_properties(cli_shells PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_symmetry COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_symmetry.py
         $<TARGET_FILE:pliant> ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_symmetry)
set_tests_properties(cli_symmetry PROPERTIES LABELS cli TIMEOUT 600)
add_test(NAME cli_paths COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_paths.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli_paths)
set_tests_properties(cli_paths PROPERTIES LABELS cli TIMEOUT 600)

add_test(NAME cli_threads COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_threads.py $<TARGET_FILE:pliant>
         ${CMAKE_CURRENT_BINARY_DIR}/cli_threads)
set_tests_properties(cli_threads PROPERTIES LABELS cli TIMEOUT 600)

# libraries in front of the system's do not go with sanitizers, which stand there themselves
set(preload "")
foreach(name fail_malloc stop_after)
  add_library(${name} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.c)
  target_compile_options(${name} PRIVATE -Wno-missing-prototypes -Wno-pedantic -fvisibility=default)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  if(NOT PLIANT_SANITIZE)
    list(APPEND preload $<TARGET_FILE:${name}>)
  endif()
endforeach()
add_test(NAME cli_faults COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_faults.py $<TARGET_FILE:pliant>
         ${CMAKE_CURRENT_BINARY_DIR}/cli_faults ${preload})
set_tests_properties(cli_faults PROPERTIES LABELS cli TIMEOUT 600)
