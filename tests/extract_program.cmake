# Writes the first ```cpp block of README to PROGRAM, so that the README's
# program is compiled and run as its readers see it.
file(READ "${README}" text)
if(NOT text MATCHES "```cpp\n([^`]*)```")
  message(FATAL_ERROR "README.md: no cpp block")
endif()
file(WRITE "${PROGRAM}" "${CMAKE_MATCH_1}")
