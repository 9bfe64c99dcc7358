#include "protocols/oip_grpc/codec/infer_response_writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "data/tensor/raw.h"
#include "data/wire/writer.h"
#include "protocols/oip_grpc/codec/parameters_writer.h"
#include "protocols/oip_grpc/codec/typed_contents_field.h"
#include "protocols/oip_grpc/codec/typed_contents_writer.h"
#include "protocols/v2/carried_types.h"

namespace inferd::oip_grpc {

namespace {

// Returns an upper bound of the bytes of `response` without tensors.
size_t HeaderSizeMax(const core::InferResponse& response) {
  constexpr size_t kTagAndLength = 6;
  constexpr size_t kStreamWrapper = kTagAndLength;
  constexpr size_t kResponseFields = 3 * kTagAndLength;
  constexpr size_t kOutputFields = 7 * kTagAndLength;  // its message, its four fields, its contents, its raw data
  constexpr size_t kDatatype = 8;
  size_t bytes = kStreamWrapper + kResponseFields + response.model_name.size() + response.model_version.size() +
                 response.id.size() + ParametersSizeMax(response.parameters);
  for (const core::InferTensor& output : response.outputs) {
    bytes += kOutputFields + kDatatype + output.name.size() + output.shape.rank() * wire::kVarintMax +
             ParametersSizeMax(output.parameters);
  }
  return bytes;
}

// Returns true if all outputs can be typed. INTERNAL if an output's bytes do not fit.
base::Result<bool> CanBeTyped(const core::InferResponse& response) {
  const bool all =
      std::ranges::none_of(response.outputs, [](const auto& output) { return ContentsField(output.datatype) == 0; });
  if (!all) return false;
  for (const core::InferTensor& output : response.outputs) {
    const base::Status status = tensor::CheckRaw(output.datatype, output.shape, output.data.bytes());
    if (!status.ok()) return std::unexpected(base::Internal("output '" + output.name + "': " + status.message()));
  }
  return true;
}

// Writes a text unless it is empty, as in proto3.
void WriteText(wire::Writer& out, uint32_t number, std::string_view text) {
  if (!text.empty()) out.String(number, text);
}

void WriteShape(wire::Writer& out, const tensor::Shape& shape) {
  if (shape.rank() == 0) return;
  size_t size = 0;
  for (const int64_t dim : shape.dims()) size += wire::VarintSize(static_cast<uint64_t>(dim));
  std::byte* at = out.Bytes(3, size);
  for (const int64_t dim : shape.dims()) at = wire::PutVarint(at, static_cast<uint64_t>(dim));
}

// Writes a ModelInferResponse.InferOutputTensor.
void WriteOutput(wire::Writer& out, const core::InferTensor& output, Contents contents) {
  const size_t end = out.size();
  if (contents == Contents::kTyped) WriteTypedContents(out, 5, output);
  WriteParameters(out, 4, output.parameters);
  WriteShape(out, output.shape);
  WriteText(out, 2, tensor::DataTypeName(output.datatype));
  WriteText(out, 1, output.name);
  out.Message(5, end);
}

base::Status WriteResponse(wire::Writer& out, core::InferResponse& response, Contents contents) {
  INFERD_RETURN_IF_ERROR(v2::CheckCarried(response));
  if (contents == Contents::kTyped) {
    INFERD_ASSIGN_OR_RETURN(const bool typed, CanBeTyped(response));
    if (!typed) contents = Contents::kRaw;
  }
  auto& outputs = response.outputs;
  for (auto it = outputs.rbegin(); contents == Contents::kRaw && it != outputs.rend(); ++it) {
    out.Slice(6, std::move(it->data));
  }
  for (auto it = outputs.rbegin(); it != outputs.rend(); ++it) WriteOutput(out, *it, contents);
  WriteParameters(out, 4, response.parameters);
  WriteText(out, 3, response.id);
  WriteText(out, 2, response.model_version);
  WriteText(out, 1, response.model_name);
  return {};
}

}  // namespace

base::Result<net::grpc::Message> WriteInferResponse(core::InferResponse response, Contents contents) {
  wire::Writer out(HeaderSizeMax(response));
  INFERD_RETURN_IF_ERROR(WriteResponse(out, response, contents));
  return out.Take();
}

base::Result<net::grpc::Message> WriteStreamResponse(core::InferResponse response, Contents contents) {
  wire::Writer out(HeaderSizeMax(response));
  INFERD_RETURN_IF_ERROR(WriteResponse(out, response, contents));
  out.Message(2, 0);
  return out.Take();
}

net::grpc::Message WriteStreamError(std::string_view id, std::string_view error, const core::Parameters& parameters) {
  constexpr size_t kTagsAndLengths = 18;
  wire::Writer out(kTagsAndLengths + id.size() + error.size() + ParametersSizeMax(parameters));
  if (!id.empty() || !parameters.empty()) {
    WriteParameters(out, 4, parameters);
    WriteText(out, 3, id);
    out.Message(2, 0);
  }
  WriteText(out, 1, error);
  return out.Take();
}

}  // namespace inferd::oip_grpc
