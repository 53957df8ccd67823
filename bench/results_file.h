// Reads and writes Results as JSON, so that a file is always a whole one: it is
// written beside the target and renamed over it. Errors are std::runtime_error
// with one line.
#pragma once
#include <filesystem>

#include "results.h"

namespace bench {

// Throws if the file is missing, is not JSON, or is not a results file.
Results ReadResults(const std::filesystem::path& file);

// Throws, and leaves what `file` held before, if the directory or the disk does
// not take it, or if `file` is something else than a regular file (replacing a
// device would remove it).
void WriteResults(const std::filesystem::path& file, const Results& results);

}  // namespace bench
