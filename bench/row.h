// What a YCSB row looks like: ten fields of 100 bytes, each stored as one
// length byte and its text.
//
// The text follows from key and field, so a reader recomputes it and compares:
// a row that is torn, of another key, or short cannot pass, and no checksum has
// to be trusted. The check costs well under 200 ns, because each word of a
// field is one addition away from the word before it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bench {

inline constexpr std::size_t kFields = 10;
inline constexpr std::size_t kFieldBytes = 100;
inline constexpr std::size_t kStoredRowBytes = kFields * (1 + kFieldBytes);
using StoredRow = std::array<char, kStoredRowBytes>;

namespace detail {

inline constexpr std::uint64_t kWordStep =
    0x9e3779b97f4a7c15;  // odd: words of a field all differ
inline constexpr std::size_t kWords = kFieldBytes / sizeof(std::uint64_t);
inline constexpr std::size_t kTailBytes = kFieldBytes % sizeof(std::uint64_t);

// Neighbouring keys and fields must start far apart, or a row could pass for
// its neighbour.
inline std::uint64_t FirstWord(std::uint32_t key, std::size_t field) {
  std::uint64_t word =
      (std::uint64_t{key} * kFields + field + 1) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 32)) * 0x94d049bb133111eb;
  return word ^ (word >> 29);
}

}  // namespace detail

inline void FillRow(std::uint32_t key, StoredRow& row) {
  char* to = row.data();
  for (std::size_t field = 0; field < kFields; ++field) {
    std::uint64_t word = detail::FirstWord(key, field);
    *to++ = static_cast<char>(kFieldBytes);
    for (std::size_t i = 0; i < detail::kWords;
         ++i, word += detail::kWordStep, to += sizeof word) {
      std::memcpy(to, &word, sizeof word);
    }
    std::memcpy(to, &word, detail::kTailBytes);
    to += detail::kTailBytes;
  }
}

// True if `stored` has all ten fields at full length with the text that belongs
// to `key`.
inline bool IsRowOf(std::uint32_t key, std::string_view stored) {
  if (stored.size() != kStoredRowBytes) return false;
  std::uint64_t difference = 0;
  const char* from = stored.data();
  for (std::size_t field = 0; field < kFields; ++field) {
    std::uint64_t word = detail::FirstWord(key, field);
    if (*from++ != static_cast<char>(kFieldBytes)) return false;
    for (std::size_t i = 0; i < detail::kWords;
         ++i, word += detail::kWordStep) {
      std::uint64_t read;
      std::memcpy(&read, from + i * sizeof read, sizeof read);
      difference |= read ^ word;
    }
    from += detail::kWords * sizeof word;
    difference |= static_cast<std::uint64_t>(
        std::memcmp(from, &word, detail::kTailBytes) != 0);
    from += detail::kTailBytes;
  }
  return difference == 0;
}

}  // namespace bench
