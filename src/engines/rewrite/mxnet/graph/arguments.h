#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/rewrite/mxnet/graph/element_types.h"
#include "engines/rewrite/mxnet/graph/symbol.h"

namespace inferd::mxnet {

// A tuple of MXNet's, whose parts may be None: "(2, None)".
using OptionalInts = std::vector<std::optional<int64_t>>;

// The arguments of one node, which are texts. Each is requested by its name. An argument that was not requested when
// the node is done is unknown here, and ignoring it could give wrong results. A malformed text is an error of Finish().
// Not thread-safe.
class Arguments final {
 public:
  explicit Arguments(const Node& node) : node_(node) {}

  // Return the value, or `otherwise` if there is no such argument.
  int64_t Int(std::string_view name, int64_t otherwise);
  double Float(std::string_view name, double otherwise);
  bool Flag(std::string_view name, bool otherwise);
  std::string_view Text(std::string_view name, std::string_view otherwise);
  Element Datatype(std::string_view name, Element otherwise);

  // Parses "(3, 3)", "[3, 3]" or "3". Empty if there is none, or it is None. Refuses parts that are None.
  std::vector<int64_t> Ints(std::string_view name);
  OptionalInts IntsOrNone(std::string_view name);
  std::optional<int64_t> IntIfAny(std::string_view name);  // nullopt if there is none, or it is None

  bool Has(std::string_view name) const { return node_.attributes.contains(name); }
  // Requires an argument of that name.
  void Need(std::string_view name);
  // Ignores arguments that have no effect here, whatever their values.
  void Ignore(std::initializer_list<std::string_view> names);
  // Checks arguments that must be false here.
  void MustBeFalse(std::initializer_list<std::string_view> names);

  void Refuse(std::string message);

  // INVALID_ARGUMENT with the first error, or the first argument that was not requested.
  base::Status Finish();

 private:
  const std::string* Find(std::string_view name);
  void RefuseValue(std::string_view name, std::string_view value, std::string_view what);

  const Node& node_;
  std::set<std::string, std::less<>> asked_;
  base::Status status_;
};

// Returns the sizes of a tuple, or nullopt if it is not one. A part beyond 64 bits, or more than 64 parts, is invalid.
std::optional<OptionalInts> ParseTuple(std::string_view text);

}  // namespace inferd::mxnet
