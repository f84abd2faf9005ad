# projections compared with cvxopt, in Python
add_executable(solve_problems limit/solve_problems.c)
pl_link_layer(solve_problems limit)
execute_process(COMMAND /usr/bin/python3 -c "import cvxopt, numpy" RESULT_VARIABLE no_cvxopt
                OUTPUT_QUIET ERROR_QUIET)
if(no_cvxopt)
  message(STATUS "python3-cvxopt not found: limit.cvxopt is left out")
else()
  add_test(NAME limit.cvxopt
           COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/limit/cvxopt_check.py
                   $<TARGET_FILE:solve_problems>)
  set_tests_properties(limit.cvxopt PROPERTIES LABELS golden TIMEOUT 300
                       ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
# Ipopt takes seconds
set_tests_properties(limit.test_rivals PROPERTIES LABELS golden)
