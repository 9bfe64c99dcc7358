#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// Reader for MXNet's symbol files: the JSON text of a graph, in the spellings of all of MXNet's versions.

namespace inferd::mxnet {

// The limits of a symbol; one that exceeds them is refused.
inline constexpr size_t kSymbolBytesMax = 64 << 20;
inline constexpr size_t kNodesMax = 65536;
inline constexpr size_t kEntriesMax = 4096;    // inputs of a node; outputs of the symbol
inline constexpr size_t kAttributesMax = 256;  // of a node

// One output of a node.
struct Entry {
  size_t node = 0;  // its index among the nodes, lower than the reading node's
  size_t output = 0;
};

struct Node {
  std::string op;  // "null" for a variable
  std::string name;
  std::vector<Entry> inputs;
  // Arguments of the operator, and users' notes ("__shape__"). All are texts.
  std::map<std::string, std::string, std::less<>> attributes;

  bool is_variable() const { return op == "null"; }
};

struct Symbol {
  std::vector<Node> nodes;  // in the order of execution
  std::vector<Entry> heads;
};

// INVALID_ARGUMENT if it is malformed, or exceeds a limit.
base::Result<Symbol> ReadSymbol(std::string_view json);

}  // namespace inferd::mxnet
