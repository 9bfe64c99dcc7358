#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "oip/grpc_service.pb.h"

// Compares proto/oip/grpc_service.proto with the documents: the tables are written from their texts, not from the file.
// If a text has no numbers (Open Inference Protocol), they are those of the published definitions.

namespace inferd::oip_grpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FileDescriptor;
using Messages = std::map<std::string, std::string>;

// Predict V2, "GRPC".
const Messages kPredictV2 = {
    {"ServerLiveRequest", ""},
    {"ServerLiveResponse", "bool live = 1;"},
    {"ServerReadyRequest", ""},
    {"ServerReadyResponse", "bool ready = 1;"},
    {"ModelReadyRequest", "string name = 1; string version = 2;"},
    {"ModelReadyResponse", "bool ready = 1;"},
    {"ServerMetadataRequest", ""},
    {"ServerMetadataResponse", "string name = 1; string version = 2; repeated string extensions = 3;"},
    {"ModelMetadataRequest", "string name = 1; string version = 2;"},
    {"ModelInferRequest",
     "string model_name = 1; string model_version = 2; string id = 3; map<string, InferParameter> parameters = 4; "
     "repeated ModelInferRequest.InferInputTensor inputs = 5; "
     "repeated ModelInferRequest.InferRequestedOutputTensor outputs = 6; repeated bytes raw_input_contents = 7;"},
    {"ModelInferRequest.InferInputTensor",
     "string name = 1; string datatype = 2; repeated int64 shape = 3; map<string, InferParameter> parameters = 4; "
     "InferTensorContents contents = 5;"},
    {"ModelInferRequest.InferRequestedOutputTensor", "string name = 1; map<string, InferParameter> parameters = 2;"},
    {"ModelInferResponse",
     "string model_name = 1; string model_version = 2; string id = 3; map<string, InferParameter> parameters = 4; "
     "repeated ModelInferResponse.InferOutputTensor outputs = 5; repeated bytes raw_output_contents = 6;"},
    {"ModelInferResponse.InferOutputTensor",
     "string name = 1; string datatype = 2; repeated int64 shape = 3; map<string, InferParameter> parameters = 4; "
     "InferTensorContents contents = 5;"},
    {"InferTensorContents",
     "repeated bool bool_contents = 1; repeated int32 int_contents = 2; repeated int64 int64_contents = 3; "
     "repeated uint32 uint_contents = 4; repeated uint64 uint64_contents = 5; repeated float fp32_contents = 6; "
     "repeated double fp64_contents = 7; repeated bytes bytes_contents = 8;"},
};

// Open Inference Protocol: its messages, and its additions to those of Predict V2. The last two kinds of InferParameter
// are from its later text.
const Messages kOpenInference = {
    {"InferParameter",
     "oneof parameter_choice: bool bool_param = 1; int64 int64_param = 2; string string_param = 3; "
     "double double_param = 4; uint64 uint64_param = 5;"},
    {"ModelMetadataResponse",
     "string name = 1; repeated string versions = 2; string platform = 3; "
     "repeated ModelMetadataResponse.TensorMetadata inputs = 4; "
     "repeated ModelMetadataResponse.TensorMetadata outputs = 5; map<string, InferParameter> parameters = 6;"},
    {"ModelMetadataResponse.TensorMetadata",
     "string name = 1; string datatype = 2; repeated int64 shape = 3; map<string, InferParameter> parameters = 4;"},
    {"ModelRepositoryParameter",
     "oneof parameter_choice: bool bool_param = 1; int64 int64_param = 2; string string_param = 3; "
     "bytes bytes_param = 4;"},
    {"RepositoryIndexRequest", "string repository_name = 1; bool ready = 2;"},
    {"RepositoryIndexResponse", "repeated RepositoryIndexResponse.ModelIndex models = 1;"},
    {"RepositoryIndexResponse.ModelIndex", "string name = 1; string version = 2; string state = 3; string reason = 4;"},
    {"RepositoryModelLoadRequest",
     "string repository_name = 1; string model_name = 2; map<string, ModelRepositoryParameter> parameters = 3;"},
    {"RepositoryModelLoadResponse", ""},
    {"RepositoryModelUnloadRequest",
     "string repository_name = 1; string model_name = 2; map<string, ModelRepositoryParameter> parameters = 3;"},
    {"RepositoryModelUnloadResponse", ""},
};

