#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"

namespace inferd::manifest {

using StringMap = std::map<std::string, std::string>;

// Reads typed fields of a map. A field that is absent or null leaves the target as it is, as Kubernetes has it; one of
// another type does so, too, and is a problem "spec.predictor.minReplicas: must be an integer". So all problems of an
// object are found at once. Refers to the map and the problems, which outlive it. Not thread-safe.
class Fields {
 public:
  // `value` is not null; one that is no map is a problem, and then has no fields. `path` is the value's own.
  Fields(const Value& value, std::string path, Problems& problems);

  void Read(std::string_view key, std::string& target);
  void Read(std::string_view key, bool& target);
  void Read(std::string_view key, int64_t& target);
  void Read(std::string_view key, std::optional<std::string>& target);
  void Read(std::string_view key, std::optional<bool>& target);
  void Read(std::string_view key, std::optional<int64_t>& target);
  void Read(std::string_view key, std::vector<std::string>& target);
  void Read(std::string_view key, StringMap& target);
  // A text, a number too: Kubernetes' quantities and ports may be either.
  void ReadTextOrNumber(std::string_view key, std::string& target);

  // The map that the field is; nullopt: absent, or a problem.
  std::optional<Fields> Map(std::string_view key);
  // The maps of a list.
  std::vector<Fields> Maps(std::string_view key);
  // The field as it is; null: absent.
  const Value* Find(std::string_view key) const;

  const Value& value() const { return *value_; }
  const std::string& path() const { return path_; }
  Problems& problems() const { return *problems_; }

  // A problem of a field, or of the value itself if `key` is empty.
  void Fail(std::string_view key, std::string message);

 private:
  // The field, if it is of the kind; a problem of another.
  const Value* FindKind(std::string_view key, Kind kind, std::string_view must);

  const Value* value_;
  std::string path_;
  Problems* problems_;
};

// A number's text as an integer; nullopt: it has a fraction, an exponent, or too many digits.
std::optional<int64_t> ParseInt64(std::string_view text);

}  // namespace inferd::manifest
