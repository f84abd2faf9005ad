add_test(NAME cli COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_cli.py $<TARGET_FILE:pliant>
         ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cli)
set_tests_properties(cli PROPERTIES LABELS cli TIMEOUT 600)
