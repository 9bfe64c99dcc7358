#include "engines/onnxruntime/graph/graph_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/wire/append.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using wire::NumberOf;

std::string Part(uint32_t tag, std::string_view value) {
  std::string out;
  wire::AppendBytes(NumberOf(tag), value, &out);
  return out;
}

std::string Number(uint32_t tag, int64_t value) {
  std::string out;
  wire::AppendNumber(NumberOf(tag), value, &out);
  return out;
}

std::string Node(std::string_view type, std::string_view input, std::string_view output, std::string_view domain,
                 std::string_view attributes = {}) {
  return Part(kGraphNode, Part(kNodeInput, input) + Part(kNodeOutput, output) + Part(kNodeType, type) +
                              std::string(attributes) + Part(kNodeDomain, domain));
}

std::string ZipMap(std::string_view output, std::string_view labels) {
  return Node("ZipMap", "scores", output, "ai.onnx.ml", labels);
}

std::string StringLabels() {
  return Part(kNodeAttribute, Part(kAttributeName, "classlabels_strings") + Part(kAttributeStrings, "cat") +
                                  Part(kAttributeStrings, "dog"));
}

std::string Value(uint32_t tag, std::string_view name, std::string_view leading_dim = {}) {
  const std::string dim = leading_dim.empty() ? "" : Part(kDimName, leading_dim);
  const std::string tensor = Number(kTensorElement, kElementFloat) + Part(kTensorShape, Part(kShapeDim, dim));
  return Part(tag, Part(kValueName, name) + Part(kValueType, Part(kTypeTensor, tensor)));
}

std::string Model(std::string_view graph, bool default_domain = true) {
  const std::string opset = default_domain ? Part(kModelOpset, Part(kOpsetDomain, "")) : "";
  return Part(kModelGraph, graph) + Part(kModelOpset, Part(kOpsetDomain, "ai.onnx.ml")) + opset;
}

// Returns the declaration of the patched output.
std::string DeclaredValue(std::string_view name, std::string_view rows, int64_t columns) {
  const std::string dims = Part(kShapeDim, rows.empty() ? "" : Part(kDimName, rows)) +
                           Part(kShapeDim, columns == 0 ? "" : Number(kDimValue, columns));
  const std::string tensor = Number(kTensorElement, kElementFloat) + Part(kTensorShape, dims);
  return Part(kGraphOutput, Part(kValueName, name) + Part(kValueType, Part(kTypeTensor, tensor)));
}

std::string Same(std::string_view) { return {}; }
std::string Other(std::string_view) { return "C.UTF-8"; }

TEST(GraphPatchTest, AZipMapBecomesItsInputAndLabels) {
  constexpr uint32_t kInitializer = wire::Tag(5, wire::Type::kBytes);
  const std::string before = Part(kInitializer, "weights") + Value(kGraphInput, "x", "N");
  const std::string label = Value(kGraphOutput, "label", "N");
  const auto patched = PatchGraph(
      Model(before + ZipMap("maps", StringLabels()) + Part(kGraphOutput, Part(kValueName, "maps")) + label), Same);
  ASSERT_TRUE(patched.has_value());
  const std::string identity = Part(kGraphNode, Part(kNodeInput, "scores") + Part(kNodeOutput, "maps") +
                                                    Part(kNodeName, "") + Part(kNodeType, "Identity"));
  EXPECT_EQ(patched->model, Model(before + identity + DeclaredValue("maps", "N", 2) + label));
  EXPECT_THAT(patched->labels.at("maps"), ElementsAre("cat", "dog"));
}

TEST(GraphPatchTest, IntegersAreLabelsToo) {
  std::string packed;
  for (const int64_t value : {7, -1}) wire::AppendVarint(static_cast<uint64_t>(value), &packed);
  for (const std::string& values :
       {Part(kAttributeInts, packed), Number(kAttributeInt, 7) + Number(kAttributeInt, -1)}) {
    const std::string labels = Part(kNodeAttribute, Part(kAttributeName, "classlabels_int64s") + values);
    const auto patched = PatchGraph(Model(ZipMap("maps", labels) + Part(kGraphOutput, Part(kValueName, "maps"))), Same);
    ASSERT_TRUE(patched.has_value());
    EXPECT_THAT(patched->labels.at("maps"), ElementsAre("7", "-1"));
  }
}

TEST(GraphPatchTest, WithoutLabelsTheNumberOfClassesIsNotKnown) {
  const auto patched = PatchGraph(Model(ZipMap("maps", "") + Part(kGraphOutput, Part(kValueName, "maps"))), Same);
  ASSERT_TRUE(patched.has_value());
  EXPECT_THAT(patched->model, HasSubstr(DeclaredValue("maps", "", 0)));
  EXPECT_THAT(patched->labels.at("maps"), IsEmpty());
}

TEST(GraphPatchTest, RowsHaveANameWhereAllInputsAgree) {
  const std::string rest = ZipMap("maps", StringLabels()) + Part(kGraphOutput, Part(kValueName, "maps"));
  const auto declared = [&](const std::string& inputs) { return PatchGraph(Model(inputs + rest), Same)->model; };
  EXPECT_THAT(declared(Value(kGraphInput, "a", "N") + Value(kGraphInput, "b", "N")),
              HasSubstr(DeclaredValue("maps", "N", 2)));
  EXPECT_THAT(declared(Value(kGraphInput, "a", "N") + Value(kGraphInput, "b", "M")),
              HasSubstr(DeclaredValue("maps", "", 2)));
  EXPECT_THAT(declared(Value(kGraphInput, "a")), HasSubstr(DeclaredValue("maps", "", 2)));
}

