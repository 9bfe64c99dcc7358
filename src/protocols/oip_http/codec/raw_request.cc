#include "protocols/oip_http/codec/raw_request.h"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "protocols/v2/carried_types.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;

// Returns the only shape for `bytes` bytes. `fixed_batch`: the leading -1 is the batch, which is 1.
base::Result<tensor::Shape> InferShape(const core::TensorSpec& spec, bool fixed_batch, size_t bytes) {
  tensor::Shape shape = core::ShownShape(spec);
  if (fixed_batch && shape.rank() > 0) shape[0] = 1;
  size_t variable = shape.rank();
  uint64_t known_bytes = tensor::ElementSize(spec.datatype);
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] >= 0) {
      if (__builtin_mul_overflow(known_bytes, static_cast<uint64_t>(shape[i]), &known_bytes)) {
        return std::unexpected(InvalidArgument("byte size overflow for input '" + spec.name + "'"));
      }
    } else if (variable < shape.rank()) {
      return std::unexpected(InvalidArgument("The shape of the raw input '" + spec.name +
                                             "' can not be deduced because there are more than one variable-sized "
                                             "dimension: " +
                                             spec.shape.ToString()));
    } else {
      variable = i;
    }
  }
  if (variable == shape.rank()) return shape;
  if (known_bytes == 0 || bytes % known_bytes != 0) {
    return std::unexpected(InvalidArgument("input '" + spec.name + "': expected a multiple of " +
                                           std::to_string(known_bytes) + " bytes for shape " + spec.shape.ToString() +
                                           ", got " + std::to_string(bytes)));
  }
  shape[variable] = static_cast<int64_t>(bytes / known_bytes);
  return shape;
}

// Returns true if a shape is [1] in the configuration, without the batch.
bool IsOne(const tensor::Shape& shape, bool batched) {
  const size_t rank = batched ? 2 : 1;
  return shape.rank() == rank && shape[rank - 1] == 1;
}

base::Result<base::BufferSlice> AsOneElement(const base::BufferSlice& body, const core::TensorSpec& spec) {
  if (body.size() > std::numeric_limits<uint32_t>::max()) {
    return std::unexpected(InvalidArgument("input '" + spec.name + "': expected at most 4294967295 bytes, got " +
                                           std::to_string(body.size())));
  }
  const auto length = static_cast<uint32_t>(body.size());
  base::Buffer packed = base::Buffer::Allocate(sizeof length + body.size());
  std::memcpy(packed.data(), &length, sizeof length);
  if (length > 0) std::memcpy(packed.data() + sizeof length, body.data(), length);
  return base::BufferSlice(std::move(packed));
}

}  // namespace

base::Result<DecodedRequest> ReadRawRequest(const base::BufferSlice& body, const core::ModelSignature& signature,
                                            std::string_view model, bool triton_exact) {
  if (signature.inputs.size() != 1) {
    return std::unexpected(InvalidArgument("Raw request must only have 1 input (found 1) to be deduced but got " +
                                           std::to_string(signature.inputs.size()) + " inputs in '" +
                                           std::string(model) + "' model configuration"));
  }
  const core::TensorSpec& spec = signature.inputs.front();
  INFERD_RETURN_IF_ERROR(v2::CheckCarried(spec.name, spec.datatype));
  DecodedRequest decoded;
  decoded.forms.default_form.binary = true;
  decoded.request = std::make_unique<core::InferRequest>();
  core::InferTensor& input = decoded.request->inputs.emplace_back();
  input.name = spec.name;
  input.datatype = spec.datatype;
  const bool bytes = spec.datatype == tensor::DataType::kBytes;
  const bool batched = signature.max_batch_size > 0;
  if (bytes && triton_exact && !IsOne(spec.shape, batched)) {
    return std::unexpected(
        InvalidArgument("For BYTE datatype raw input '" + spec.name + "', the model must have input shape [1]"));
  }
  if (bytes) {
    for (size_t i = 0; i < spec.shape.rank(); ++i) input.shape.Append(spec.shape[i] < 0 ? 1 : spec.shape[i]);
    if (input.shape.ElementCount() != 1) {
      return std::unexpected(InvalidArgument("input '" + spec.name +
                                             "': a raw binary request of datatype BYTES needs one "
                                             "element, got shape " +
                                             spec.shape.ToString()));
    }
    INFERD_ASSIGN_OR_RETURN(input.data, AsOneElement(body, spec));
  } else {
    INFERD_ASSIGN_OR_RETURN(input.shape, InferShape(spec, batched, body.size()));
    input.data = body;
  }
  return decoded;
}

}  // namespace inferd::oip_http
