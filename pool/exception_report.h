// ExceptionReport is where an exception goes that a task let escape: counted,
// and handed to the pool's handler, or printed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "platform.h"

namespace workerpool::inline v1 {

// Thread-safe.
template <Platform P>
class ExceptionReport {
 public:
  ExceptionReport(std::string pool, std::function<void(std::exception_ptr)> to)
      : pool_(std::move(pool)), handler_(std::move(to)) {}

  void operator()(std::exception_ptr error) {
    count_.fetch_add(1, P::relaxed);  // X1
    P::Contain([&] { handler_ ? handler_(error) : Print(error); },
               [&](std::exception_ptr) {
                 std::fprintf(
                     stderr,
                     "workerpool: %s: the exception handler threw; ignored\n",
                     pool_.c_str());
               });
  }

  std::uint64_t Count() const { return count_.load(P::relaxed); }  // X1

 private:
  void Print(std::exception_ptr error) {
    std::string what = "not a std::exception";
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      what = exception.what();
    } catch (...) {
    }
    std::fprintf(stderr, "workerpool: %s: a task threw: %s\n", pool_.c_str(),
                 what.c_str());
  }

  const std::string pool_;
  const std::function<void(std::exception_ptr)> handler_;
  typename P::template Atomic<std::uint64_t> count_{0};
};

}  // namespace workerpool::inline v1
