# Writes a copy of moodycamel's concurrentqueue.h in which one memory order is corrected.
#
#   cmake -DINSTALLED=<header> -DCORRECTED=<copy> -P correct_concurrentqueue.cmake
#
# The line, in Block::set_empty (libconcurrentqueue-dev 1.0.3):
#   auto prevVal = elementsCompletelyDequeued.fetch_add(1, std::memory_order_release);
# The consumer that counts the last element of a block recycles the block. With `release` alone it
# does not acquire what the other consumers released, so the next producer may write into a slot
# whose element is still being moved out by another consumer. `acq_rel` orders the two.
# A header without exactly this line is one we have not read: the build fails.
set(wrong "auto prevVal = elementsCompletelyDequeued.fetch_add(1, std::memory_order_release);")
set(right "auto prevVal = elementsCompletelyDequeued.fetch_add(1, std::memory_order_acq_rel);")

file(READ "${INSTALLED}" text)
string(FIND "${text}" "${wrong}" first)
string(FIND "${text}" "${wrong}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "concurrentqueue.h has not exactly one line '${wrong}': read it again")
endif()
string(REPLACE "${wrong}" "${right}" text "${text}")
file(WRITE "${CORRECTED}" "#define BENCH_CORRECTED_CONCURRENTQUEUE 1\n${text}")
