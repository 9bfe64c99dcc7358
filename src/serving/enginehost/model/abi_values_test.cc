#include "serving/enginehost/model/abi_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::enginehost {
namespace {

using config::BatchInputKind;
using tensor::DataType;
using ::testing::ElementsAre;

// Returns "name [shape]" of each.
std::vector<std::string> Names(const inferd_tensor_spec* const* list, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const tensor::Shape shape(std::span<const int64_t>(list[i]->shape, list[i]->rank));
    names.push_back(std::string(ToView(list[i]->name)) + " " + shape.ToString());
  }
  return names;
}

std::vector<std::string> Inputs(const DeclaredSignature& declared) {
  return Names(declared.get()->inputs, declared.get()->input_count);
}
std::vector<std::string> Outputs(const DeclaredSignature& declared) {
  return Names(declared.get()->outputs, declared.get()->output_count);
}

TEST(StatusTest, MessagesOfEnginesHaveALimit) {
  const std::string fits(kMessageBytesMax, 'x');
  EXPECT_EQ(ToStatus(INFERD_INTERNAL, fits).message(), fits);
  EXPECT_EQ(ToStatus(INFERD_INTERNAL, fits + "y").message(), fits + "...");
  // The limit would cut a character of three bytes.
  const std::string before(kMessageBytesMax - 2, 'x');
  EXPECT_EQ(ToStatus(INFERD_INTERNAL, before + "\xe2\x82\xac" + fits).message(), before + "...");
  // Bytes that are not characters.
  EXPECT_EQ(ToStatus(INFERD_INTERNAL, std::string(kMessageBytesMax * 2, '\x80')).message().size(),
            kMessageBytesMax - 4 + 3);
  EXPECT_EQ(ToStatus(12345, "what").code(), base::StatusCode::kInternal);
}

TEST(SignatureTest, DimensionsMayHaveNames) {
  constexpr int64_t kShape[] = {-1, 3};
  const inferd_text names[] = {ToText("batch"), ToText("")};
  inferd_tensor_spec named{};
  named.struct_size = sizeof named;
  named.name = ToText("x");
  named.datatype = INFERD_TYPE_FP32;
  named.shape = kShape;
  named.rank = 2;
  named.dimension_names = names;
  inferd_tensor_spec older = named;
  older.name = ToText("y");
  older.struct_size = offsetof(inferd_tensor_spec, dimension_names);
  inferd_tensor_spec nameless = named;
  nameless.name = ToText("z");
  nameless.dimension_names = nullptr;
  const inferd_tensor_spec* const inputs[] = {&named, &older, &nameless};
  inferd_signature abi{};
  abi.struct_size = sizeof abi;
  abi.inputs = inputs;
  abi.input_count = 3;
  const auto signature = ToSignature(abi);
  ASSERT_TRUE(signature.has_value()) << signature.error().ToString();
  EXPECT_THAT(signature->inputs[0].dimension_names, ElementsAre("batch", ""));
  EXPECT_TRUE(signature->inputs[1].dimension_names.empty());
  EXPECT_TRUE(signature->inputs[2].dimension_names.empty());
}

TEST(SignatureTest, NoElementsInAFileAreAnyNumber) {
  constexpr int64_t kShape[] = {0, 2};
  inferd_tensor_spec spec{};
  spec.struct_size = sizeof spec;
  spec.name = ToText("x");
  spec.datatype = INFERD_TYPE_FP32;
  spec.shape = kShape;
  spec.rank = 2;
  spec.shape_is_hint = 1;
  inferd_tensor_spec older = spec;
  older.name = ToText("y");
  older.struct_size = offsetof(inferd_tensor_spec, shape_is_hint);
  const inferd_tensor_spec* const tensors[] = {&spec, &older};
  inferd_signature abi{};
  abi.struct_size = sizeof abi;
  abi.inputs = tensors;
  abi.input_count = 2;
  abi.outputs = tensors;
  abi.output_count = 2;
  const auto signature = ToSignature(abi);
  ASSERT_TRUE(signature.has_value()) << signature.error().ToString();
  EXPECT_EQ(signature->inputs[0].shape, (tensor::Shape{-1, 2}));
  EXPECT_EQ(signature->outputs[0].shape, (tensor::Shape{-1, 2}));
  EXPECT_TRUE(signature->outputs[0].shape_is_hint);
  EXPECT_FALSE(signature->outputs[1].shape_is_hint);
}

