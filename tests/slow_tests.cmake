# Read by CTest after the tests of each program are known: labels those of slow_tests.txt.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/slow_tests.txt slow_tests REGEX "^[^#]")
foreach(name IN LISTS slow_tests)
  set_tests_properties(${name} PROPERTIES LABELS slow)
endforeach()