// Additions that Triton's clients use.
const Messages kTriton = {
    {"ModelStreamInferResponse", "string error_message = 1; ModelInferResponse infer_response = 2;"},
    {"ModelConfigRequest", "string name = 1; string version = 2;"},
    {"ModelConfigResponse", "ModelConfig config = 1;"},
    {"ModelStatisticsRequest", "string name = 1; string version = 2;"},
    {"ModelStatisticsResponse", "repeated ModelStatistics model_stats = 1;"},
    {"StatisticDuration", "uint64 count = 1; uint64 ns = 2;"},
    {"InferStatistics",
     "StatisticDuration success = 1; StatisticDuration fail = 2; StatisticDuration queue = 3; "
     "StatisticDuration compute_input = 4; StatisticDuration compute_infer = 5; StatisticDuration compute_output = 6; "
     "StatisticDuration cache_hit = 7; StatisticDuration cache_miss = 8;"},
    {"InferResponseStatistics",
     "StatisticDuration compute_infer = 1; StatisticDuration compute_output = 2; StatisticDuration success = 3; "
     "StatisticDuration fail = 4; StatisticDuration empty_response = 5; StatisticDuration cancel = 6;"},
    {"InferBatchStatistics",
     "uint64 batch_size = 1; StatisticDuration compute_input = 2; StatisticDuration compute_infer = 3; "
     "StatisticDuration compute_output = 4;"},
    {"MemoryUsage", "string type = 1; int64 id = 2; uint64 byte_size = 3;"},
    {"ModelStatistics",
     "string name = 1; string version = 2; uint64 last_inference = 3; uint64 inference_count = 4; "
     "uint64 execution_count = 5; InferStatistics inference_stats = 6; repeated InferBatchStatistics batch_stats = 7; "
     "repeated MemoryUsage memory_usage = 8; map<string, InferResponseStatistics> response_stats = 9;"},
    {"SystemSharedMemoryStatusRequest", "string name = 1;"},
    {"SystemSharedMemoryStatusResponse", "map<string, SystemSharedMemoryStatusResponse.RegionStatus> regions = 1;"},
    {"SystemSharedMemoryStatusResponse.RegionStatus",
     "string name = 1; string key = 2; uint64 offset = 3; uint64 byte_size = 4;"},
    {"SystemSharedMemoryRegisterRequest", "string name = 1; string key = 2; uint64 offset = 3; uint64 byte_size = 4;"},
    {"SystemSharedMemoryRegisterResponse", ""},
    {"SystemSharedMemoryUnregisterRequest", "string name = 1;"},
    {"SystemSharedMemoryUnregisterResponse", ""},
    {"CudaSharedMemoryStatusRequest", "string name = 1;"},
    {"CudaSharedMemoryStatusResponse", "map<string, CudaSharedMemoryStatusResponse.RegionStatus> regions = 1;"},
    {"CudaSharedMemoryStatusResponse.RegionStatus", "string name = 1; uint64 device_id = 2; uint64 byte_size = 3;"},
    {"CudaSharedMemoryRegisterRequest",
     "string name = 1; bytes raw_handle = 2; int64 device_id = 3; uint64 byte_size = 4;"},
    {"CudaSharedMemoryRegisterResponse", ""},
    {"CudaSharedMemoryUnregisterRequest", "string name = 1;"},
    {"CudaSharedMemoryUnregisterResponse", ""},
    {"TraceSettingRequest", "map<string, TraceSettingRequest.SettingValue> settings = 1; string model_name = 2;"},
    {"TraceSettingRequest.SettingValue", "repeated string value = 1;"},
    {"TraceSettingResponse", "map<string, TraceSettingResponse.SettingValue> settings = 1;"},
    {"TraceSettingResponse.SettingValue", "repeated string value = 1;"},
    {"LogSettingsRequest", "map<string, LogSettingsRequest.SettingValue> settings = 1;"},
    {"LogSettingsRequest.SettingValue",
     "oneof parameter_choice: bool bool_param = 1; uint32 uint32_param = 2; string string_param = 3;"},
    {"LogSettingsResponse", "map<string, LogSettingsResponse.SettingValue> settings = 1;"},
    {"LogSettingsResponse.SettingValue",
     "oneof parameter_choice: bool bool_param = 1; uint32 uint32_param = 2; string string_param = 3;"},
};

