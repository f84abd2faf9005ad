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
