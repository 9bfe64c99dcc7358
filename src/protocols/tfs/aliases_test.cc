#include "protocols/tfs/aliases.h"

#include <gtest/gtest.h>

namespace inferd::tfs {
namespace {

core::TensorSpec Spec(const char* name, bool optional = false) {
  return {.name = name, .datatype = tensor::DataType::kFp32, .shape = {}, .optional = optional};
}

core::ModelSignature Signature() {
  core::ModelSignature signature;
  signature.inputs = {Spec("a"), Spec("b"), Spec("c", true)};
  signature.outputs = {Spec("y"), Spec("z")};
  return signature;
}

std::string Inputs(const std::set<std::string_view>& sent) { return CheckInputAliases(sent, Signature()).message(); }

TEST(InputAliasesTest, OptionalOnesMayBeMissing) {
  EXPECT_EQ(Inputs({"a", "b"}), "");
  EXPECT_EQ(Inputs({"a", "b", "c"}), "");
}

TEST(InputAliasesTest, OthersAreRefusedInTensorflowServingsWords) {
  EXPECT_EQ(Inputs({"a"}),
            "input size does not match signature: 1!=3 len({a}) != len({a,b,c}). Sent extra: {}. Missing but required: "
            "{b}.");
  EXPECT_EQ(Inputs({"a", "b", "c", "d"}),
            "input size does not match signature: 4!=3 len({a,b,c,d}) != len({a,b,c}). Sent extra: {d}. Missing but "
            "required: {}.");
  EXPECT_EQ(Inputs({"a", "b", "x"}),
            "input tensor alias not found in signature: x. Inputs expected to be in the set {a,b,c}.");
}

TEST(OutputAliasTest, IsOneOfTheSignaturesAndAskedForOnce) {
  const core::ModelSignature signature = Signature();
  const std::vector<core::RequestedOutput> before = {{.name = "y"}};
  EXPECT_TRUE(CheckOutputAlias("z", before, signature).ok());
  EXPECT_EQ(CheckOutputAlias("y", before, signature).message(), "duplicate output tensor alias: y");
  EXPECT_EQ(CheckOutputAlias("a", before, signature).message(),
            "output tensor alias not found in signature: a Outputs expected to be in the set {y,z}.");
}

}  // namespace
}  // namespace inferd::tfs
