#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/system/regular_file.h"
#include "config/personality.h"
#include "config/tfs/server_files.h"

namespace inferd::config {

// Flags that are read together, and the resulting options.
class FlagCombination final {
 public:
  explicit FlagCombination(const GivenFlags& given) : given_(given) {}

  const GivenFlags& given() const { return given_; }
  // Returns the path that a flag gives. Null if it was not given.
  const std::string* File(std::string_view flag) const {
    const std::string* const path = given_.Find(flag);
    return path == nullptr || path->empty() ? nullptr : path;
  }

  void AddFrom(std::string origin, std::string_view option, std::string value) {
    combined_.values.push_back({.option = option, .value = std::move(value), .origin = std::move(origin)});
  }
  void Add(std::string_view option, std::string value, std::string_view flag) {
    AddFrom("--" + std::string(flag), option, std::move(value));
  }
  void Warn(std::string_view flag, std::string_view text) {
    combined_.warnings.push_back("--" + std::string(flag) + std::string(text));
  }

  // INVALID_ARGUMENT, with the flag, if the file cannot be read or `parse` refuses it.
  template <typename Value>
  static base::Result<Value> ReadFile(std::string_view flag, const std::string& path,
                                      base::Result<Value> (*parse)(std::string_view text, std::string_view name)) {
    const auto text = base::ReadRegularFile(path, kServerFileBytesMax);
    if (!text.has_value()) return std::unexpected(text.error().WithContext("--" + std::string(flag)));
    return parse(*text, path);
  }

  CombinedFlags Take() { return std::move(combined_); }

 private:
  const GivenFlags& given_;
  CombinedFlags combined_;
};

}  // namespace inferd::config
