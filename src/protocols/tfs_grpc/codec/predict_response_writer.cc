#include "protocols/tfs_grpc/codec/predict_response_writer.h"

#include <cstdint>
#include <string>
#include <utility>

#include "data/tensor/raw.h"
#include "data/wire/elements_writer.h"
#include "data/wire/writer.h"
#include "protocols/tfs/dtype.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs_grpc/codec/tensor_field.h"

namespace inferd::tfs_grpc {

namespace {

using tensor::DataType;

constexpr uint32_t kOutputs = 1, kModelSpec = 2;                 // PredictResponse
constexpr uint32_t kSessionModelSpec = 3;                        // SessionRunResponse, otherwise the same
constexpr uint32_t kEntryKey = 1, kEntryValue = 2;               // of a map, and of a NamedTensorProto
constexpr uint32_t kName = 1, kVersion = 2, kSignatureName = 3;  // ModelSpec
constexpr uint32_t kInt64Value = 1;

bool IsBulk(DataType type, bool tensor_content) {
  if (type == DataType::kBytes) return false;
  const bool complex = type == DataType::kComplex64 || type == DataType::kComplex128;
  return tensor_content || complex || type == DataType::kFp32 || type == DataType::kFp64;
}

// Returns an upper bound of the bytes of `response` without tensors.
size_t HeaderSizeMax(const core::InferResponse& response, std::string_view signature) {
  constexpr size_t kTagAndLength = 6;
  constexpr size_t kDim = 2 * kTagAndLength + wire::kVarintMax;
  constexpr size_t kOutputFields = 6 * kTagAndLength;
  constexpr size_t kSpecFields = 5 * kTagAndLength + wire::kVarintMax;
  size_t bytes = kSpecFields + signature.size() + response.model_name.size();
  for (const core::InferTensor& output : response.outputs) {
    bytes += kOutputFields + output.name.size() + output.shape.rank() * kDim;
  }
  return bytes;
}

// Writes a dimension; proto3 leaves out zero.
void WriteDim(wire::Writer& out, int64_t size) {
  const size_t end = out.size();
  if (size != 0) out.Varint(kDimSize, static_cast<uint64_t>(size));
  out.Message(kShapeDim, end);
}

void WriteTensor(wire::Writer& out, uint32_t number, core::InferTensor& tensor, bool tensor_content) {
  const size_t end = out.size();
  if (tensor_content && tensor.datatype != DataType::kBytes) {
    if (!tensor.data.empty()) out.Slice(kTensorContent, std::move(tensor.data));
  } else {
    wire::WriteElements(out, ValueField(tensor.datatype), tensor.datatype, tensor.data);
  }
  const size_t shape_end = out.size();
  for (size_t i = tensor.shape.rank(); i-- > 0;) WriteDim(out, tensor.shape[i]);
  out.Message(kTensorShape, shape_end);
  out.Varint(kDtype, static_cast<uint64_t>(tfs::DtypeOf(tensor.datatype)));
  out.Message(number, end);
}

void WriteModelSpec(wire::Writer& out, uint32_t number, const core::InferResponse& response,
                    std::string_view signature) {
  const size_t end = out.size();
  if (!signature.empty()) out.String(kSignatureName, signature);
  const int64_t version = tfs::VersionNumber(response.model_version);
  const size_t version_end = out.size();
  if (version != 0) out.Varint(kInt64Value, static_cast<uint64_t>(version));
  out.Message(kVersion, version_end);
  out.String(kName, response.model_name);
  out.Message(number, end);
}

base::Result<net::grpc::Message> Write(core::InferResponse response, bool tensor_content, uint32_t spec_number,
                                       std::string_view signature) {
  wire::Writer out(HeaderSizeMax(response, signature));
  WriteModelSpec(out, spec_number, response, signature);
  for (auto output = response.outputs.rbegin(); output != response.outputs.rend(); ++output) {
    const base::Status fits = tensor::CheckRaw(output->datatype, output->shape, output->data.bytes());
    if (!fits.ok()) return std::unexpected(base::Internal("output '" + output->name + "': " + fits.message()));
    const size_t end = out.size();
    WriteTensor(out, kEntryValue, *output, tensor_content);
    out.String(kEntryKey, output->name);
    out.Message(kOutputs, end);
  }
  return out.Take();
}

}  // namespace

base::Result<net::grpc::Message> WritePredictResponse(core::InferResponse response, bool tensor_content,
                                                      std::string_view signature) {
  return Write(std::move(response), tensor_content, kModelSpec, signature);
}

base::Result<net::grpc::Message> WriteSessionRunResponse(core::InferResponse response, bool tensor_content) {
  return Write(std::move(response), tensor_content, kSessionModelSpec, "");
}

size_t BytesToEncode(const core::InferResponse& response, bool tensor_content) {
  size_t bytes = 0;
  for (const core::InferTensor& output : response.outputs) {
    if (!IsBulk(output.datatype, tensor_content)) bytes += output.data.size();
  }
  return bytes;
}

}  // namespace inferd::tfs_grpc
