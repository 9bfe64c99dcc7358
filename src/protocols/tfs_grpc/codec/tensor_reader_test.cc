#include "protocols/tfs_grpc/codec/tensor_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "data/tensor/raw.h"
#include "tfs/tensor.pb.h"

namespace inferd::tfs_grpc {
namespace tensor_reader_test {

using namespace std::string_literals;
using tensor::DataType;
using tensorflow::TensorProto;

constexpr uint64_t kFillMax = 1024;

TensorProto Proto(tensorflow::DataType dtype, std::vector<int64_t> shape) {
  TensorProto proto;
  proto.set_dtype(dtype);
  proto.mutable_tensor_shape();
  for (const int64_t dim : shape) proto.mutable_tensor_shape()->add_dim()->set_size(dim);
  return proto;
}

struct Read {
  explicit Read(std::string_view bytes, uint64_t fill = kFillMax) : Read(std::vector{bytes}, fill) {}
  explicit Read(const TensorProto& proto, uint64_t fill = kFillMax) : Read(proto.SerializeAsString(), fill) {}
  explicit Read(const std::vector<std::string_view>& pieces, uint64_t fill = kFillMax) : fill_left(fill) {
    std::string all;
    for (const std::string_view piece : pieces) all += piece;
    message = base::BufferSlice(base::Buffer::CopyOf(all));
    std::vector<wire::Reader> parts;
    size_t at = 0;
    for (const std::string_view piece : pieces) {
      parts.emplace_back(message.view().substr(at, piece.size()));
      at += piece.size();
    }
    status = ReadTensor(message, parts, fill_left, tensor);
    EXPECT_TRUE(!status.ok() || tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()).ok());
  }

