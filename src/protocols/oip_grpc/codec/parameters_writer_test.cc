#include "protocols/oip_grpc/codec/parameters_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace {

using inference::InferParameter;
using inference::ModelInferResponse;

ModelInferResponse Written(const core::Parameters& parameters) {
  wire::Writer out(ParametersSizeMax(parameters));
  WriteParameters(out, ModelInferResponse::kParametersFieldNumber, parameters);
  EXPECT_LE(out.size(), ParametersSizeMax(parameters));
  std::string bytes;
  for (const base::BufferSlice& piece : out.Take()) bytes += piece.view();
  ModelInferResponse message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

TEST(WriteParametersTest, WritesEveryKind) {
  const auto message = Written({{"b", true},
                                {"i", std::numeric_limits<int64_t>::min()},
                                {"u", std::numeric_limits<uint64_t>::max()},
                                {"d", -0.0},
                                {"s", std::string("text")}});
  ASSERT_EQ(message.parameters_size(), 5);
  EXPECT_TRUE(message.parameters().at("b").bool_param());
  EXPECT_EQ(message.parameters().at("i").int64_param(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(message.parameters().at("u").uint64_param(), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(std::signbit(message.parameters().at("d").double_param()));
  EXPECT_EQ(message.parameters().at("s").string_param(), "text");
}

TEST(WriteParametersTest, ZeroIsAValue) {
  const auto message = Written({{"b", false}, {"i", int64_t{0}}, {"u", uint64_t{0}}, {"d", 0.0}, {"s", std::string()}});
  EXPECT_EQ(message.parameters().at("b").parameter_choice_case(), InferParameter::kBoolParam);
  EXPECT_EQ(message.parameters().at("i").parameter_choice_case(), InferParameter::kInt64Param);
  EXPECT_EQ(message.parameters().at("u").parameter_choice_case(), InferParameter::kUint64Param);
  EXPECT_EQ(message.parameters().at("d").parameter_choice_case(), InferParameter::kDoubleParam);
  EXPECT_EQ(message.parameters().at("s").parameter_choice_case(), InferParameter::kStringParam);
}

}  // namespace
}  // namespace inferd::oip_grpc