TEST(GraphPatchTest, IdentityGetsItsDomain) {
  const std::string graph = ZipMap("maps", StringLabels()) + Part(kGraphOutput, Part(kValueName, "maps"));
  const auto patched = PatchGraph(Model(graph, false), Same);
  ASSERT_TRUE(patched.has_value());
  EXPECT_TRUE(patched->model.ends_with(Part(kModelOpset, Part(kOpsetDomain, "") + Number(kOpsetVersion, 9))));
}

TEST(GraphPatchTest, WhatNeedsNoChangeStays) {
  const std::string maps = ZipMap("maps", StringLabels());
  const std::string output = Part(kGraphOutput, Part(kValueName, "maps"));
  EXPECT_FALSE(PatchGraph(Model(Node("Add", "a", "b", "") + Value(kGraphOutput, "b")), Same).has_value());
  EXPECT_FALSE(PatchGraph(Model(maps + Value(kGraphOutput, "other")), Same).has_value());
  EXPECT_FALSE(PatchGraph(Model(maps + Node("Maps", "maps", "y", "custom") + output), Same).has_value());
  EXPECT_FALSE(PatchGraph(Model(Node("ZipMap", "scores", "maps", "custom") + output), Same).has_value());
  EXPECT_FALSE(PatchGraph("", Same).has_value());
}

TEST(GraphPatchTest, LabelsThatAreDeclaredAsOneHaveTheRowsOfTheInputs) {
  constexpr int64_t kElementString = 8;
  const auto output = [](std::string_view dim) {
    const std::string tensor = Number(kTensorElement, kElementString) + Part(kTensorShape, Part(kShapeDim, dim));
    return Part(kGraphOutput, Part(kValueName, "label") + Part(kValueType, Part(kTypeTensor, tensor)));
  };
  const std::string node = Node("TreeEnsembleClassifier", "x", "label", "ai.onnx.ml");
  const std::string one = output(Number(kDimValue, 1));
  const auto named = PatchGraph(Model(Value(kGraphInput, "x", "N") + node + one), Same);
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->model, Model(Value(kGraphInput, "x", "N") + node + output(Part(kDimName, "N"))));
  EXPECT_EQ(PatchGraph(Model(Value(kGraphInput, "x") + node + one), Same)->model,
            Model(Value(kGraphInput, "x") + node + output("")));
  const std::string fixed = Part(
      kGraphInput, Part(kValueName, "x") +
                       Part(kValueType, Part(kTypeTensor, Part(kTensorShape, Part(kShapeDim, Number(kDimValue, 1))))));
  EXPECT_FALSE(PatchGraph(Model(fixed + node + one), Same).has_value()) << "one row is what it takes";
  EXPECT_FALSE(PatchGraph(Model(Value(kGraphInput, "x") + node + output(Number(kDimValue, 2))), Same).has_value());
  EXPECT_FALSE(PatchGraph(Model(Value(kGraphInput, "x") + Node("Add", "x", "label", "") + one), Same).has_value());
}

TEST(GraphPatchTest, ALocaleIsNamedInPlaceOfAnother) {
  const std::string old = Part(kNodeAttribute, Part(kAttributeName, "locale") + Part(kAttributeString, "de_DE.UTF-8"));
  const std::string kept = Part(kNodeAttribute, Part(kAttributeName, "case_change_action"));
  const std::string wanted = Part(
      kNodeAttribute, Part(kAttributeName, "locale") + Part(kAttributeString, "C.UTF-8") + Number(kAttributeKind, 3));
  const std::string model = Model(Node("StringNormalizer", "a", "b", "", old + kept) + Value(kGraphOutput, "b"));
  std::string asked;
  const auto patched = PatchGraph(model, [&asked](std::string_view name) {
    asked = name;
    return std::string("C.UTF-8");
  });
  ASSERT_TRUE(patched.has_value());
  EXPECT_EQ(asked, "de_DE.UTF-8");
  EXPECT_THAT(patched->model, HasSubstr(wanted));
  EXPECT_THAT(patched->model, HasSubstr(kept));
  EXPECT_THAT(patched->model, Not(HasSubstr("de_DE")));
  EXPECT_FALSE(PatchGraph(model, Same).has_value());
  EXPECT_TRUE(PatchGraph(Model(Node("StringNormalizer", "a", "b", "")), Other).has_value());
}

TEST(GraphPatchTest, ModelsThatAreCutOffAreLeftAlone) {
  const std::string model =
      Model(Value(kGraphInput, "x", "N") + ZipMap("maps", StringLabels()) + Node("StringNormalizer", "a", "b", "") +
            Part(kGraphOutput, Part(kValueName, "maps")));
  const size_t graph_end = model.size() - Model("").size() + 2;
  for (size_t size = 0; size < graph_end; ++size) {
    EXPECT_FALSE(PatchGraph(model.substr(0, size), Other).has_value()) << size;
  }
  // Corrupts bytes; only the absence of a crash matters.
  for (size_t at = 0; at < model.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      std::string bad = model;
      bad[at] = static_cast<char>(value);
      (void)PatchGraph(bad, Other);
    }
  }
}

TEST(GraphPatchTest, LocalesThatThereAreStay) {
  EXPECT_EQ(ChooseLocale("C.UTF-8"), "");
  EXPECT_EQ(ChooseLocale("xx_XX.UTF-8"), "C.UTF-8");
  EXPECT_EQ(ChooseLocale("tr_TR.UTF-8"), "") << "its letters change case in another way";
}

}  // namespace
}  // namespace inferd::onnxruntime
