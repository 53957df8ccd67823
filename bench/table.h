// Table is a Markdown table whose columns are padded, so that it can be read in
// a terminal too. The first column is left-aligned, numbers are right-aligned.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row header) : rows_{std::move(header)} {}

  // `row` has as many cells as the header.
  void Add(Row row) { rows_.push_back(std::move(row)); }

  // An empty string if there are no rows below the header.
  std::string Text() const {
    if (rows_.size() < 2) return "";
    std::vector<std::size_t> widths(rows_[0].size(), 3);
    for (const Row& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], Width(row[i]));
    }
    std::string text;
    for (std::size_t line = 0; line < rows_.size(); ++line) {
      for (std::size_t i = 0; i < widths.size(); ++i) {
        text += fmt::format(fmt::runtime(i == 0 ? "| {:<{}} " : "| {:>{}} "),
                            rows_[line][i], widths[i]);
      }
      text += "|\n";
      if (line == 0) text += Rule(widths);
    }
    return text;
  }

 private:
  // Characters, not bytes: every byte of UTF-8 but the continuations begins
  // one.
  static std::size_t Width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(),
        [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  }

  static std::string Rule(const std::vector<std::size_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += i == 0 ? fmt::format("|:{:-<{}}", "", widths[i] + 1)
                     : fmt::format("|{:->{}}:", "", widths[i] + 1);
    }
    return text + "|\n";
  }

  std::vector<Row> rows_;
};

}  // namespace bench
