// Compares the gRPC codec with the generated classes. Input: one byte, then the bytes of a ModelInferRequest or a
// recipe for one. Both readers must accept and refuse the same messages, apart from our own rules, and must find the
// same content. The content is then written as a response, raw, typed and in a stream, and the generated classes must
// find it again.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/utf8.h"
#include "fuzz/oip_grpc_recipe.h"
#include "fuzz/oip_grpc_reference.h"
#include "fuzz/require.h"
#include "protocols/oip_grpc/codec/infer_request_reader.h"
#include "protocols/oip_grpc/codec/infer_response_writer.h"
#include "protocols/v2/parameters.h"

namespace inferd::fuzz {
namespace {

using inference::ModelInferRequest;
using inference::ModelInferResponse;
using inference::ModelStreamInferResponse;
using oip_grpc::Contents;

// Our reader counts all entries of a map, including replaced ones, which the generated class no longer has.
bool RefusedForItsParameterCount(const base::Status& status) {
  return status.message().find("expected at most 256 parameters") != std::string::npos;
}

template <typename Ours, typename Theirs>
void RequireSameTensor(const Ours& ours, const Theirs& theirs) {
  Require(ours.name == theirs.name(), "the names differ");
  Require(SameParameters(ours.parameters, theirs.parameters()), "the parameters of a tensor differ");
  if constexpr (requires { ours.datatype; }) {
    Require(tensor::DataTypeName(ours.datatype) == theirs.datatype(), "the datatypes differ");
    Require(std::ranges::equal(ours.shape.dims(), theirs.shape()), "the shapes differ");
  }
}

void RequireSame(const core::InferRequest& ours, const ModelInferRequest& theirs,
                 const std::vector<std::string>& data) {
  Require(
      ours.model_name == theirs.model_name() && ours.model_version == theirs.model_version() && ours.id == theirs.id(),
      "a text differs");
  Require(SameParameters(ours.parameters, theirs.parameters()), "the parameters differ");
  Require(static_cast<int>(ours.inputs.size()) == theirs.inputs_size(), "the numbers of inputs differ");
  Require(static_cast<int>(ours.outputs.size()) == theirs.outputs_size(), "the numbers of outputs differ");
  for (int i = 0; i < theirs.inputs_size(); ++i) {
    RequireSameTensor(ours.inputs[i], theirs.inputs(i));
    Require(ours.inputs[i].data.view() == data[i], "the data differ");
  }
  for (int i = 0; i < theirs.outputs_size(); ++i) RequireSameTensor(ours.outputs[i], theirs.outputs(i));
}

// Checks that raw tensors are views, and that the first one begins where TensorBytesAt says.
void RequireViews(const core::InferRequest& request, const base::BufferSlice& message) {
  bool first = true;
  for (const core::InferTensor& input : request.inputs) {
    if (v2::NamesRegion(input.parameters)) continue;
    Require(
        input.data.data() >= message.data() && input.data.data() + input.data.size() <= message.data() + message.size(),
        "a raw tensor was copied");
    if (!std::exchange(first, false)) continue;
    const auto at = static_cast<size_t>(input.data.data() - message.data());
    Require(oip_grpc::TensorBytesAt(message.bytes()) == at, "the first tensor is elsewhere");
    const size_t seen = oip_grpc::TensorBytesAt(message.bytes().first(at / 2));
    Require(seen == 0, "a tensor was found that is not seen");
  }
}

std::string Joined(const net::grpc::Message& message) {
  std::string bytes;
  for (const base::BufferSlice& piece : message) bytes += piece.view();
  return bytes;
}

void RequireSame(const core::InferResponse& ours, const ModelInferResponse& theirs, bool typed) {
  Require(
      ours.model_name == theirs.model_name() && ours.model_version == theirs.model_version() && ours.id == theirs.id(),
      "a text of the response differs");
  Require(SameParameters(ours.parameters, theirs.parameters()), "the parameters of the response differ");
  Require(static_cast<int>(ours.outputs.size()) == theirs.outputs_size(), "the numbers of outputs differ");
  Require(theirs.raw_output_contents_size() == (typed ? 0 : theirs.outputs_size()), "the raw outputs differ");
  for (int i = 0; i < theirs.outputs_size(); ++i) {
    const core::InferTensor& output = ours.outputs[i];
    RequireSameTensor(output, theirs.outputs(i));
    Require(theirs.outputs(i).has_contents() == typed, "an output is in the wrong form");
    if (!typed) {
      Require(output.data.view() == theirs.raw_output_contents(i), "a raw output differs");
      continue;
    }
    std::string data;
    Require(OnlyFieldOf(output.datatype, theirs.outputs(i).contents()), "an output is in the wrong field");
    Require(AppendContents(output.datatype, theirs.outputs(i).contents(), data), "an output is out of range");
    std::string expected(output.data.view());
    // A model's BOOL may be any byte. On the wire it is true or false.
    if (output.datatype == tensor::DataType::kBool) {
      for (char& element : expected) element = element != 0;
    }
    Require(data == expected, "a typed output differs");
  }
}

void CheckResponse(const core::InferResponse& response, Contents contents) {
  bool typed = contents == Contents::kTyped;
  bool fits = true;
  for (const core::InferTensor& output : response.outputs) {
    typed = typed && oip_grpc::ContentsField(output.datatype) != 0;
    fits = fits && tensor::CheckRaw(output.datatype, output.shape, output.data.bytes()).ok();
  }
  const auto plain = oip_grpc::WriteInferResponse(response, contents);
  const auto wrapped = oip_grpc::WriteStreamResponse(response, contents);
  Require(plain.has_value() == (fits || !typed), "a response that does not fit was written, or one that does was not");
  Require(plain.has_value() == wrapped.has_value(), "the stream differs");
  if (!plain.has_value()) return;
  const std::string bytes = Joined(*plain);
  ModelInferResponse parsed;
  Require(parsed.ParseFromString(bytes), "a response cannot be parsed");
  Require(parsed.ByteSizeLong() == bytes.size(), "a response is longer than need be");
  RequireSame(response, parsed, typed);
  ModelStreamInferResponse streamed;
  Require(streamed.ParseFromString(Joined(*wrapped)), "a streamed response cannot be parsed");
  Require(streamed.error_message().empty(), "a streamed response has an error");
  RequireSame(response, streamed.infer_response(), typed);
}

void CheckResponses(const core::InferRequest& request, std::string_view bytes) {
  core::InferResponse response;
  response.model_name = request.model_name;
  response.model_version = request.model_version;
  response.id = request.id;
  response.parameters = request.parameters;
  for (const core::InferTensor& input : request.inputs) {
    response.outputs.push_back(input);
    // Without this, most tensors would not fit their shape.
    core::InferTensor& output = response.outputs.back();
    const size_t element = tensor::ElementSize(output.datatype);
    if (bytes.size() % 8 == 0 || element == 0) continue;
    output.shape = {static_cast<int64_t>(output.data.size() / element)};
    output.data = output.data.Sub(0, output.data.size() / element * element);
  }
  CheckResponse(response, Contents::kRaw);
  CheckResponse(response, Contents::kTyped);

  ModelStreamInferResponse error;
  Require(error.ParseFromString(Joined(oip_grpc::WriteStreamError(request.id, bytes))), "an error cannot be parsed");
  Require(error.infer_response().id() == request.id, "an error lost its id");
  Require(!base::IsUtf8(bytes) || error.error_message() == bytes, "an error lost its text");
}

void Run(std::string_view bytes) {
  const base::BufferSlice message(base::Buffer::CopyOf(bytes));
  const auto ours = oip_grpc::ReadInferRequest(message);
  ModelInferRequest theirs;
  const bool parsed = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const auto data = parsed ? ExpectedData(theirs) : std::nullopt;
  if (!ours.has_value()) {
    Require(ours.error().code() == base::StatusCode::kInvalidArgument, "refused as something else");
    Require(!data || RefusedForItsParameterCount(ours.error()), "refused: " + ours.error().message());
    return;
  }
  Require(parsed, "accepted what protobuf refuses");
  Require(data.has_value(), "accepted against the rules");
  RequireSame(*ours->request, theirs, *data);
  if (theirs.raw_input_contents_size() > 0) RequireViews(*ours->request, message);
  const bool typed = theirs.inputs_size() > 0 &&
                     std::ranges::all_of(theirs.inputs(), [](const auto& input) { return input.has_contents(); });
  Require(ours->typed_contents == typed, "typed_contents is wrong");
  CheckResponses(*ours->request, bytes);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Millions of inputs are malformed, and protobuf would log each of them.
  [[maybe_unused]] static const auto kBefore = google::protobuf::SetLogHandler(nullptr);
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  inferd::fuzz::Run(data[0] % 2 == 0 ? std::string(bytes) : inferd::fuzz::OipGrpcRecipe(bytes).Build());
  return 0;
}
