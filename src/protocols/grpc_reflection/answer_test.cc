#include "protocols/grpc_reflection/answer.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include "oip/grpc_service.pb.h"

namespace inferd::grpc_reflection {
namespace {

using ::grpc::reflection::v1::ServerReflectionRequest;
using ::grpc::reflection::v1::ServerReflectionResponse;
using ::testing::ElementsAre;

constexpr int kInvalidArgument = 3;
constexpr int kNotFound = 5;

// Tests with the inference service. Naming a message of its file links the file into the test.
class ReflectionAnswerTest : public ::testing::Test {
 protected:
  static std::vector<std::string> FileNames(const ServerReflectionResponse& response) {
    std::vector<std::string> names;
    for (const std::string& serialized : response.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      EXPECT_TRUE(file.ParseFromString(serialized));
      names.push_back(file.name());
    }
    return names;
  }

  ServerReflectionResponse OfSymbol(const std::string& symbol) const {
    ServerReflectionRequest request;
    request.set_file_containing_symbol(symbol);
    return Answer(schema_, request);
  }

  ServerReflectionResponse OfExtension(const std::string& type, int number) const {
    ServerReflectionRequest request;
    request.mutable_file_containing_extension()->set_containing_type(type);
    request.mutable_file_containing_extension()->set_extension_number(number);
    return Answer(schema_, request);
  }

  ServerReflectionResponse ExtensionNumbers(const std::string& type) const {
    ServerReflectionRequest request;
    request.set_all_extension_numbers_of_type(type);
    return Answer(schema_, request);
  }

  const std::string file_ = inference::ModelInferRequest::descriptor()->file()->name();
  const Schema schema_{{"inference.GRPCInferenceService", "grpc.health.v1.Health"}};
};

TEST_F(ReflectionAnswerTest, ListsTheServicesAndEchoesTheQuestion) {
  ServerReflectionRequest request;
  request.set_host("here");
  request.set_list_services("*");
  const ServerReflectionResponse response = Answer(schema_, request);
  ASSERT_EQ(response.list_services_response().service_size(), 2);
  EXPECT_EQ(response.list_services_response().service(0).name(), "inference.GRPCInferenceService");
  EXPECT_EQ(response.list_services_response().service(1).name(), "grpc.health.v1.Health");
  EXPECT_EQ(response.valid_host(), "here");
  EXPECT_EQ(response.original_request().list_services(), "*");
}

TEST_F(ReflectionAnswerTest, AFileComesWithWhatItImports) {
  ServerReflectionRequest request;
  request.set_file_by_filename(file_);
  EXPECT_THAT(FileNames(Answer(schema_, request)), ElementsAre(file_, "config/model_config.proto"));
}

TEST_F(ReflectionAnswerTest, AFileIsEnoughToBuildItsTypes) {
  google::protobuf::DescriptorPool pool;
  const ServerReflectionResponse response = OfSymbol("inference.GRPCInferenceService");
  const auto& files = response.file_descriptor_response().file_descriptor_proto();
  for (auto serialized = files.rbegin(); serialized != files.rend(); ++serialized) {
    google::protobuf::FileDescriptorProto file;
    ASSERT_TRUE(file.ParseFromString(*serialized));
    ASSERT_NE(pool.BuildFile(file), nullptr) << file.name();
  }
  EXPECT_NE(pool.FindMethodByName("inference.GRPCInferenceService.ModelInfer"), nullptr);
}

TEST_F(ReflectionAnswerTest, FindsSymbolsOfEveryKind) {
  for (const char* symbol : {"inference.GRPCInferenceService", "inference.GRPCInferenceService.ModelStreamInfer",
                             "inference.ModelInferRequest", "inference.ModelInferRequest.InferInputTensor",
                             "inference.InferParameter.int64_param", "inference.InferParameter.parameter_choice"}) {
    EXPECT_THAT(FileNames(OfSymbol(symbol)), ElementsAre(file_, "config/model_config.proto")) << symbol;
  }
  for (const char* symbol : {"inference.ModelConfig", "inference.DataType", "inference.TYPE_FP32"}) {
    EXPECT_THAT(FileNames(OfSymbol(symbol)), ElementsAre("config/model_config.proto")) << symbol;
  }
}

TEST_F(ReflectionAnswerTest, WhatIsNotThereIsAnError) {
  const ServerReflectionResponse symbol = OfSymbol("inference.Nothing");
  EXPECT_EQ(symbol.error_response().error_code(), kNotFound);
  EXPECT_EQ(symbol.error_response().error_message(), "not found: symbol 'inference.Nothing'");
  EXPECT_EQ(symbol.original_request().file_containing_symbol(), "inference.Nothing");
  ServerReflectionRequest file;
  file.set_file_by_filename("nothing.proto");
  EXPECT_EQ(Answer(schema_, file).error_response().error_code(), kNotFound);
}

TEST_F(ReflectionAnswerTest, FilesBesideTheServicesAreNotShown) {
  ASSERT_NE(google::protobuf::FileDescriptorProto::descriptor(), nullptr);
  EXPECT_EQ(OfSymbol("google.protobuf.FileDescriptorProto").error_response().error_code(), kNotFound);
  EXPECT_EQ(OfSymbol("grpc.reflection.v1.ServerReflection").error_response().error_code(), kNotFound);
  EXPECT_EQ(ExtensionNumbers("google.protobuf.FieldOptions").error_response().error_code(), kNotFound);
}

TEST_F(ReflectionAnswerTest, ThereAreNoExtensions) {
  const ServerReflectionResponse numbers = ExtensionNumbers("inference.ModelInferRequest");
  EXPECT_EQ(numbers.all_extension_numbers_response().base_type_name(), "inference.ModelInferRequest");
  EXPECT_EQ(numbers.all_extension_numbers_response().extension_number_size(), 0);
  EXPECT_EQ(ExtensionNumbers("inference.Nothing").error_response().error_code(), kNotFound);
  EXPECT_EQ(OfExtension("inference.ModelInferRequest", 7).error_response().error_code(), kNotFound);
  EXPECT_EQ(OfExtension("inference.Nothing", 7).error_response().error_code(), kNotFound);
}

TEST_F(ReflectionAnswerTest, AQuestionForNothingIsInvalid) {
  EXPECT_EQ(Answer(schema_, {}).error_response().error_code(), kInvalidArgument);
}

}  // namespace
}  // namespace inferd::grpc_reflection
