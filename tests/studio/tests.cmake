# Tests of the studio's server as a browser and its enemies see it.
find_program(NODE node)
if(NODE)
  set(more "")
  if(PLIANT_SANITIZE)
    set(more sanitized)
  endif()
  add_test(NAME studio.security COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/studio/run_security.mjs
           $<TARGET_FILE:pliant> ${CMAKE_CURRENT_BINARY_DIR}/studio_security ${more})
  set_tests_properties(studio.security PROPERTIES LABELS unit TIMEOUT 600)
  # what needs more than node is skipped where npm has not installed it
  set(run_page ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/studio/run_page.mjs $<TARGET_FILE:pliant>)
  set(web ${CMAKE_SOURCE_DIR}/studio/web)
  add_test(NAME studio.prediction COMMAND ${run_page} ${CMAKE_CURRENT_SOURCE_DIR}/studio/run_prediction.mjs
           $<TARGET_FILE:pliant> ${CMAKE_CURRENT_BINARY_DIR}/studio_prediction)
  add_test(NAME studio.types COMMAND ${run_page} ${web}/node_modules/typescript/bin/tsc --noEmit -p ${web})
  set_tests_properties(studio.prediction studio.types PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# The page as a person uses it.
find_program(CHROMIUM NAMES chromium chromium-browser)
if(NODE AND CHROMIUM)
  add_test(NAME studio_walk COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/studio/walk/walk.mjs
           $<TARGET_FILE:pliant> ${CMAKE_CURRENT_BINARY_DIR}/studio_walk)
  add_test(NAME studio_names COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/studio/walk/names.mjs
           $<TARGET_FILE:pliant> ${CMAKE_CURRENT_BINARY_DIR}/studio_names)
  set_tests_properties(studio_walk studio_names PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77)
else()
  message(STATUS "chromium or nodejs not found: studio_walk is left out")
endif()

# Parts of the page by themselves, and what needs a browser: the viewer, reports.
if(NODE)
  file(GLOB page CONFIGURE_DEPENDS ${web}/test/*.test.mjs)
  foreach(path ${page})
    get_filename_component(name ${path} NAME_WE)
    if(name MATCHES "-page$" AND NOT CHROMIUM)
      continue()
    endif()
    add_test(NAME studio.web.${name} COMMAND ${run_page} --test ${path})
    set_tests_properties(studio.web.${name} PROPERTIES LABELS cli TIMEOUT 900 SKIP_RETURN_CODE 77)
  endforeach()
endif()
