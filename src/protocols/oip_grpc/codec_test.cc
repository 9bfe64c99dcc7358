#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "oip/grpc_service.pb.h"
#include "protocols/oip_grpc/codec/infer_request_reader.h"
#include "protocols/oip_grpc/codec/infer_response_writer.h"
#include "protocols/oip_grpc/codec/typed_contents_field.h"

// Both directions for every datatype: our reader reads the output of the generated classes, and they read our writer's
// output.

namespace inferd::oip_grpc {
namespace {

using inference::InferTensorContents;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using inference::ModelStreamInferResponse;
using tensor::DataType;

struct Case {
  const char* datatype;
  int64_t elements;
  std::string raw;  // little-endian
  InferTensorContents contents;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.datatype; }

Case Make(const char* datatype, int64_t elements, std::string_view raw, void (*fill)(InferTensorContents&)) {
  Case example{datatype, elements, std::string(raw), {}};
  fill(example.contents);
  return example;
}

using C = InferTensorContents;
using std::string_view_literals::operator""sv;

std::vector<Case> Cases() {
  return {
      Make("BOOL", 2, "\1\0"sv, [](C& c) { c.add_bool_contents(true), c.add_bool_contents(false); }),
      Make("UINT8", 2, "\0\377"sv, [](C& c) { c.add_uint_contents(0), c.add_uint_contents(255); }),
      Make("UINT16", 2, "\1\0\377\377"sv, [](C& c) { c.add_uint_contents(1), c.add_uint_contents(65535); }),
      Make("UINT32", 1, "\377\377\377\377"sv, [](C& c) { c.add_uint_contents(4294967295u); }),
      Make("UINT64", 1, "\376\377\377\377\377\377\377\377"sv, [](C& c) { c.add_uint64_contents(~uint64_t{1}); }),
      Make("INT8", 2, "\200\177"sv, [](C& c) { c.add_int_contents(-128), c.add_int_contents(127); }),
      Make("INT16", 2, "\0\200\1\0"sv, [](C& c) { c.add_int_contents(-32768), c.add_int_contents(1); }),
      Make("INT32", 1, "\376\377\377\377"sv, [](C& c) { c.add_int_contents(-2); }),
      Make("INT64", 1, "\0\0\0\0\0\0\0\200"sv, [](C& c) { c.add_int64_contents(INT64_MIN); }),
      Make("FP16", 2, "\0\74\0\300"sv, [](C&) {}),
      Make("BF16", 1, "\200\77"sv, [](C&) {}),
      Make("FP32", 2, "\0\0\200\77\0\0\0\200"sv, [](C& c) { c.add_fp32_contents(1), c.add_fp32_contents(-0.0f); }),
      Make("FP64", 1, "\0\0\0\0\0\0\370\77"sv, [](C& c) { c.add_fp64_contents(1.5); }),
      Make("BYTES", 2, "\2\0\0\0\377b\0\0\0\0"sv,
           [](C& c) { c.add_bytes_contents("\377b"), c.add_bytes_contents(""); }),
  };
}

class CodecTest : public ::testing::TestWithParam<Case> {
 protected:
  static bool HasTypedForm() { return ContentsField(*tensor::ParseDataType(GetParam().datatype)) != 0; }

  static ModelInferRequest Request() {
    ModelInferRequest request;
    auto* input = request.add_inputs();
    input->set_name("x");
    input->set_datatype(GetParam().datatype);
    input->add_shape(GetParam().elements);
    return request;
  }

  static std::string Joined(const net::grpc::Message& message) {
    std::string bytes;
    for (const base::BufferSlice& piece : message) bytes += piece.view();
    return bytes;
  }

  static base::Result<DecodedRequest> Read(const ModelInferRequest& request) {
    return ReadInferRequest(base::BufferSlice(base::Buffer::CopyOf(request.SerializeAsString())));
  }

