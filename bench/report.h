// Renders Results as Markdown that also reads well in a terminal.
#pragma once
#include <string>

#include "results.h"

namespace bench {

// Pure: the same results always give the same text, so a document can be
// checked against it.
std::string Render(const Results& results);

}  // namespace bench
