// The searches that passed, one JSON object per line, written as they end: a
// run that was interrupted goes on from there. The file must be of the same
// program, mode and limits; models/run names it by a hash of these.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace models {

class KeptSearches {
 public:
  using Json = nlohmann::json;

  // Without a path nothing is kept.
  explicit KeptSearches(const std::string& path) {
    if (path.empty()) return;
    std::ifstream old(path);
    for (std::string line; std::getline(old, line);) {
      const Json kept = Json::parse(line, nullptr, false);
      if (!kept.is_object()) continue;  // half a line: that search runs again
      records_[{kept.at("check"), kept.at("search")}] = kept.at("record");
    }
    file_.open(path, std::ios::app);
    if (!file_) throw std::runtime_error("cannot write " + path);
    file_ << std::endl;  // ends what may be half a line
  }

  // What the search found; null if it is not known.
  Json Find(const std::string& check, const std::string& search) const {
    const auto found = records_.find({check, search});
    return found == records_.end() ? Json() : found->second;
  }

  void Keep(const std::string& check, const std::string& search,
            const Json& record) {
    if (!file_.is_open()) return;
    const Json kept = {
        {"check", check}, {"search", search}, {"record", record}};
    file_ << kept.dump() << std::endl;
    if (!file_) throw std::runtime_error("cannot keep a finished search");
  }

 private:
  std::map<std::pair<std::string, std::string>, Json> records_;
  std::ofstream file_;
};

}  // namespace models