  bool IsView() const {
    return tensor.data.data() >= message.data() && tensor.data.data() < message.data() + message.size();
  }
  template <typename T>
  std::vector<T> Values() const {
    std::vector<T> values(tensor.data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }

  uint64_t fill_left;
  base::BufferSlice message;
  core::InferTensor tensor;
  base::Status status;
};

template <typename T, typename Add>
void ExpectValues(tensorflow::DataType dtype, DataType type, const std::vector<T>& values, Add add) {
  TensorProto proto = Proto(dtype, {static_cast<int64_t>(values.size())});
  for (const T value : values) (proto.*add)(value);
  const Read read(proto);
  ASSERT_TRUE(read.status.ok()) << read.status.ToString();
  EXPECT_EQ(read.tensor.datatype, type);
  EXPECT_EQ(read.Values<T>(), values);
}

TEST(TensorReaderTest, EveryTypeHasItsField) {
  using P = TensorProto;
  ExpectValues<float>(tensorflow::DT_FLOAT, DataType::kFp32, {1.5f, -2}, &P::add_float_val);
  ExpectValues<double>(tensorflow::DT_DOUBLE, DataType::kFp64, {1.5, -2}, &P::add_double_val);
  ExpectValues<int32_t>(tensorflow::DT_INT32, DataType::kInt32, {INT32_MIN, INT32_MAX}, &P::add_int_val);
  ExpectValues<int16_t>(tensorflow::DT_INT16, DataType::kInt16, {INT16_MIN, INT16_MAX}, &P::add_int_val);
  ExpectValues<int8_t>(tensorflow::DT_INT8, DataType::kInt8, {INT8_MIN, INT8_MAX}, &P::add_int_val);
  ExpectValues<uint16_t>(tensorflow::DT_UINT16, DataType::kUint16, {0, UINT16_MAX}, &P::add_int_val);
  ExpectValues<uint8_t>(tensorflow::DT_UINT8, DataType::kUint8, {0, UINT8_MAX}, &P::add_int_val);
  ExpectValues<int64_t>(tensorflow::DT_INT64, DataType::kInt64, {INT64_MIN, INT64_MAX}, &P::add_int64_val);
  ExpectValues<uint32_t>(tensorflow::DT_UINT32, DataType::kUint32, {0, UINT32_MAX}, &P::add_uint32_val);
  ExpectValues<uint64_t>(tensorflow::DT_UINT64, DataType::kUint64, {0, UINT64_MAX}, &P::add_uint64_val);
  ExpectValues<uint16_t>(tensorflow::DT_HALF, DataType::kFp16, {0x3c00, 0xfbff}, &P::add_half_val);
  ExpectValues<uint16_t>(tensorflow::DT_BFLOAT16, DataType::kBf16, {0x3f80, 0xff80}, &P::add_half_val);
  ExpectValues<int8_t>(tensorflow::DT_QINT8, DataType::kQint8, {INT8_MIN, INT8_MAX}, &P::add_int_val);
  ExpectValues<uint8_t>(tensorflow::DT_QUINT8, DataType::kQuint8, {0, UINT8_MAX}, &P::add_int_val);
  ExpectValues<int16_t>(tensorflow::DT_QINT16, DataType::kQint16, {INT16_MIN, INT16_MAX}, &P::add_int_val);
  ExpectValues<uint16_t>(tensorflow::DT_QUINT16, DataType::kQuint16, {0, UINT16_MAX}, &P::add_int_val);
  ExpectValues<int32_t>(tensorflow::DT_QINT32, DataType::kQint32, {INT32_MIN, INT32_MAX}, &P::add_int_val);
  ExpectValues<uint8_t>(tensorflow::DT_BOOL, DataType::kBool, {0, 1}, &P::add_bool_val);
}

TEST(TensorReaderTest, ContentAndPackedFloatsAreNotCopied) {
  TensorProto content = Proto(tensorflow::DT_INT16, {2});
  content.set_tensor_content("\1\0\2\0"s);
  EXPECT_TRUE(Read(content).IsView());
  EXPECT_EQ(Read(content).Values<int16_t>(), (std::vector<int16_t>{1, 2}));
  TensorProto floats = Proto(tensorflow::DT_FLOAT, {2});
  floats.add_float_val(1);
  floats.add_float_val(2);
  EXPECT_TRUE(Read(floats).IsView());
}

TEST(TensorReaderTest, ComplexNumbersAreTwoNumbersEach) {
  TensorProto proto = Proto(tensorflow::DT_COMPLEX64, {2});
  for (const float part : {1.5f, -2.f, 3.f, 4.f}) proto.add_scomplex_val(part);
  const Read read(proto);
  ASSERT_TRUE(read.status.ok()) << read.status.ToString();
  EXPECT_EQ(read.tensor.datatype, DataType::kComplex64);
  EXPECT_EQ(read.Values<float>(), (std::vector<float>{1.5, -2, 3, 4}));
  EXPECT_TRUE(read.IsView());
  const std::string single = "\x4d\0\0\x80\x3f\x4d\0\0\0\x40"s;  // 1 and 2, not packed
  EXPECT_EQ(Read(Proto(tensorflow::DT_COMPLEX64, {1}).SerializeAsString() + single).Values<float>(),
            (std::vector<float>{1, 2}));

  TensorProto doubles = Proto(tensorflow::DT_COMPLEX128, {3});
  EXPECT_EQ(Read(doubles).Values<double>(), std::vector<double>(6));
  for (const double part : {1.5, -2.}) doubles.add_dcomplex_val(part);
  EXPECT_EQ(Read(doubles).Values<double>(), (std::vector<double>{1.5, -2, 1.5, -2, 1.5, -2}));
  EXPECT_EQ(Read(doubles).fill_left, kFillMax - 32);
  doubles.add_dcomplex_val(3);
  EXPECT_EQ(
      Read(doubles).status,
      base::InvalidArgument("dcomplex_val: expected a real and an imaginary part of each element, got 3 numbers"));
  proto.add_scomplex_val(5);
  proto.add_scomplex_val(6);
  EXPECT_EQ(Read(proto).status,
            base::InvalidArgument("scomplex_val: expected at most 2 elements for shape [2], got 3"));

  TensorProto content = Proto(tensorflow::DT_COMPLEX128, {1});
  content.set_tensor_content(std::string(16, '\1'));
  EXPECT_TRUE(Read(content).IsView());
  content.set_tensor_content(std::string(8, '\1'));
  EXPECT_EQ(Read(content).status.message(), "tensor_content: expected 16 bytes for COMPLEX128 of shape [1], got 8");
}

TEST(TensorReaderTest, SeveralRunsAndPartsAreOneTensor) {
  TensorProto one = Proto(tensorflow::DT_FLOAT, {4});
  one.add_float_val(1);
  one.add_float_val(2);
  TensorProto two;
  two.add_float_val(3);
  const std::string single = "\x2d\0\0\x80\x40"s;  // 4, not packed
  const Read read(std::vector<std::string_view>{one.SerializeAsString(), two.SerializeAsString() + single});
  ASSERT_TRUE(read.status.ok()) << read.status.ToString();
  EXPECT_EQ(read.Values<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(TensorReaderTest, TheLastElementStandsForTheRest) {
  TensorProto proto = Proto(tensorflow::DT_INT64, {2, 2});
  EXPECT_EQ(Read(proto).Values<int64_t>(), std::vector<int64_t>(4));
  proto.add_int64_val(5);
  proto.add_int64_val(7);
  EXPECT_EQ(Read(proto).Values<int64_t>(), (std::vector<int64_t>{5, 7, 7, 7}));
  EXPECT_EQ(Read(proto).fill_left, kFillMax - 16);
  EXPECT_EQ(Read(proto, 15).status.code(), base::StatusCode::kResourceExhausted);
  TensorProto floats = Proto(tensorflow::DT_FLOAT, {3});
  floats.add_float_val(2);
  EXPECT_EQ(Read(floats).Values<float>(), (std::vector<float>{2, 2, 2}));
  TensorProto strings = Proto(tensorflow::DT_STRING, {3});
  EXPECT_EQ(Read(strings).tensor.data.view(), std::string(12, '\0'));
  strings.add_string_val("");
  strings.add_string_val("ab");
  EXPECT_EQ(Read(strings).tensor.data.view(), "\0\0\0\0\2\0\0\0ab\2\0\0\0ab"s);
}

TEST(TensorReaderTest, AHugeShapeTakesNoMemory) {
  TensorProto proto = Proto(tensorflow::DT_UINT8, {int64_t{1} << 40});
  proto.add_int_val(1);
  EXPECT_EQ(Read(proto).status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read(Proto(tensorflow::DT_DOUBLE, {int64_t{1} << 61})).status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read(Proto(tensorflow::DT_STRING, {int64_t{1} << 62})).status.code(), base::StatusCode::kInvalidArgument);
}

TEST(TensorReaderTest, StringsAsContentHaveTheirLengthsInFront) {
  TensorProto proto = Proto(tensorflow::DT_STRING, {2});
  proto.set_tensor_content("\1\2abc");
  EXPECT_EQ(Read(proto).tensor.data.view(), "\1\0\0\0a\2\0\0\0bc"s);
  for (const char* content : {"\1", "\1\x80", "\1\2ab", "\1\1abc"}) {
    proto.set_tensor_content(content);
    EXPECT_EQ(Read(proto).status.code(), base::StatusCode::kInvalidArgument) << content;
  }
}

std::string Fault(const TensorProto& proto) { return Read(proto).status.message(); }

TEST(TensorReaderTest, SaysWhatIsWrong) {
  TensorProto content = Proto(tensorflow::DT_FLOAT, {2});
  content.set_tensor_content("1234567");
  EXPECT_EQ(Fault(content), "tensor_content: expected 8 bytes for FP32 of shape [2], got 7");
  TensorProto values = Proto(tensorflow::DT_INT8, {1});
  values.add_int_val(1);
  values.add_int_val(2);
  EXPECT_EQ(Fault(values), "int_val: expected at most 1 elements for shape [1], got 2");
  values.mutable_tensor_shape()->mutable_dim(0)->set_size(2);
  values.set_int_val(1, 128);
  EXPECT_EQ(Fault(values), "element 1: expected -128 to 127 for INT8, got 128");
  EXPECT_EQ(Fault(Proto(tensorflow::DT_INT32, {-1})), "shape [-1] has a negative dimension");
  EXPECT_EQ(Fault(Proto(tensorflow::DT_INT32, {1 << 30, 1 << 30, 1 << 30})),
            "shape [1073741824,1073741824,1073741824] has more than 2^63 elements");
  EXPECT_EQ(Fault(Proto(tensorflow::DT_INT32, std::vector<int64_t>(33, 1))),
            "tensor_shape: expected at most 32 dimensions, got more");
  TensorProto unknown = Proto(tensorflow::DT_INT32, {});
  unknown.mutable_tensor_shape()->set_unknown_rank(true);
  EXPECT_EQ(Fault(unknown), "tensor_shape: expected a known rank");
  // The last one counts.
  TensorProto known = Proto(tensorflow::DT_INT32, {});
  known.add_int_val(1);
  known.mutable_tensor_shape()->set_unknown_rank(false);
  EXPECT_TRUE(
      Read(unknown.SerializeAsString() + known.SerializeAsString() + std::string("\x12\x02\x18\0", 4)).status.ok());
  EXPECT_TRUE(Fault(Proto(tensorflow::DT_RESOURCE, {})).ends_with("DT_STRING or a quantized one, got 20"));
  EXPECT_TRUE(Fault({}).ends_with("got 0"));
  EXPECT_TRUE(Read("\x2a\x03\1\2\3").status.message().starts_with("the message is not valid protobuf") ||
              !Read("\x2a\x03\1\2\3").status.ok());
}

TEST(TensorReaderTest, NumbersThatAreNotTheTensorsAreWellFormedToo) {
  TensorProto proto = Proto(tensorflow::DT_INT16, {1});
  proto.add_int_val(7);
  proto.add_uint32_val(70'000);
  proto.add_float_val(1);
  EXPECT_TRUE(Read(proto.SerializeAsString()).status.ok());
  const std::vector<std::string> broken = {std::string("\x82\x01\x01\xe7", 4),   // uint32_val
                                           std::string("\x2a\x03\0\0\0", 5),     // float_val
                                           std::string("\x4a\x03\0\0\0", 5),     // scomplex_val
                                           std::string("\x62\x04\0\0\0\0", 6),   // dcomplex_val
                                           std::string("\x32\x04\0\0\0\0", 6)};  // double_val
  TensorProto content = Proto(tensorflow::DT_INT16, {1});
  content.set_tensor_content(std::string(2, '\0'));
  for (const std::string& field : broken) {
    TensorProto parsed;
    EXPECT_FALSE(parsed.ParseFromString(field));
    EXPECT_FALSE(Read(proto.SerializeAsString() + field).status.ok());
    EXPECT_FALSE(Read(content.SerializeAsString() + field).status.ok());
  }
  TensorProto named = Proto(tensorflow::DT_INT16, {1});
  named.add_int_val(1);
  const std::string bytes = named.SerializeAsString();
  EXPECT_FALSE(Read(bytes + std::string("\x12\x05\x12\x03\x12\x01\xff", 7)).status.ok()) << "a dimension's name";
}

TEST(TensorReaderTest, WhatIsCutOffIsMalformed) {
  TensorProto proto = Proto(tensorflow::DT_FLOAT, {3});
  for (int i = 0; i < 3; ++i) proto.add_float_val(static_cast<float>(i));
  const std::string bytes = proto.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Read read(std::string_view(bytes).substr(0, size));
    EXPECT_TRUE(read.status.ok() || read.status.code() == base::StatusCode::kInvalidArgument) << size;
  }
}

}  // namespace tensor_reader_test
}  // namespace inferd::tfs_grpc
