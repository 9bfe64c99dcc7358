// Compares TensorFlow Serving's gRPC codec with the generated classes. Input: one byte, then the bytes of a message or
// a recipe for one. As PredictRequests, both readers must accept and refuse the same messages, apart from our own
// rules, and must find the same tensors. These are then written as a response, typed and as content, and the generated
// classes must find them again. As ClassificationRequests, both must find the same examples.

#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "data/wire/reader.h"
#include "fuzz/require.h"
#include "fuzz/tfs_grpc_recipe.h"
#include "fuzz/tfs_grpc_reference.h"
#include "protocols/tfs_grpc/codec/examples_reader.h"
#include "protocols/tfs_grpc/codec/model_spec_reader.h"
#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/codec/predict_response_writer.h"
#include "protocols/tfs_grpc/codec/session_request.h"
#include "tfs/session_service.pb.h"

namespace inferd::fuzz {
namespace {

using tensorflow::serving::ClassificationRequest;
using tensorflow::serving::PredictRequest;
using tensorflow::serving::PredictResponse;
using tensorflow::serving::SessionRunRequest;

constexpr uint64_t kBytesMax = 4096;

// Returns a signature with every tensor of the request, in its datatype, so that no signature check refuses the
// request.
core::ModelSignature SignatureOf(const PredictRequest& request) {
  core::ModelSignature signature;
  const std::map<std::string, tensorflow::TensorProto> inputs(request.inputs().begin(), request.inputs().end());
  for (const auto& [name, tensor] : inputs) {
    signature.inputs.push_back(
        {.name = name, .datatype = tfs::DataTypeOf(static_cast<uint32_t>(tensor.dtype())), .shape = {}});
  }
  for (const std::string& name : request.output_filter()) {
    signature.outputs.push_back({.name = name, .datatype = tensor::DataType::kFp32, .shape = {}});
  }
  return signature;
}

bool HasDuplicates(const PredictRequest& request) {
  const std::set<std::string> names(request.output_filter().begin(), request.output_filter().end());
  return names.size() != static_cast<size_t>(request.output_filter_size());
}

// The last tensor of a name counts. The others are not checked.
bool GivesAnInputTwice(std::string_view message) {
  std::set<std::string_view> names;
  wire::Reader request(message);
  while (const uint32_t tag = request.Next()) {
    if (tag != wire::Tag(2, wire::Type::kBytes)) {
      request.Skip();
      continue;
    }
    std::string_view name;
    wire::Reader entry = request.Message();
    while (const uint32_t field = entry.Next()) {
      if (field == wire::Tag(1, wire::Type::kBytes)) {
        name = entry.Bytes();
      } else {
        entry.Skip();
      }
    }
    if (!names.insert(name).second) return true;
  }
  return false;
}

// Checks TensorFlow's encoding of strings as content, which has its own reader.
bool IsStringContent(const tensorflow::TensorProto& tensor) {
  return tensor.dtype() == tensorflow::DT_STRING && !tensor.tensor_content().empty();
}

void RequireSame(const core::InferRequest& ours, const PredictRequest& theirs) {
  Require(ours.inputs.size() == theirs.inputs().size(), "the numbers of inputs differ");
  for (const core::InferTensor& input : ours.inputs) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
    if (IsStringContent(theirs.inputs().at(input.name))) continue;
    const auto expected = ExpectedTensor(theirs.inputs().at(input.name), kBytesMax);
    Require(expected.has_value(), "a tensor was accepted against the rules");
    Require(expected->datatype == input.datatype && expected->shape == input.shape, "a type or shape differs");
    Require(expected->data == input.data.view(), "the data differ");
  }
  Require(ours.outputs.size() == static_cast<size_t>(theirs.output_filter_size()), "the numbers of outputs differ");
}

void CheckResponse(const core::InferRequest& request, bool tensor_content) {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "7";
  for (const core::InferTensor& input : request.inputs) response.outputs.push_back(input);
  const auto message = tfs_grpc::WritePredictResponse(response, tensor_content);
  Require(message.has_value(), "a response was not written");
  std::string bytes;
  for (const base::BufferSlice& piece : *message) bytes += piece.view();
  PredictResponse parsed;
  Require(parsed.ParseFromString(bytes), "a response cannot be parsed");
  Require(parsed.ByteSizeLong() == bytes.size(), "a response is longer than need be");
  for (const core::InferTensor& output : response.outputs) {
    const auto read = ExpectedTensor(parsed.outputs().at(output.name), kBytesMax);
    Require(read.has_value(), "an output is wrong");
    std::string expected(output.data.view());
    // A byte of a BOOL tensor may have any value. In the typed form it is true or false.
    if (output.datatype == tensor::DataType::kBool && !tensor_content) {
      for (char& element : expected) element = element != 0;
    }
    Require(read->datatype == output.datatype && read->shape == output.shape && read->data == expected,
            "an output differs");
  }
}

void RunPredict(std::string_view bytes) {
  const base::BufferSlice message(base::Buffer::CopyOf(bytes));
  PredictRequest theirs;
  const bool parsed = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const core::ModelSignature signature = SignatureOf(theirs);
  const auto ours = tfs_grpc::ReadPredictRequest(message, signature, kBytesMax);
  const auto model = tfs_grpc::ReadModelSpecOf(message.view(), 1);
  Require(tfs_grpc::BytesToDecode(message.view()) <= message.size(), "more bytes than there are");
  Require(tfs_grpc::TensorBytesAt(message.bytes()) <= message.size(), "a tensor is behind the end");
  if (parsed) {
    Require(model.has_value(), "a model spec was refused");
    Require(model->given == theirs.has_model_spec() && model->spec.model == theirs.model_spec().name() &&
                model->signature == theirs.model_spec().signature_name() &&
                model->spec.label == theirs.model_spec().version_label(),
            "the model specs differ");
  }
  if (ours.has_value()) {
    // Another reader handles the content of the model spec.
    Require(parsed || !model.has_value() || GivesAnInputTwice(bytes), "accepted what protobuf refuses");
    if (!parsed) return;
    RequireSame(**ours, theirs);
    CheckResponse(**ours, false);
    CheckResponse(**ours, true);
    return;
  }
  if (!parsed || HasDuplicates(theirs)) return;
  for (const auto& [name, tensor] : theirs.inputs()) {
    if (!ExpectedTensor(tensor, kBytesMax).has_value()) return;
  }
  // Memory is allocated for one tensor after the other.
  Require(ours.error().code() == base::StatusCode::kResourceExhausted, "refused: " + ours.error().message());
}

// Reads the same bytes as a SessionRunRequest. Its feeds and fetches have the field numbers of a PredictRequest's
// inputs and filter.
void RunSession(std::string_view bytes) {
  SessionRunRequest theirs;
  const bool parsed = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const auto ours = tfs_grpc::ReadSessionRequest(bytes);
  if (!ours.has_value()) return;
  if (!parsed) return;  // other readers handle the content of tensors and of the model spec
  Require(ours->feeds.size() == static_cast<size_t>(theirs.feed_size()), "the numbers of feeds differ");
  std::set<std::string> fed;
  for (int i = 0; i < theirs.feed_size(); ++i) {
    Require(ours->feeds[static_cast<size_t>(i)].name == theirs.feed(i).name(), "a feed's name differs");
    Require(fed.insert(theirs.feed(i).name()).second, "a feed was accepted twice");
  }
  Require(ours->fetches.size() == static_cast<size_t>(theirs.fetch_size()), "the numbers of fetches differ");
  for (int i = 0; i < theirs.fetch_size(); ++i) {
    Require(ours->fetches[static_cast<size_t>(i)] == theirs.fetch(i), "a fetch differs");
    Require(!fed.contains(theirs.fetch(i)), "what is fed was fetched");
  }
  Require(ours->targets.size() == static_cast<size_t>(theirs.target_size()), "the numbers of targets differ");
  Require(ours->aliases == theirs.tensor_name_is_alias(), "the kinds of names differ");
}

void RunExamples(std::string_view bytes) {
  ClassificationRequest theirs;
  const bool parsed = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  core::ModelSignature signature;
  signature.inputs = {{.name = "a", .datatype = tensor::DataType::kInt64, .shape = {-1, -1}, .optional = true},
                      {.name = "b", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}, .optional = true},
                      {.name = "c", .datatype = tensor::DataType::kBytes, .shape = {-1, 1}, .optional = true}};
  const auto columns = tfs_grpc::ReadExamples(bytes, signature, kBytesMax);
  core::ModelSignature strings;
  strings.inputs = {{.name = "inputs", .datatype = tensor::DataType::kBytes, .shape = {-1}}};
  const auto whole = tfs_grpc::ReadExamples(bytes, strings, kBytesMax);
  if (!parsed) return;
  const auto& input = theirs.input();
  const bool with_context = input.has_example_list_with_context();
  const auto& examples = with_context ? input.example_list_with_context().examples() : input.example_list().examples();
  if (examples.empty()) {
    Require(!columns.has_value() && !whole.has_value(), "no examples were accepted");
    return;
  }
  if (columns.has_value()) {
    for (const core::InferTensor& tensor : (*columns)->inputs) {
      Require(tensor.shape[0] == examples.size(), "the numbers of examples differ");
      Require(tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()).ok(),
              "a column does not fit its shape");
    }
  }
  if (!whole.has_value()) return;
  int i = 0;
  for (const std::string_view element : tensor::PackedElements((*whole)->inputs[0].data.bytes())) {
    tensorflow::Example read;
    Require(read.ParseFromArray(element.data(), static_cast<int>(element.size())), "a whole example cannot be parsed");
    tensorflow::Example expected;
    if (with_context) expected.MergeFrom(input.example_list_with_context().context());
    expected.MergeFrom(examples[i++]);
    Require(Sorted(read) == Sorted(expected), "a whole example differs");
  }
  Require(i == examples.size(), "the numbers of whole examples differ");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Millions of inputs are malformed, and protobuf would log each of them.
  [[maybe_unused]] static const auto kBefore = google::protobuf::SetLogHandler(nullptr);
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool predict = data[0] % 4 < 2;
  const std::string message = data[0] % 2 == 0 ? std::string(bytes) : inferd::fuzz::TfsGrpcRecipe(bytes).Build(predict);
  if (predict) {
    inferd::fuzz::RunPredict(message);
    inferd::fuzz::RunSession(message);
  } else {
    inferd::fuzz::RunExamples(message);
  }
  return 0;
}
