// TempDir is a directory under $TMPDIR (or /tmp) that lives as long as the
// object.
#pragma once
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace bench {

class TempDir {
 public:
  // Throws std::runtime_error if the directory cannot be made.
  TempDir() {
    const char* parent = std::getenv("TMPDIR");
    if (parent == nullptr || *parent == '\0') parent = "/tmp";
    std::string name = fmt::format("{}/tps-XXXXXX", parent);
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(
          fmt::format("cannot make a temporary directory in {}: {}", parent,
                      std::strerror(errno)));
    }
    path_ = name;
  }
  ~TempDir() { Remove(); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  // For a process that has to end without running destructors.
  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& Path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bench
