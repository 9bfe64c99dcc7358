// Fuzzes infer requests with binary tensors, and raw requests. Input: two bytes for Inference-Header-Content-Length (0
// for a raw request), then the body. Every accepted tensor must lie inside the body, and their bytes must add up. If
// the tensors fit their shapes, the same request as JSON must be equal.

#include <cstdint>
#include <string_view>

#include "fuzz/v2_requests.h"
#include "protocols/oip_http/codec/raw_request.h"

namespace inferd::fuzz {
namespace {

core::ModelSignature RawModel(uint8_t choice) {
  core::ModelSignature signature;
  core::TensorSpec& spec = signature.inputs.emplace_back();
  spec.name = "x";
  spec.datatype = static_cast<tensor::DataType>(1 + choice % 14);
  spec.shape = choice & 0x10 ? tensor::Shape{-1, 3} : tensor::Shape{-1};
  signature.max_batch_size = choice & 0x20 ? 4 : 0;
  return signature;
}

void RunRaw(std::string_view body) {
  const uint8_t choice = body.empty() ? uint8_t{0} : static_cast<uint8_t>(body[0]);
  const base::BufferSlice slice = SliceOf(body);
  const auto decoded = oip_http::ReadRawRequest(slice, RawModel(choice), "m");
  if (!decoded.has_value()) {
    Require(decoded.error().code() == base::StatusCode::kInvalidArgument, "refused as something else");
    return;
  }
  const core::InferTensor& input = decoded->request->inputs.at(0);
  if (input.datatype == tensor::DataType::kBytes) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a raw element does not fit");
  } else {
    Require(input.data.data() == slice.data() && input.data.size() == slice.size(), "a raw tensor was copied");
  }
}

void RunBinary(std::string_view body, size_t json_bytes) {
  const base::BufferSlice slice = SliceOf(body);
  const auto decoded = oip_http::ReadInferRequest(slice, json_bytes, true, "m");
  if (!decoded.has_value()) return;
  size_t binary_bytes = 0;
  bool fits = true;
  for (const core::InferTensor& input : decoded->request->inputs) {
    const bool inside =
        input.data.data() >= slice.data() && input.data.data() + input.data.size() <= slice.data() + slice.size();
    const bool binary = input.data.owner().data() == slice.data();
    Require(!binary || inside, "a tensor lies outside the body");
    if (binary) binary_bytes += input.data.size();
    fits = fits && tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok();
    // JSON can express only 0 and 1 as BOOL.
    for (const std::byte element : input.data.bytes()) {
      fits = fits && (input.datatype != tensor::DataType::kBool || std::to_integer<unsigned>(element) <= 1);
    }
  }
  Require(binary_bytes == body.size() - json_bytes, "bytes behind the JSON belong to no tensor");
  if (fits) CheckBothForms(*decoded->request);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t header = static_cast<size_t>(data[0]) << 8 | data[1];
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (header == 0) {
    inferd::fuzz::RunRaw(body);
  } else {
    inferd::fuzz::RunBinary(body, header < body.size() ? header : body.size());
  }
  return 0;
}
