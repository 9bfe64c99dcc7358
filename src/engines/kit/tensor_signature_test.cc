#include "engines/kit/tensor_signature.h"

#include <gtest/gtest.h>

#include <string_view>

namespace inferd::kit {
namespace {

TEST(TensorSignatureTest, StaysWholeWhenItIsMoved) {
  TensorSignature built;
  EXPECT_EQ(built.abi(), nullptr);
  for (int i = 0; i < 20; ++i) {
    built.AddInput({.name = "i" + std::to_string(i), .datatype = INFERD_TYPE_FP32, .shape = {-1, i}, .alignment = 64});
  }
  built.AddInput({.name = "rest",
                  .datatype = INFERD_TYPE_BYTES,
                  .optional = true,
                  .unknown_rank = true,
                  .default_value = std::string("\0x", 2)});
  built.AddOutput({.name = "y",
                   .datatype = INFERD_TYPE_INT64,
                   .shape = {-1, 2},
                   .dimension_names = {"batch", ""},
                   .shape_is_hint = true});
  built.Finish(3);
  const TensorSignature signature = std::move(built);
  const inferd_signature& abi = *signature.abi();
  EXPECT_EQ(abi.compute_threads, 3);
  ASSERT_EQ(abi.input_count, 21u);
  EXPECT_EQ(std::string_view(abi.inputs[7]->name.data, abi.inputs[7]->name.size), "i7");
  EXPECT_EQ(abi.inputs[7]->shape[1], 7);
  EXPECT_EQ(abi.inputs[7]->alignment, 64u);
  EXPECT_EQ(abi.inputs[7]->one_piece, 1);
  EXPECT_EQ(abi.inputs[7]->optional, 0);
  EXPECT_EQ(abi.inputs[7]->dimension_names, nullptr);
  const inferd_text* names = abi.outputs[0]->dimension_names;
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(std::string_view(names[0].data, names[0].size), "batch");
  EXPECT_EQ(names[1].size, 0u);
  EXPECT_EQ(abi.inputs[20]->optional, 1);
  EXPECT_EQ(abi.inputs[20]->rank, 0u);
  EXPECT_EQ(abi.inputs[20]->unknown_rank, 1);
  EXPECT_EQ(abi.inputs[7]->unknown_rank, 0);
  EXPECT_EQ(std::string_view(abi.inputs[20]->default_value.data, abi.inputs[20]->default_value.size),
            std::string_view("\0x", 2));
  EXPECT_EQ(abi.inputs[7]->default_value.size, 0u);
  ASSERT_EQ(abi.output_count, 1u);
  EXPECT_EQ(abi.outputs[0]->datatype, INFERD_TYPE_INT64);
  EXPECT_EQ(abi.outputs[0]->shape_is_hint, 1);
  EXPECT_EQ(abi.inputs[7]->shape_is_hint, 0);
  EXPECT_EQ(abi.only_shown, 0);
}

TEST(TensorSignatureTest, MayBeShownOnly) {
  TensorSignature signature;
  signature.AddOutput({.name = "init"});
  signature.FinishToShow("init", "");
  EXPECT_EQ(signature.abi()->only_shown, 1);
  EXPECT_EQ(signature.abi()->outputs[0]->datatype, INFERD_TYPE_INVALID);
  EXPECT_EQ(signature.abi()->not_served.size, 0u);
  TensorSignature refused;
  refused.FinishToShow("sparse", "", "it is sparse");
  const inferd_text& why = refused.abi()->not_served;
  EXPECT_EQ(std::string_view(why.data, why.size), "it is sparse");
}

}  // namespace
}  // namespace inferd::kit
