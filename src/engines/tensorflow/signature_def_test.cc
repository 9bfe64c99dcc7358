#include "engines/tensorflow/signature_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tensorflow {
namespace {

using ::testing::ElementsAre;

// Returns a length-delimited field with a length of one byte.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string Number(int number, char value) { return {static_cast<char>(number << 3), value}; }

std::string Entry(const std::string& key, const std::string& value) { return Field(1, key) + Field(2, value); }

// Returns x: DT_STRING [-1, 3].
std::string Info() {
  const std::string unknown = Field(2, Number(1, '\xff') + std::string(8, '\xff') + "\x01");
  return Field(1, "op:2") + Number(2, 7) + Field(3, unknown + Field(2, Number(1, 3)));
}

std::string MetaGraph() {
  const std::string signature = Field(1, Entry("x", Info())) + Field(2, Entry("z", Field(1, "z:0"))) +
                                Field(2, Entry("y", Field(1, "y:0") + Number(2, 1) + Field(3, Number(3, 1)))) +
                                Field(3, "tensorflow/serving/predict");
  return Field(1, "meta") + Field(5, Entry("b", signature)) +
         Field(5, Entry("__saved_model_init_op", Field(2, Entry("op", Field(1, "NoOp") + Field(3, Number(3, 1)))))) +
         Field(5, Entry("a", ""));
}

TEST(SignatureDefTest, ReadsNamesTypesAndShapes) {
  const auto signatures = ReadSignatureDefs(MetaGraph());
  ASSERT_TRUE(signatures) << signatures.error().ToString();
  ASSERT_EQ(signatures->size(), 2u);
  EXPECT_EQ((*signatures)[0].name, "a");
  const SignatureDef& signature = (*signatures)[1];
  EXPECT_EQ(signature.name, "b");
  EXPECT_EQ(signature.method, "tensorflow/serving/predict");
  ASSERT_EQ(signature.inputs.size(), 1u);
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[0].tensor, "op:2");
  EXPECT_EQ(signature.inputs[0].type, TF_STRING);
  EXPECT_TRUE(signature.inputs[0].known_rank);
  EXPECT_THAT(signature.inputs[0].shape, ElementsAre(-1, 3));
  ASSERT_EQ(signature.outputs.size(), 2u);
  EXPECT_EQ(signature.outputs[0].name, "y");
  EXPECT_FALSE(signature.outputs[0].known_rank);
  EXPECT_EQ(signature.outputs[1].name, "z");
}

TEST(SignatureDefTest, ReferencesAreTheTypesBehindThem) {
  const std::string signature = Field(1, Entry("x", Field(1, "v:0") + Number(2, 103)));
  const auto signatures = ReadSignatureDefs(Field(5, Entry("a", signature)));
  ASSERT_TRUE(signatures) << signatures.error().ToString();
  EXPECT_EQ(signatures->front().inputs[0].type, TF_INT32);
}

TEST(SignatureDefTest, ReadsDefaults) {
  const std::string signature = Field(1, Entry("x", Info())) + Field(4, Entry("x", Number(1, 7)));
  const auto signatures = ReadSignatureDefs(Field(5, Entry("a", signature)));
  ASSERT_TRUE(signatures) << signatures.error().ToString();
  EXPECT_EQ(signatures->front().defaults.at("x"), Number(1, 7));
}

TEST(SignatureDefTest, ReadsTensorflowsOwnByThemselves) {
  const auto signatures = ReadSignatureDefs(MetaGraph(), SignatureUse::kTensorFlow);
  ASSERT_TRUE(signatures) << signatures.error().ToString();
  ASSERT_EQ(signatures->size(), 1u);
  const SignatureDef& signature = signatures->front();
  EXPECT_EQ(signature.name, "__saved_model_init_op");
  EXPECT_EQ(signature.method, "");
  ASSERT_EQ(signature.outputs.size(), 1u);
  EXPECT_EQ(signature.outputs[0].tensor, "NoOp");
  EXPECT_EQ(signature.outputs[0].type, TF_DataType{});
  EXPECT_FALSE(signature.outputs[0].known_rank);
}

TEST(SignatureDefTest, NothingThatIsCutOffIsRead) {
  const std::string whole = MetaGraph();
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto signatures = ReadSignatureDefs(whole.substr(0, size));
    if (!signatures) {
      EXPECT_EQ(signatures.error().code(), base::StatusCode::kInvalidArgument);
    }
  }
  EXPECT_FALSE(ReadSignatureDefs(whole.substr(0, whole.size() - 1)));
  EXPECT_FALSE(ReadSignatureDefs("\x2a\xff"));
}

TEST(SignatureDefTest, TheDefaultOneGoesFirst) {
  const auto named = [](std::initializer_list<const char*> names) {
    std::vector<SignatureDef> signatures;
    for (const char* name : names) signatures.push_back({.name = name, .method = {}, .inputs = {}, .outputs = {}});
    return signatures;
  };
  const auto order = [&](std::initializer_list<const char*> names, std::string_view wanted) {
    auto signatures = named(names);
    const base::Status status = PutFirst(wanted, signatures);
    if (!status.ok()) return status.message();
    std::string text;
    for (const SignatureDef& signature : signatures) text += signature.name + " ";
    return text;
  };
  EXPECT_EQ(order({"a", "b", "serving_default"}, ""), "serving_default a b ");
  EXPECT_EQ(order({"a", "b", "serving_default"}, "b"), "b a serving_default ");
  EXPECT_EQ(order({"a", "b"}, ""), "a b ");
  EXPECT_EQ(order({"a"}, "c"), "the SavedModel has no signature 'c'. Its signatures: a");
  EXPECT_EQ(order({}, ""), "the SavedModel has no signature. Its signatures: none");
}

}  // namespace
}  // namespace inferd::tensorflow