const char* const kMethods[] = {
    "ServerLive",
    "ServerReady",
    "ModelReady",
    "ServerMetadata",
    "ModelMetadata",
    "ModelInfer",
    "RepositoryIndex",
    "RepositoryModelLoad",
    "RepositoryModelUnload",
    "ModelStreamInfer",
    "ModelConfig",
    "ModelStatistics",
    "SystemSharedMemoryStatus",
    "SystemSharedMemoryRegister",
    "SystemSharedMemoryUnregister",
    "CudaSharedMemoryStatus",
    "CudaSharedMemoryRegister",
    "CudaSharedMemoryUnregister",
    "TraceSetting",
    "LogSettings",
};

const FileDescriptor& File() { return *inference::ModelInferRequest::descriptor()->file(); }

std::string Without(std::string text, std::string_view part) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

// Returns a message's fields in the tables' spelling.
std::string Fields(const Descriptor& message) {
  std::string text;
  for (int i = 0; i < message.field_count(); ++i) {
    const auto* field = message.field(i);
    if (i > 0) text += ' ';
    const auto* oneof = field->real_containing_oneof();
    if (oneof != nullptr && oneof->field(0) == field) text += "oneof " + oneof->name() + ": ";
    const std::string declaration = field->DebugString();
    text += Without(declaration.substr(0, declaration.size() - 1), ".inference.");
  }
  return text;
}

void Collect(const Descriptor& message, Messages& found) {
  if (message.options().map_entry()) return;
  found[message.full_name().substr(std::string_view("inference.").size())] = Fields(message);
  for (int i = 0; i < message.nested_type_count(); ++i) Collect(*message.nested_type(i), found);
}

TEST(DescriptorTest, EveryMessageHasTheDocumentsFields) {
  Messages found;
  for (int i = 0; i < File().message_type_count(); ++i) Collect(*File().message_type(i), found);
  size_t expected = 0;
  for (const Messages* document : {&kPredictV2, &kOpenInference, &kTriton}) {
    expected += document->size();
    for (const auto& [name, fields] : *document) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_EQ(found[name], fields) << name;
    }
  }
  EXPECT_EQ(found.size(), expected) << "a message is in no document";
}

TEST(DescriptorTest, TheServiceHasTheDocumentsMethods) {
  EXPECT_EQ(File().package(), "inference");
  ASSERT_EQ(File().service_count(), 1);
  const auto& service = *File().service(0);
  EXPECT_EQ(service.full_name(), "inference.GRPCInferenceService");
  EXPECT_EQ(static_cast<size_t>(service.method_count()), std::size(kMethods));
  for (const std::string name : kMethods) {
    const auto* method = service.FindMethodByName(name);
    ASSERT_NE(method, nullptr) << name;
    const bool streams = name == "ModelStreamInfer";
    EXPECT_EQ(method->client_streaming(), streams) << name;
    EXPECT_EQ(method->server_streaming(), streams) << name;
    EXPECT_EQ(method->input_type()->name(), streams ? "ModelInferRequest" : name + "Request");
    EXPECT_EQ(method->output_type()->name(), name + "Response");
  }
}

TEST(DescriptorTest, TheFileHasANameOfItsOwn) {
  // Clients register "grpc_service.proto" and "model_config.proto" in the same pool into which they read reflection.
  EXPECT_EQ(File().name(), "oip/grpc_service.proto");
  EXPECT_EQ(File().dependency(0)->name(), "config/model_config.proto");
}

}  // namespace
}  // namespace inferd::oip_grpc
