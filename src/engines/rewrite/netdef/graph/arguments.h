#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/netdef/graph/net_def.h"

namespace inferd::netdef {

// The arguments of one operator. Each is requested by its name. An argument that was not requested when the operator is
// done is unknown here, and ignoring it could give wrong results. Not thread-safe.
class Arguments final {
 public:
  explicit Arguments(const Operator& op) : op_(op) {}

  // Return the value, or `otherwise` if there is no such argument. One of another kind is an error of status().
  int64_t Int(std::string_view name, int64_t otherwise);
  float Float(std::string_view name, float otherwise);
  std::string_view Text(std::string_view name, std::string_view otherwise);
  std::vector<int64_t> Ints(std::string_view name);
  const std::vector<float>* Floats(std::string_view name);  // nullptr if there is none
  std::optional<int64_t> IntIfAny(std::string_view name);

  // Null if there is none of that name. It counts as requested.
  const Argument* Find(std::string_view name);
  bool Has(std::string_view name) const;

  // Ignores arguments that have no effect here, whatever their values.
  void Ignore(std::initializer_list<std::string_view> names);
  // Checks arguments that must be 0 or false here.
  void MustBeZero(std::initializer_list<std::string_view> names);

  void Refuse(std::string message);

  // INVALID_ARGUMENT with the first error, or the first argument that was not requested.
  base::Status Finish();

 private:
  const Operator& op_;
  std::set<std::string, std::less<>> asked_;
  base::Status status_;
};

}  // namespace inferd::netdef
