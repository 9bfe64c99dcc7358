#include "engines/rewrite/mxnet/graph/symbol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::mxnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// Returns a net of one node with these attributes.
std::string WithAttributes(const std::string& attributes) {
  return R"({"nodes": [{"op": "null", "name": "x", "inputs": []},
                       {"op": "clip", "name": "y", "inputs": [[0, 0, 0]], )" +
         attributes + R"(}], "arg_nodes": [0], "heads": [[1, 0]]})";
}

TEST(Symbol, AttributesAreReadInEverySpelling) {
  for (const std::string spelled : {R"("attrs": {"a_min": "0"})", R"("attr": {"a_min": "0"})",
                                    R"("param": {"a_min": "0"}, "attr": {"mine": "3"}, "backward_source_id": -1)"}) {
    const auto symbol = ReadSymbol(WithAttributes(spelled));
    ASSERT_TRUE(symbol.has_value()) << symbol.error().message();
    ASSERT_EQ(symbol->nodes.size(), 2);
    EXPECT_TRUE(symbol->nodes[0].is_variable());
    EXPECT_EQ(symbol->nodes[1].op, "clip");
    EXPECT_EQ(symbol->nodes[1].inputs.size(), 1);
    EXPECT_THAT(symbol->nodes[1].attributes, ElementsAre(Pair("a_min", "0"))) << spelled;
  }
}

TEST(Symbol, WhatIsMalformedIsRefused) {
  const auto node = [](const std::string& inputs) {
    return R"({"nodes": [{"op": "null", "name": "x"}, {"op": "relu", "name": "y", "inputs": [)" + inputs +
           R"(]}], "heads": [[1, 0]]})";
  };
  struct Case {
    std::string json;
    std::string error;
  };
  std::string inputs = "[0,0]";
  for (size_t i = 0; i < kEntriesMax; ++i) inputs += ",[0,0]";
  std::string attributes = R"("attrs": {"a": "")";
  for (size_t i = 0; i < kAttributesMax; ++i) attributes += ",\"a" + std::to_string(i) + "\": \"\"";
  std::string nodes = R"({"nodes": [{})";
  for (size_t i = 0; i < kNodesMax; ++i) nodes += ",{}";
  const std::vector<Case> cases = {
      {"", "JSON at byte 0"},
      {"[]", "JSON at byte 0"},
      {"{}", "it is no MXNet symbol: it has no nodes, or no heads"},
      {node("[1, 0]"), "node 1, 'y', has an input that does not come before it"},
      {node("[0]"), "an input or a head is no [node, output]"},
      {node("[0, 0, 0, 0]"), "an input or a head is no [node, output]"},
      {node("[-1, 0]"), "JSON at byte"},
      {node(inputs), "more than 4096 inputs"},
      {WithAttributes(attributes + "}"), "more than 256 attributes"},
      {WithAttributes(R"("subgraphs": [{}])"), "graphs of their own"},
      {nodes + "]}", "more than 65536 nodes"},
      {R"({"nodes": [{"op": "null", "name": "x"}], "heads": [[1, 0]]})", "a head is no node"},
  };
  for (const Case& each : cases) {
    const auto symbol = ReadSymbol(each.json);
    ASSERT_FALSE(symbol.has_value()) << each.error;
    EXPECT_THAT(symbol.error().message(), HasSubstr(each.error));
  }
}

}  // namespace
}  // namespace inferd::mxnet
