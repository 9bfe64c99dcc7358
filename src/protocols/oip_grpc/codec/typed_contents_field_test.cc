#include "protocols/oip_grpc/codec/typed_contents_field.h"

#include <gtest/gtest.h>

#include <string>

#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace {

using tensor::DataType;

// Predict V2, "Tensor Data": the representation of each type.
TEST(ContentsFieldTest, EachTypeHasTheFieldThatTheDocumentNames) {
  const auto name = [](DataType type) { return std::string(ContentsFieldName(ContentsField(type))); };
  EXPECT_EQ(name(DataType::kBool), "bool_contents");
  for (const DataType type : {DataType::kInt8, DataType::kInt16, DataType::kInt32})
    EXPECT_EQ(name(type), "int_contents");
  EXPECT_EQ(name(DataType::kInt64), "int64_contents");
  for (const DataType type : {DataType::kUint8, DataType::kUint16, DataType::kUint32}) {
    EXPECT_EQ(name(type), "uint_contents");
  }
  EXPECT_EQ(name(DataType::kUint64), "uint64_contents");
  EXPECT_EQ(name(DataType::kFp32), "fp32_contents");
  EXPECT_EQ(name(DataType::kFp64), "fp64_contents");
  EXPECT_EQ(name(DataType::kBytes), "bytes_contents");
  for (const DataType type : {DataType::kFp16, DataType::kBf16, DataType::kInvalid}) EXPECT_EQ(ContentsField(type), 0u);
}

TEST(ContentsFieldTest, NamesNumbersAndTypesAreTheMessages) {
  const auto* message = inference::InferTensorContents::descriptor();
  ASSERT_EQ(message->field_count(), static_cast<int>(kContentsFieldMax));
  for (uint32_t number = 1; number <= kContentsFieldMax; ++number) {
    const auto* field = message->FindFieldByNumber(static_cast<int>(number));
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->name(), ContentsFieldName(number));
    using google::protobuf::FieldDescriptor;
    const wire::Type expected = field->type() == FieldDescriptor::TYPE_FLOAT    ? wire::Type::kFixed32
                                : field->type() == FieldDescriptor::TYPE_DOUBLE ? wire::Type::kFixed64
                                : field->type() == FieldDescriptor::TYPE_BYTES  ? wire::Type::kBytes
                                                                                : wire::Type::kVarint;
    EXPECT_EQ(ContentsElementType(number), expected) << field->name();
  }
}

}  // namespace
}  // namespace inferd::oip_grpc
