#include "protocols/tfs_grpc/codec/model_messages.h"

#include <gtest/gtest.h>

#include "protocols/tfs/model_spec.h"

namespace inferd::tfs_grpc {
namespace {

TEST(ModelMessagesTest, ASignatureSaysWhichShapesAreKnown) {
  core::ModelSignature signature;
  signature.inputs = {
      {.name = "any", .datatype = tensor::DataType::kBool, .shape = {}, .any_shape = true, .unknown_rank = true},
      {.name = "scalar", .datatype = tensor::DataType::kFp32, .shape = {}, .any_shape = true}};
  // dtype DT_FLOAT, no dimensions, float_val 0.5.
  signature.inputs[1].default_value = std::string("\x08\x01\x12\x00\x2d\x00\x00\x00\x3f", 9);
  signature.outputs = {{.name = "y", .datatype = tensor::DataType::kInt64, .shape = {-1, 3}, .any_shape = true}};
  signature.outputs[0].graph_name = "op:1";
  core::ModelSignature other;
  other.name = "other";
  other.method_name = "tensorflow/serving/regress";
  const core::ModelSignature* const all[] = {&signature, &other};
  const auto map = SignatureMessage(all);
  EXPECT_EQ(map.signature_def().at("other").ShortDebugString(), R"(method_name: "tensorflow/serving/regress")");
  const auto& definition = map.signature_def().at(std::string(tfs::kServingDefault));
  EXPECT_EQ(definition.inputs().at("any").ShortDebugString(),
            R"(name: "any" dtype: DT_BOOL tensor_shape { unknown_rank: true })");
  EXPECT_EQ(definition.inputs().at("scalar").ShortDebugString(), R"(name: "scalar" dtype: DT_FLOAT tensor_shape { })");
  EXPECT_EQ(definition.defaults().size(), 1u);
  EXPECT_EQ(definition.defaults().at("scalar").ShortDebugString(), "dtype: DT_FLOAT tensor_shape { } float_val: 0.5");
  EXPECT_EQ(definition.outputs().at("y").ShortDebugString(),
            R"(name: "op:1" dtype: DT_INT64 tensor_shape { dim { size: -1 } dim { size: 3 } })");
}

}  // namespace
}  // namespace inferd::tfs_grpc
