// What a call threw, as a value that a test can compare.
#pragma once

#include <stdexcept>
#include <system_error>

namespace workerpool_test {

// The error code of the std::system_error that `call` throws; success if it
// throws nothing. Any other exception fails the test.
template <class Call>
std::error_code SystemErrorOf(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

inline const auto kRefused =
    std::make_error_code(std::errc::operation_not_permitted);
inline const auto kWouldDeadlock =
    std::make_error_code(std::errc::resource_deadlock_would_occur);

}  // namespace workerpool_test
