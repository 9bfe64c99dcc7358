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

// The arguments of one node, which are texts: each is asked for by its name. What was not asked for when the node is
// done is an argument that nothing here knows: an answer without it could be a wrong one. A text that is not what is
// asked for is an error of Finish(). Not thread-safe.
class Arguments final {
 public:
  explicit Arguments(const Node& node) : node_(node) {}

  // The values, or `otherwise` where there is no such argument.
  int64_t Int(std::string_view name, int64_t otherwise);
  double Float(std::string_view name, double otherwise);
  bool Flag(std::string_view name, bool otherwise);
  std::string_view Text(std::string_view name, std::string_view otherwise);
  Element Datatype(std::string_view name, Element otherwise);

  // "(3, 3)", "[3, 3]" or "3"; empty where there is none, or it is None. Parts that are None are refused.
  std::vector<int64_t> Ints(std::string_view name);
  OptionalInts IntsOrNone(std::string_view name);
  std::optional<int64_t> IntIfAny(std::string_view name);  // nothing: there is none, or it is None

  bool Has(std::string_view name) const { return node_.attributes.contains(name); }
  // There has to be an argument of that name.
  void Need(std::string_view name);
  // Arguments that change nothing here, whatever their values.
  void Ignore(std::initializer_list<std::string_view> names);
  // Arguments that may only be false here.
  void MustBeFalse(std::initializer_list<std::string_view> names);

  void Refuse(std::string message);

  // INVALID_ARGUMENT: what was wrong first, or the first argument that was not asked for.
  base::Status Finish();

 private:
  const std::string* Find(std::string_view name);
  void RefuseValue(std::string_view name, std::string_view value, std::string_view what);

  const Node& node_;
  std::set<std::string, std::less<>> asked_;
  base::Status status_;
};

// The sizes of a tuple; nothing: it is none. A part beyond 64 bits, or more than 64 parts, is none.
std::optional<OptionalInts> ParseTuple(std::string_view text);

}  // namespace inferd::mxnet
