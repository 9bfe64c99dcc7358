#include "protocols/oip_grpc/codec/typed_contents_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/memory/buffer_slices.h"
#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace typed_contents_writer_test {

using inference::InferTensorContents;
using tensor::DataType;
using Output = inference::ModelInferResponse::InferOutputTensor;

core::InferTensor Tensor(DataType type, std::string_view data) {
  core::InferTensor tensor;
  tensor.datatype = type;
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(data));
  return tensor;
}

InferTensorContents Written(const core::InferTensor& tensor, base::BufferSlices* message = nullptr) {
  wire::Writer out(16);
  WriteTypedContents(out, Output::kContentsFieldNumber, tensor);
  const base::BufferSlices pieces = out.Take();
  std::string bytes;
  for (const base::BufferSlice& piece : pieces) bytes += piece.view();
  Output output;
  EXPECT_TRUE(output.ParseFromString(bytes));
  EXPECT_TRUE(output.has_contents());
  EXPECT_EQ(output.ByteSizeLong(), bytes.size());
  if (message != nullptr) *message = pieces;
  return output.contents();
}

template <typename T>
void ExpectExtremes(DataType type) {
  const std::vector<T> values = {std::numeric_limits<T>::lowest(), 0, 1, std::numeric_limits<T>::max()};
  const std::string_view data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  const InferTensorContents contents = Written(Tensor(type, data));
  std::vector<T> written;
  if constexpr (std::is_signed_v<T>) {
    written.assign(contents.int_contents().begin(), contents.int_contents().end());
  } else {
    written.assign(contents.uint_contents().begin(), contents.uint_contents().end());
  }
  EXPECT_EQ(written, values) << tensor::DataTypeName(type);
}

TEST(WriteTypedContentsTest, WritesTheExtremesOfEveryNarrowType) {
  ExpectExtremes<uint8_t>(DataType::kUint8);
  ExpectExtremes<uint16_t>(DataType::kUint16);
  ExpectExtremes<uint32_t>(DataType::kUint32);
  ExpectExtremes<int8_t>(DataType::kInt8);
  ExpectExtremes<int16_t>(DataType::kInt16);
  ExpectExtremes<int32_t>(DataType::kInt32);
}

TEST(WriteTypedContentsTest, WritesWideNumbers) {
  const auto signed_data = Tensor(DataType::kInt64, std::string(8, '\xff') + std::string(8, '\x7f'));
  EXPECT_EQ(Written(signed_data).int64_contents(0), -1);
  EXPECT_EQ(Written(signed_data).int64_contents(1), 0x7f7f7f7f7f7f7f7f);
  EXPECT_EQ(Written(Tensor(DataType::kUint64, std::string(8, '\xff'))).uint64_contents(0), ~uint64_t{0});
}

TEST(WriteTypedContentsTest, BoolsAreTrueOrFalse) {
  const InferTensorContents contents = Written(Tensor(DataType::kBool, std::string_view("\1\0\377", 3)));
  EXPECT_EQ(std::vector<bool>(contents.bool_contents().begin(), contents.bool_contents().end()),
            (std::vector<bool>{true, false, true}));
}

TEST(WriteTypedContentsTest, BytesAreElements) {
  const InferTensorContents contents =
      Written(Tensor(DataType::kBytes, std::string_view("\2\0\0\0ab\0\0\0\0\1\0\0\0\377", 15)));
  ASSERT_EQ(contents.bytes_contents_size(), 3);
  EXPECT_EQ(contents.bytes_contents(0), "ab");
  EXPECT_EQ(contents.bytes_contents(1), "");
  EXPECT_EQ(contents.bytes_contents(2), "\377");
}

TEST(WriteTypedContentsTest, FloatsAreNotCopied) {
  for (const DataType type : {DataType::kFp32, DataType::kFp64}) {
    const core::InferTensor tensor = Tensor(type, std::string(16, '\1'));
    base::BufferSlices message;
    const InferTensorContents contents = Written(tensor, &message);
    EXPECT_EQ(contents.fp32_contents_size() + contents.fp64_contents_size(), type == DataType::kFp32 ? 4 : 2);
    ASSERT_EQ(message.size(), 2u);
    EXPECT_EQ(message[1].data(), tensor.data.data());
  }
}

TEST(WriteTypedContentsTest, EmptyTensorsHaveEmptyContents) {
  for (int type = 1; type <= 14; ++type) {
    const InferTensorContents contents = Written(Tensor(static_cast<DataType>(type), ""));
    EXPECT_EQ(contents.ByteSizeLong(), 0u) << type;
  }
}

}  // namespace typed_contents_writer_test
}  // namespace inferd::oip_grpc