  // Returns the tensor in `request` as an output.
  static core::InferResponse Echo(const ModelInferRequest& request) {
    core::InferResponse response;
    auto decoded = Read(request);
    EXPECT_TRUE(decoded.has_value()) << decoded.error().ToString();
    if (!decoded.has_value()) return response;
    EXPECT_EQ(decoded->request->inputs.at(0).data.view(), GetParam().raw);
    response.outputs.push_back(std::move(decoded->request->inputs.at(0)));
    return response;
  }

  static void ExpectRaw(const ModelInferResponse& response) {
    ASSERT_EQ(response.raw_output_contents_size(), 1);
    EXPECT_EQ(response.raw_output_contents(0), GetParam().raw);
    ExpectTensor(response, false);
  }

  static void ExpectTyped(const ModelInferResponse& response) {
    EXPECT_EQ(response.raw_output_contents_size(), 0);
    ExpectTensor(response, true);
    EXPECT_EQ(response.outputs(0).contents().SerializeAsString(), GetParam().contents.SerializeAsString());
  }

 private:
  static void ExpectTensor(const ModelInferResponse& response, bool typed) {
    ASSERT_EQ(response.outputs_size(), 1);
    EXPECT_EQ(response.outputs(0).name(), "x");
    EXPECT_EQ(response.outputs(0).datatype(), GetParam().datatype);
    ASSERT_EQ(response.outputs(0).shape_size(), 1);
    EXPECT_EQ(response.outputs(0).shape(0), GetParam().elements);
    EXPECT_EQ(response.outputs(0).has_contents(), typed);
  }
};

TEST_P(CodecTest, RawBothWays) {
  ModelInferRequest request = Request();
  request.add_raw_input_contents(GetParam().raw);
  const core::InferResponse response = Echo(request);
  ModelInferResponse plain;
  ASSERT_TRUE(plain.ParseFromString(Joined(*WriteInferResponse(response, Contents::kRaw))));
  ExpectRaw(plain);
  ModelStreamInferResponse streamed;
  ASSERT_TRUE(streamed.ParseFromString(Joined(*WriteStreamResponse(response, Contents::kRaw))));
  ExpectRaw(streamed.infer_response());
}

TEST_P(CodecTest, TypedBothWays) {
  ModelInferRequest request = Request();
  *request.mutable_inputs(0)->mutable_contents() = GetParam().contents;
  if (!HasTypedForm()) {
    const auto decoded = Read(request);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_NE(decoded.error().message().find("expected raw_input_contents"), std::string::npos);
    return;
  }
  const core::InferResponse response = Echo(request);
  ModelInferResponse plain;
  ASSERT_TRUE(plain.ParseFromString(Joined(*WriteInferResponse(response, Contents::kTyped))));
  ExpectTyped(plain);
  ModelStreamInferResponse streamed;
  ASSERT_TRUE(streamed.ParseFromString(Joined(*WriteStreamResponse(response, Contents::kTyped))));
  ExpectTyped(streamed.infer_response());
}

TEST_P(CodecTest, OtherFieldsAreRefused) {
  ModelInferRequest request = Request();
  const std::string own =
      HasTypedForm() ? std::string(ContentsFieldName(ContentsField(*tensor::ParseDataType(GetParam().datatype))))
                     : "raw_input_contents";
  for (const Case& other : Cases()) {
    *request.mutable_inputs(0)->mutable_contents() = other.contents;
    const auto decoded = Read(request);
    if (decoded.has_value() || other.contents.ByteSizeLong() == 0) continue;
    if (decoded.error().message().find("element") != std::string::npos) continue;  // the same field, out of range
    const std::string got(ContentsFieldName(ContentsField(*tensor::ParseDataType(other.datatype))));
    EXPECT_NE(got, own);
    EXPECT_EQ(decoded.error().message().find("input 'x': expected " + own), 0u) << decoded.error().message();
    EXPECT_NE(decoded.error().message().find("got " + got), std::string::npos) << decoded.error().message();
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDatatype, CodecTest, ::testing::ValuesIn(Cases()),
                         [](const auto& instance) { return instance.param.datatype; });

}  // namespace
}  // namespace inferd::oip_grpc
