#include "protocols/tfs/aliases.h"

#include <algorithm>
#include <iterator>

#include "data/tensorjson/nested_parser.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs {

namespace {

using Names = std::set<std::string_view>;

std::string Join(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ",").append(name);
  return "{" + text + "}";
}

template <typename Wanted>
Names NamesOf(const std::vector<core::TensorSpec>& specs, Wanted wanted) {
  Names names;
  for (const core::TensorSpec& spec : specs) {
    if (wanted(spec)) names.insert(spec.name);
  }
  return names;
}

Names Difference(const Names& a, const Names& b) {
  Names rest;
  std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
  return rest;
}

constexpr auto kAll = [](const core::TensorSpec&) { return true; };
constexpr auto kRequired = [](const core::TensorSpec& spec) { return !spec.optional; };

}  // namespace

base::Status CheckInputAliases(const Names& sent, const core::ModelSignature& signature) {
  const Names all = NamesOf(signature.inputs, kAll);
  const Names extra = Difference(sent, all);
  const Names missing = Difference(NamesOf(signature.inputs, kRequired), sent);
  if (extra.empty() && missing.empty()) return {};
  if (sent.size() == all.size() && !extra.empty()) {
    return base::InvalidArgument("input tensor alias not found in signature: " + std::string(*extra.begin()) +
                                 ". Inputs expected to be in the set " + Join(all) + ".");
  }
  return base::InvalidArgument("input size does not match signature: " + std::to_string(sent.size()) +
                               "!=" + std::to_string(all.size()) + " len(" + Join(sent) + ") != len(" + Join(all) +
                               "). Sent extra: " + Join(extra) + ". Missing but required: " + Join(missing) + ".");
}

base::Status CheckOutputAlias(std::string_view alias, std::span<const core::RequestedOutput> before,
                              const core::ModelSignature& signature) {
  if (signature.FindOutput(alias) < 0) {
    return base::InvalidArgument("output tensor alias not found in signature: " + std::string(alias) +
                                 " Outputs expected to be in the set " + Join(NamesOf(signature.outputs, kAll)) + ".");
  }
  if (std::ranges::find(before, alias, &core::RequestedOutput::name) != before.end()) {
    return base::InvalidArgument("duplicate output tensor alias: " + std::string(alias));
  }
  return {};
}

base::Status WrongDatatype(const core::ModelSignature& signature, size_t input, tensor::DataType got) {
  const core::TensorSpec& spec = signature.inputs[input];
  // TensorFlow numbers fed tensors by their names in the graph.
  const auto place = std::ranges::count_if(
      signature.inputs, [&](const core::TensorSpec& other) { return GraphName(other) < GraphName(spec); });
  return base::InvalidArgument("Expects arg[" + std::to_string(place) + "] to be " +
                               std::string(tensorjson::TensorflowTypeName(spec.datatype)) + " but " +
                               std::string(tensorjson::TensorflowTypeName(got)) + " is provided");
}

}  // namespace inferd::tfs
