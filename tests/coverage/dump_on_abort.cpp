// What a process ran that ends by abort counts as well: the profile is written
// at exit only, and death tests do not get there.
#include <csignal>

extern "C" int __llvm_profile_write_file();

namespace {

void Dump(int) { __llvm_profile_write_file(); }  // abort goes on after it

[[maybe_unused]] const auto installed = std::signal(SIGABRT, &Dump);

}  // namespace
