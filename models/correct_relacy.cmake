# Copies the installed Relacy headers to DESTINATION and corrects them there.
# Stops if a line to correct is not found: then the models would check less
# than they say. Run as: cmake -DSOURCE=... -DDESTINATION=... -P this file.
cmake_minimum_required(VERSION 3.22)

function(correct file from to)
  file(READ "${DESTINATION}/relacy/${file}" text)
  string(FIND "${text}" "${from}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "relacy/${file}: the line to correct is not there: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  file(WRITE "${DESTINATION}/relacy/${file}" "${text}")
endfunction()

# Once per version of the headers and of this script: else every configuration
# would make all models anew.
file(GLOB inputs "${SOURCE}/relacy/*.hpp" "${CMAKE_CURRENT_LIST_FILE}")
set(hashes "")
foreach(input IN LISTS inputs)
  file(SHA256 "${input}" hash)
  string(APPEND hashes "${hash}")
endforeach()
set(stamp "${DESTINATION}/relacy.stamp")
if(EXISTS "${stamp}")
  file(READ "${stamp}" known)
  if(known STREQUAL hashes)
    return()
  endif()
endif()

file(REMOVE_RECURSE "${DESTINATION}/relacy")
file(COPY "${SOURCE}/relacy" DESTINATION "${DESTINATION}")

# A yield gave way to threads that are blocked or not started yet as if they
# could run, so the tree searches skipped schedules: with a waiter and a
# controller in join they showed one of four outcomes. Only a thread that can
# run is given way to. Checked by models/calibration.cpp.
correct(full_search_scheduler.hpp
  "y.state_ != thread_state_finished"
  "y.state_ == thread_state_running")

# Every free() was a choice, whether the block may be reused at once, which
# doubled the search each time. Nothing here compares addresses, so blocks
# always rest in the quarantine, where a late access is found as well.
correct(context.hpp
  "(0 == sched_.rand(this->is_random_sched() ? 4 : 2, sched_type_mem_realloc))"
  "true")

file(WRITE "${stamp}" "${hashes}")
