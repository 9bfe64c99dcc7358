#include "protocols/oip_grpc/codec/infer_request_reader.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "data/wire/reader.h"
#include "protocols/oip_grpc/codec/input_reader.h"
#include "protocols/oip_grpc/codec/parameters_reader.h"
#include "protocols/v2/parameters.h"

namespace inferd::oip_grpc {

namespace {

using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;

constexpr uint32_t kRawInputContents = Tag(7, Type::kBytes);

// The data of such an input is not in the message.
bool NamesSharedMemory(const core::InferTensor& input) { return v2::NamesRegion(input.parameters); }

base::Status ReadOutput(Reader in, core::RequestedOutput& output) {
  ParametersReader parameters(output.parameters);
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): output.name = in.String(); break;
      case Tag(2, Type::kBytes): INFERD_RETURN_IF_ERROR(parameters.ReadEntry(in.Message())); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) return in.status();
  return parameters.Finish();
}

// Reads the request's fields as they come, then assigns the raw tensors to their inputs.
class RequestReader {
 public:
  RequestReader(const base::BufferSlice& message, core::InferRequest& request)
      : message_(message), in_(message.view()), request_(request), parameters_(request.parameters) {}

  base::Status Read() {
    while (const uint32_t tag = in_.Next()) INFERD_RETURN_IF_ERROR(ReadField(tag));
    if (!in_.ok()) return in_.status();
    INFERD_RETURN_IF_ERROR(parameters_.Finish());
    return raw_.empty() ? base::OkStatus() : AttachRaw();
  }

  bool typed_contents() const { return typed_inputs_ > 0 && typed_inputs_ == request_.inputs.size(); }

 private:
  base::Status ReadField(uint32_t tag) {
    switch (tag) {
      case Tag(1, Type::kBytes): request_.model_name = in_.String(); return {};
      case Tag(2, Type::kBytes): request_.model_version = in_.String(); return {};
      case Tag(3, Type::kBytes): request_.id = in_.String(); return {};
      case Tag(4, Type::kBytes): return parameters_.ReadEntry(in_.Message());
      case Tag(5, Type::kBytes): return AddInput();
      case Tag(6, Type::kBytes): return AddOutput();
      case kRawInputContents: return AddRaw();
      default: in_.Skip(); return {};
    }
  }

  base::Status AddInput() {
    const size_t index = request_.inputs.size();
    if (index == v2::kTensorsMax) return TooMany("inputs");
    INFERD_ASSIGN_OR_RETURN(const bool typed, ReadInput(in_.Message(), index, request_.inputs.emplace_back()));
    if (typed && typed_inputs_++ == 0) first_typed_ = index;
    return {};
  }

  base::Status AddOutput() {
    const size_t index = request_.outputs.size();
    if (index == v2::kTensorsMax) return TooMany("outputs");
    if (index == 0) request_.outputs.reserve(4);  // most requests have no more
    base::Status status = ReadOutput(in_.Message(), request_.outputs.emplace_back());
    return status.ok() ? status : status.WithContext("output #" + std::to_string(index));
  }

  base::Status AddRaw() {
    if (raw_.size() == v2::kTensorsMax) return TooMany("raw_input_contents");
    raw_.push_back(in_.Bytes());
    return {};
  }

  static base::Status TooMany(std::string_view what) {
    return InvalidArgument("expected at most " + std::to_string(v2::kTensorsMax) + " " + std::string(what) +
                           ", got more");
  }

  base::Status AttachRaw() {
    if (typed_inputs_ > 0) {
      return InvalidArgument("contents field must not be specified when using raw_input_contents for '" +
                             request_.inputs[first_typed_].name + "' for model '" + request_.model_name + "'");
    }
    const auto shared = static_cast<size_t>(std::ranges::count_if(request_.inputs, NamesSharedMemory));
    const size_t expected = request_.inputs.size() - shared;
    if (raw_.size() != expected) {
      return InvalidArgument("expected " + std::to_string(expected) +
                             " raw_input_contents, one for each input that is not in shared memory, got " +
                             std::to_string(raw_.size()));
    }
    auto raw = raw_.begin();
    for (core::InferTensor& input : request_.inputs) {
      if (NamesSharedMemory(input)) continue;
      input.data = message_.Sub(static_cast<size_t>(raw->data() - message_.view().data()), raw->size());
      ++raw;
    }
    return {};
  }

  const base::BufferSlice& message_;
  Reader in_;
  core::InferRequest& request_;
  ParametersReader parameters_;
  boost::container::small_vector<std::string_view, 4> raw_;
  size_t typed_inputs_ = 0;
  size_t first_typed_ = 0;
};

}  // namespace

base::Result<DecodedRequest> ReadInferRequest(const base::BufferSlice& message) {
  DecodedRequest decoded;
  decoded.request = std::make_unique<core::InferRequest>();
  RequestReader reader(message, *decoded.request);
  INFERD_RETURN_IF_ERROR(reader.Read());
  decoded.typed_contents = reader.typed_contents();
  return decoded;
}

size_t TensorBytesAt(std::span<const std::byte> beginning) {
  Reader in({reinterpret_cast<const char*>(beginning.data()), beginning.size()});
  while (const uint32_t tag = in.Next()) {
    if (tag == kRawInputContents) {
      const size_t at = in.BytesAt();
      return in.ok() ? at : 0;
    }
    in.Skip();
  }
  return 0;
}

}  // namespace inferd::oip_grpc
