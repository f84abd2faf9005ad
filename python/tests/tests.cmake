# The package against the library of this build; doctests and types, too. Programs under a sanitizer
# cannot load it.
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
endif()
