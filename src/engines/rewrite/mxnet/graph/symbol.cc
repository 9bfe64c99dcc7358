#include "engines/rewrite/mxnet/graph/symbol.h"

#include <optional>
#include <utility>

#include "data/json/read.h"

namespace inferd::mxnet {

namespace {

// Before version 0.9, operators have their arguments in `param`, and users' attributes in `attr`. Later `attr` had
// both, and now it is `attrs`.
struct ReadNode {
  Node node;
  bool has_param = false;
  std::map<std::string, std::string, std::less<>> noted;
};

class SymbolReader final {
 public:
  explicit SymbolReader(std::string_view json) : in_(json) {}

  base::Result<Symbol> Read() {
    INFERD_RETURN_IF_ERROR(json::ReadObject(in_, [this](std::string_view key) { return ReadMember(key); }));
    INFERD_RETURN_IF_ERROR(in_.Finish());
    if (symbol_.nodes.empty() || symbol_.heads.empty()) {
      return std::unexpected(base::InvalidArgument("it is no MXNet symbol: it has no nodes, or no heads"));
    }
    INFERD_RETURN_IF_ERROR(CheckOrder());
    return std::move(symbol_);
  }

 private:
  base::Status ReadMember(std::string_view key) {
    if (key == "nodes") return json::ReadArray(in_, [this] { return AddNode(); });
    if (key == "heads") return ReadEntries(&symbol_.heads);
    return in_.SkipValue();
  }

  base::Status AddNode() {
    if (symbol_.nodes.size() == kNodesMax) return in_.Error("more than 65536 nodes");
    ReadNode read;
    INFERD_RETURN_IF_ERROR(
        json::ReadObject(in_, [this, &read](std::string_view key) { return ReadNodeMember(key, &read); }));
    for (auto& [key, value] : read.noted) {
      if (!read.has_param || key.starts_with("__")) read.node.attributes.emplace(key, std::move(value));
    }
    symbol_.nodes.push_back(std::move(read.node));
    return {};
  }

  base::Status ReadNodeMember(std::string_view key, ReadNode* read) {
    if (key == "op") return json::ReadText(in_, read->node.op);
    if (key == "name") return json::ReadText(in_, read->node.name);
    if (key == "inputs") return ReadEntries(&read->node.inputs);
    if (key == "attr" || key == "attrs") return ReadAttributes(&read->noted);
    if (key == "param") {
      read->has_param = true;
      return ReadAttributes(&read->node.attributes);
    }
    if (key == "subgraphs") return ReadNoSubgraphs();
    return in_.SkipValue();
  }

  base::Status ReadNoSubgraphs() {
    return json::ReadArray(in_, [this] { return in_.Error("nodes with graphs of their own are not supported"); });
  }

  base::Status ReadAttributes(std::map<std::string, std::string, std::less<>>* attributes) {
    return json::ReadObject(in_, [this, attributes](std::string_view key) -> base::Status {
      if (attributes->size() == kAttributesMax) return in_.Error("more than 256 attributes of a node");
      const std::string name(key);
      INFERD_ASSIGN_OR_RETURN(const std::string_view value, in_.ReadString());
      attributes->insert_or_assign(name, std::string(value));
      return {};
    });
  }

  // Reads [[node, output], ...], or [[node, output, version], ...].
  base::Status ReadEntries(std::vector<Entry>* entries) {
    return json::ReadArray(in_, [this, entries]() -> base::Status {
      if (entries->size() == kEntriesMax) return in_.Error("more than 4096 inputs of a node, or heads");
      size_t numbers[2] = {};
      size_t count = 0;
      INFERD_RETURN_IF_ERROR(json::ReadArray(in_, [this, &numbers, &count]() -> base::Status {
        INFERD_ASSIGN_OR_RETURN(const uint64_t number, in_.ReadUint64());
        if (count < 2) numbers[count] = number;
        ++count;
        return {};
      }));
      if (count != 2 && count != 3) return in_.Error("an input or a head is no [node, output]");
      entries->push_back({.node = numbers[0], .output = numbers[1]});
      return {};
    });
  }

  base::Status CheckOrder() const {
    for (size_t i = 0; i < symbol_.nodes.size(); ++i) {
      for (const Entry& input : symbol_.nodes[i].inputs) {
        if (input.node >= i) {
          return base::InvalidArgument("node " + std::to_string(i) + ", '" + symbol_.nodes[i].name +
                                       "', has an input that does not come before it");
        }
      }
    }
    for (const Entry& head : symbol_.heads) {
      if (head.node >= symbol_.nodes.size()) return base::InvalidArgument("a head is no node");
    }
    return {};
  }

  json::Reader in_;
  Symbol symbol_;
};

}  // namespace

base::Result<Symbol> ReadSymbol(std::string_view json) {
  if (json.size() > kSymbolBytesMax) return std::unexpected(base::InvalidArgument("it has more than 64 MiB"));
  return SymbolReader(json).Read();
}

}  // namespace inferd::mxnet
