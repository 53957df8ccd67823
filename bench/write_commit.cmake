# Writes commit.h with the commit that is being built, so that a result names the code it measured.
#
#   cmake -DSOURCE=<bench directory> -DHEADER=<commit.h> -P write_commit.cmake
#
# Only the pool and the benchmark count as changed code. The header is rewritten only if its text
# changes, so that a build without changes compiles nothing.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE}"
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git status --porcelain -- ../pool . ":!results"
                  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit " with changes")
  endif()
endif()

set(text "#pragma once\n#define BENCH_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT text STREQUAL old)
  file(WRITE "${HEADER}" "${text}")
endif()
