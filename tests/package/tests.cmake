# What is installed, and packages. Programs elsewhere know nothing of sanitizers.
add_test(NAME package.completion COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/package/run_completion.py
         $<TARGET_FILE:pliant> ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/package-completion)
set_tests_properties(package.completion PROPERTIES LABELS package TIMEOUT 300)
if(PLIANT_SANITIZE)
  return()
endif()
find_program(PLAIN_CXX NAMES g++ c++)
if(NOT PLAIN_CXX)
  set(PLAIN_CXX "")
  message(STATUS "no compiler for C++ found: package.install leaves its part out")
endif()
add_test(NAME package.install COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/package/run_install.py ${CMAKE_COMMAND}
         ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER} "${PLAIN_CXX}" ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/package-install)
set_tests_properties(package.install PROPERTIES LABELS package TIMEOUT 600)
# packages of these very objects, which the preset check builds for /usr
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  add_test(NAME package.root COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/package/run_root.py ${CMAKE_BINARY_DIR}
           ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/package-root)
  set_tests_properties(package.root PROPERTIES LABELS "package;slow" TIMEOUT 1800 COST 200)
endif()
