# The package against the library of this build; doctests and types, too.
if(NOT PLIANT_SANITIZE)
  add_test(NAME python COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider --doctest-modules
           ${CMAKE_SOURCE_DIR}/python/tests ${CMAKE_SOURCE_DIR}/python/pliant)
  add_test(NAME python_types COMMAND /usr/bin/python3 -m mypy --cache-dir=${CMAKE_CURRENT_BINARY_DIR}/mypy
           --config-file ${CMAKE_SOURCE_DIR}/python/pyproject.toml ${CMAKE_SOURCE_DIR}/python/pliant)
  # the gallery of notebooks, as those who learn from it run it
  add_test(NAME python_notebooks COMMAND sh -c "/usr/bin/python3 -m nbconvert --log-level ERROR --to notebook --execute \
--output-dir '${CMAKE_CURRENT_BINARY_DIR}/notebooks' '${CMAKE_SOURCE_DIR}'/python/notebooks/*.ipynb")
  set_tests_properties(python python_notebooks PROPERTIES ENVIRONMENT
    "PLIANT_LIBRARY=$<TARGET_FILE:pliant_shared>;PYTHONPATH=${CMAKE_SOURCE_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(python python_types python_notebooks PROPERTIES LABELS python TIMEOUT 900)
elseif(PLIANT_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # misuse must not touch what is not ours; what Python itself leaves to the system is no leak of ours
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  add_test(NAME python COMMAND /usr/bin/python3 -m pytest -q -p no:cacheprovider ${CMAKE_SOURCE_DIR}/python/tests)
  set_tests_properties(python PROPERTIES LABELS "python;unit" TIMEOUT 900 ENVIRONMENT
    "PLIANT_LIBRARY=$<TARGET_FILE:pliant_shared>;PYTHONPATH=${CMAKE_SOURCE_DIR}/python;PYTHONDONTWRITEBYTECODE=1;LD_PRELOAD=${asan};ASAN_OPTIONS=detect_leaks=0:handle_segv=2")
endif()