TEST(SignatureTest, DefaultsAndReasonsAreTakenFromEnginesThatHaveThem) {
  inferd_tensor_spec input{};
  input.struct_size = sizeof input;
  input.name = ToText("x");
  input.datatype = INFERD_TYPE_QINT32;
  input.default_value = ToText("tensor");
  inferd_tensor_spec older = input;
  older.name = ToText("y");
  older.struct_size = offsetof(inferd_tensor_spec, default_value);
  const inferd_tensor_spec* const inputs[] = {&input, &older};
  inferd_signature abi{};
  abi.struct_size = sizeof abi;
  abi.inputs = inputs;
  abi.input_count = 2;
  abi.only_shown = 1;
  abi.not_served = ToText("why");
  const auto signature = ToSignature(abi);
  ASSERT_TRUE(signature.has_value()) << signature.error().ToString();
  EXPECT_EQ(signature->inputs[0].datatype, DataType::kQint32);
  EXPECT_EQ(signature->inputs[0].default_value, "tensor");
  EXPECT_EQ(signature->inputs[1].default_value, "");
  EXPECT_EQ(signature->not_served, "why");
  abi.struct_size = offsetof(inferd_signature, not_served);
  EXPECT_EQ(ToSignature(abi)->not_served, "");
  input.datatype = INFERD_TYPE_QINT32 + 1;
  EXPECT_EQ(ToSignature(abi).error(), base::Internal("tensor 'x' has the unknown datatype 22"));
}

// An older engine without the field differs from an engine that sets it to 0.
TEST(SignatureTest, AnUnknownRankIsOneThatTheEngineSays) {
  inferd_tensor_spec scalar{};
  scalar.struct_size = sizeof scalar;
  scalar.name = ToText("x");
  scalar.datatype = INFERD_TYPE_FP32;
  scalar.any_shape = 1;
  inferd_tensor_spec unknown = scalar;
  unknown.name = ToText("y");
  unknown.unknown_rank = 1;
  inferd_tensor_spec older = unknown;
  older.name = ToText("z");
  older.struct_size = offsetof(inferd_tensor_spec, unknown_rank);
  constexpr int64_t kShape[] = {-1};
  inferd_tensor_spec known = unknown;
  known.name = ToText("w");
  known.shape = kShape;
  known.rank = 1;
  const inferd_tensor_spec* const inputs[] = {&scalar, &unknown, &older, &known};
  inferd_signature abi{};
  abi.struct_size = sizeof abi;
  abi.inputs = inputs;
  abi.input_count = 4;
  const auto signature = ToSignature(abi);
  ASSERT_TRUE(signature.has_value()) << signature.error().ToString();
  EXPECT_FALSE(signature->inputs[0].unknown_rank);
  EXPECT_TRUE(signature->inputs[1].unknown_rank);
  EXPECT_FALSE(signature->inputs[2].unknown_rank);
  EXPECT_TRUE(signature->inputs[2].any_shape);
  EXPECT_FALSE(signature->inputs[3].unknown_rank);
}

TEST(DeclaredSignatureTest, IsWhatTheConfigurationSays) {
  config::ModelConfig config;
  config.inputs = {{.name = "a", .datatype = DataType::kFp32, .dims = {2, 3}}};
  config.outputs = {{.name = "b", .datatype = DataType::kInt8, .dims = {}}};
  EXPECT_THAT(Inputs(DeclaredSignature(config)), ElementsAre("a [2,3]"));
  config.max_batch_size = 4;
  const DeclaredSignature batched(config);
  EXPECT_THAT(Inputs(batched), ElementsAre("a [-1,2,3]"));
  EXPECT_THAT(Outputs(batched), ElementsAre("b [-1]"));
  EXPECT_EQ(batched.get()->outputs[0]->datatype, INFERD_TYPE_INT8);
}

TEST(DeclaredSignatureTest, ReshapesAreWhatTheEngineSees) {
  config::ModelConfig config;
  config.max_batch_size = 4;
  config.inputs = {{.name = "a", .dims = {2, 3}, .reshape = tensor::Shape{6}}};
  config.outputs = {{.name = "b", .dims = {1}, .reshape = tensor::Shape{}}};
  const DeclaredSignature declared(config);
  EXPECT_THAT(Inputs(declared), ElementsAre("a [-1,6]"));
  EXPECT_THAT(Outputs(declared), ElementsAre("b [-1]"));
}

TEST(DeclaredSignatureTest, RaggedBatchesHaveNoBatchDimension) {
  config::ModelConfig config;
  config.max_batch_size = 4;
  config.inputs = {{.name = "a", .dims = {-1, 2}, .allow_ragged_batch = true}};
  config.outputs = {{.name = "b", .dims = {-1, 2}}};
  config.batch_inputs = {{.kind = BatchInputKind::kAccumulatedElementCount, .target_name = "ends", .source_input = "a"},
                         {.kind = BatchInputKind::kItemShape, .target_name = "shapes", .source_input = "a"}};
  config.batch_outputs = {{.target_name = "b", .source_input = "a"}};
  const DeclaredSignature declared(config);
  EXPECT_THAT(Inputs(declared), ElementsAre("a [-1]", "ends [-1]", "shapes [-1,-1]"));
  EXPECT_THAT(Outputs(declared), ElementsAre("b [-1]"));
}

}  // namespace
}  // namespace inferd::enginehost
