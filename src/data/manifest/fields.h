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

// Reads typed fields of a map. An absent or null field leaves the target unchanged, as in Kubernetes. So does a field
// of another type, which is also reported as a problem: "spec.predictor.minReplicas: must be an integer". In this way
// all problems of an object are found at once. The map and the problems must outlive this object. Not thread-safe.
class Fields {
 public:
  // `value` must not be null. A value that is not a map is reported as a problem, and then has no fields. `path` is the
  // value's own.
  Fields(const Value& value, std::string path, Problems& problems);

  void Read(std::string_view key, std::string& target);
  void Read(std::string_view key, bool& target);
  void Read(std::string_view key, int64_t& target);
  void Read(std::string_view key, std::optional<std::string>& target);
  void Read(std::string_view key, std::optional<bool>& target);
  void Read(std::string_view key, std::optional<int64_t>& target);
  void Read(std::string_view key, std::vector<std::string>& target);
  void Read(std::string_view key, StringMap& target);
  // Reads a text or a number: Kubernetes' quantities and ports may be either.
  void ReadTextOrNumber(std::string_view key, std::string& target);

  // Returns the field's map, or nullopt if it is absent or not a map.
  std::optional<Fields> Map(std::string_view key);
  // Returns the maps of a list.
  std::vector<Fields> Maps(std::string_view key);
  // Returns the field's value, or null if it is absent.
  const Value* Find(std::string_view key) const;

  const Value& value() const { return *value_; }
  const std::string& path() const { return path_; }
  Problems& problems() const { return *problems_; }

  // Reports a problem of a field, or of the value itself if `key` is empty.
  void Fail(std::string_view key, std::string message);

 private:
  // Returns the field if it has the kind. Reports a problem if it has another.
  const Value* FindKind(std::string_view key, Kind kind, std::string_view must);

  const Value* value_;
  std::string path_;
  Problems* problems_;
};

// Parses a number's text as an integer. nullopt if it has a fraction, an exponent, or too many digits.
std::optional<int64_t> ParseInt64(std::string_view text);

}  // namespace inferd::manifest
