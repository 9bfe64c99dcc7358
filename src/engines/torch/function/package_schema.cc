#include "engines/torch/function/package_schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/json/read.h"
#include "data/json/reader.h"

namespace inferd::torchscript {

namespace {

constexpr int64_t kProtocol = 1;
constexpr size_t kLeavesMax = 4096;

struct Tree {
  std::string type = {};
  std::string context = {};  // for a dict: its keys, as a JSON text
  std::vector<Tree> children = {};
};

base::Result<std::string> ReadTextOrNull(json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type != json::ValueType::kString) {
    INFERD_RETURN_IF_ERROR(reader.SkipValue());
    return std::string();
  }
  INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
  return std::string(text);
}

// The reader bounds the depth.
base::Status ReadTree(json::Reader& reader, Tree* tree) {
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "type") {
      INFERD_ASSIGN_OR_RETURN(tree->type, ReadTextOrNull(reader));
    } else if (key == "context") {
      INFERD_ASSIGN_OR_RETURN(tree->context, ReadTextOrNull(reader));
    } else if (key == "children_spec") {
      return json::ReadArray(reader, [&] { return ReadTree(reader, &tree->children.emplace_back()); });
    } else {
      return reader.SkipValue();
    }
    return base::OkStatus();
  });
}

base::Result<Tree> ParseTree(std::string_view text) {
  json::Reader reader(text);
  Tree tree;
  int64_t protocol = 0;
  size_t elements = 0;
  INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&]() -> base::Status {
    switch (elements++) {
      case 0: {
        INFERD_ASSIGN_OR_RETURN(protocol, reader.ReadInt64());
        return base::OkStatus();
      }
      case 1: return ReadTree(reader, &tree);
      default: return reader.SkipValue();
    }
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  if (protocol != kProtocol || elements < 2) return std::unexpected(base::InvalidArgument("protocol is not 1"));
  return tree;
}

// Returns the keys of a dict, if they are texts.
std::vector<std::string> KeysOf(const Tree& tree) {
  std::vector<std::string> keys;
  if (!tree.type.ends_with("ict")) return keys;  // builtins.dict, collections.OrderedDict
  json::Reader reader(tree.context);
  const base::Status read = json::ReadArray(reader, [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(const std::string_view key, reader.ReadString());
    keys.emplace_back(key);
    return base::OkStatus();
  });
  if (!read.ok() || keys.size() != tree.children.size()) keys.clear();
  return keys;
}

// Adds the leaves' names, in their order; `name` is empty outside of a dict.
void AddLeaves(const Tree& tree, const std::string& name, std::vector<std::string>* names) {
  if (tree.type.empty()) {
    names->push_back(name);
    return;
  }
  const std::vector<std::string> keys = KeysOf(tree);
  for (size_t i = 0; i < tree.children.size(); ++i) {
    AddLeaves(tree.children[i], keys.empty() ? std::string() : keys[i], names);
  }
}

base::Result<std::vector<std::string>> LeavesOf(std::string_view text, std::string_view what) {
  auto tree = ParseTree(text);
  const std::string context = "the package's " + std::string(what) + " specification";
  if (!tree.has_value()) return std::unexpected(tree.error().WithContext(context));
  std::vector<std::string> names;
  AddLeaves(*tree, "", &names);
  if (names.size() > kLeavesMax) return std::unexpected(base::InvalidArgument(context + " has too many leaves"));
  return names;
}

}  // namespace

base::Result<MethodSchema> ParsePackageSchema(std::string_view in_spec, std::string_view out_spec) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> inputs, LeavesOf(in_spec, "input"));
  INFERD_ASSIGN_OR_RETURN(std::vector<std::string> outputs, LeavesOf(out_spec, "output"));
  MethodSchema schema;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool named = !inputs[i].empty() && std::ranges::count(inputs, inputs[i]) == 1;
    schema.arguments.push_back({.name = named ? inputs[i] : "INPUT__" + std::to_string(i), .type = "Tensor"});
  }
  schema.result_count = outputs.size();
  const bool all_named = std::ranges::all_of(
      outputs, [&](const std::string& name) { return !name.empty() && std::ranges::count(outputs, name) == 1; });
  if (all_named) schema.result_names = std::move(outputs);
  return schema;
}

}  // namespace inferd::torchscript
