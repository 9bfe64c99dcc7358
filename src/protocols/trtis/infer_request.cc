#include "protocols/trtis/infer_request.h"

#include <string>
#include <utility>

#include "base/text/printable.h"
#include "data/tensor/data_type.h"

namespace inferd::trtis {

namespace {

constexpr std::string_view kBatchSizeRule =
    "inference request batch-size must be >= 1 for models that support batching, and must be 1 for models that don't "
    "support batching";

std::string Quoted(std::string_view name) { return base::QuotedName(name); }  // including its quotes

bool HasType(tensor::DataType type) {
  return type >= tensor::DataType::kBool && type <= tensor::DataType::kFp64;  // the types that DataType had
}

// Returns the tensor's shape without the batch dimension, or nullopt if the protocol cannot describe it.
std::optional<tensor::Shape> EntryShape(const core::TensorSpec& spec, bool batched) {
  // For a model that takes other shapes too, this is the usual one, which its configuration shows to clients.
  if (!HasType(spec.datatype) || spec.unknown_rank || spec.ragged) return std::nullopt;
  tensor::Shape entry(spec.shape.dims().subspan(batched ? 1 : 0));
  if (!entry.ElementCount().has_value()) return std::nullopt;
  return entry;
}

// Returns nullopt if the number is too large.
std::optional<uint64_t> BytesOf(const tensor::Shape& shape, tensor::DataType type) {
  const auto elements = static_cast<uint64_t>(shape.ElementCount().value_or(0));
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(elements, tensor::ElementSize(type), &bytes)) return std::nullopt;
  return bytes;
}

base::Status Undescribable(std::string_view what, const core::TensorSpec& spec, std::string_view model) {
  const bool typed = HasType(spec.datatype);
  return base::Unimplemented(
      "inference " + std::string(what) + " " + Quoted(spec.name) + " of model '" + std::string(model) + "' has " +
      (typed ? "shape " + spec.shape.ToString() + ": this protocol needs fixed dimensions"
             : "a datatype that this protocol does not have: " + std::string(tensor::DataTypeName(spec.datatype))));
}

// The signature's tensors that a request has named.
class Named final {
 public:
  explicit Named(size_t tensors) : seen_(tensors, false) {}
  // Returns false if it was named before.
  bool Note(int index) { return !std::exchange(seen_[static_cast<size_t>(index)], true); }
  bool Has(size_t index) const { return seen_[index]; }

 private:
  boost::container::small_vector<bool, 16> seen_;
};

base::Status CheckCount(const Named& named, size_t given, const core::ModelSignature& signature) {
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    if (named.Has(i) || signature.inputs[i].optional) continue;
    return base::InvalidArgument("expected " + std::to_string(signature.inputs.size()) + " inputs but got " +
                                 std::to_string(given) + ": " + Quoted(signature.inputs[i].name) + " is missing");
  }
  return {};
}

class Planner final {
 public:
  Planner(const core::ModelSignature& signature, std::string_view model, uint32_t batch_size)
      : signature_(signature), model_(model), batch_size_(batch_size), batched_(signature.max_batch_size > 0) {}

  base::Status CheckBatch() const {
    if (!batched_ && batch_size_ != 1) return base::InvalidArgument(std::string(kBatchSizeRule));
    const bool any = signature_.accepts_larger_requests || signature_.splits_larger_requests;
    if (!batched_ || any || batch_size_ <= signature_.max_batch_size) return {};
    return base::InvalidArgument("unexpected batch size " + std::to_string(batch_size_) + " for '" +
                                 std::string(model_) + "', max allowed is " +
                                 std::to_string(signature_.max_batch_size));
  }

  base::Status AddInputs(InferHeader& header, core::InferRequest& request) const {
    const size_t known = signature_.inputs.size();
    if (header.inputs.size() > known) {
      return base::InvalidArgument("expected " + std::to_string(known) + " inputs but got " +
                                   std::to_string(header.inputs.size()));
    }
    Named named(known);
    for (InferHeader::Input& input : header.inputs) {
      const int index = signature_.FindInput(input.name);
      if (index < 0) return base::InvalidArgument("unexpected inference input " + Quoted(input.name));
      if (!named.Note(index)) return base::InvalidArgument("inference input " + Quoted(input.name) + " is there twice");
      const core::TensorSpec& spec = signature_.inputs[static_cast<size_t>(index)];
      auto shape = EntryShape(spec, batched_);
      if (!shape) return Undescribable("input", spec, model_);
      const auto bytes = BytesOf(*shape, spec.datatype);
      if (bytes != input.byte_size) {
        return base::InvalidArgument("unexpected size " + std::to_string(input.byte_size) + " for inference input " +
                                     Quoted(input.name) + ", expecting " + std::to_string(bytes.value_or(0)));
      }
      if (batched_) shape->Prepend(batch_size_);
      core::InferTensor& tensor = request.inputs.emplace_back();
      tensor.name = std::move(input.name);
      tensor.datatype = spec.datatype;
      tensor.shape = *std::move(shape);
    }
    return CheckCount(named, header.inputs.size(), signature_);
  }

  base::Status AddOutputs(InferHeader& header, PlannedRequest& planned) const {
    Named named(signature_.outputs.size());
    for (InferHeader::Output& output : header.outputs) {
      const int index = signature_.FindOutput(output.name);
      if (index < 0) return base::InvalidArgument("unexpected inference output " + Quoted(output.name));
      if (!named.Note(index)) {
        return base::InvalidArgument("inference output " + Quoted(output.name) + " is requested twice");
      }
      INFERD_RETURN_IF_ERROR(CheckOutput(output, signature_.outputs[static_cast<size_t>(index)]));
      planned.plan.outputs.push_back({.byte_size = output.byte_size, .classes = output.classes});
      planned.request->outputs.push_back({.name = std::move(output.name)});
    }
    return {};
  }

 private:
  base::Status CheckOutput(const InferHeader::Output& output, const core::TensorSpec& spec) const {
    using tensor::DataType;
    const bool ranked = spec.datatype != DataType::kBool && spec.datatype != DataType::kFp16 && HasType(spec.datatype);
    if (output.classes && !ranked) {
      const std::string_view type = spec.datatype == DataType::kBytes ? "STRING" : tensor::DataTypeName(spec.datatype);
      return base::InvalidArgument("class result not available for output " + Quoted(output.name) +
                                   " due to unsupported type 'TYPE_" + std::string(type) + "'");
    }
    const auto shape = EntryShape(spec, batched_);
    if (!shape) return Undescribable("output", spec, model_);
    const auto bytes = BytesOf(*shape, spec.datatype);
    // The response would grow with the batch size, without any data in the request.
    if (output.classes && bytes == 0) {
      return base::InvalidArgument("class result not available for output " + Quoted(output.name) +
                                   ", which has no elements");
    }
    if (bytes == output.byte_size) return {};
    return base::Internal("unexpected output size " + std::to_string(output.byte_size) + " for inference output " +
                          Quoted(output.name) + ", expecting " + std::to_string(bytes.value_or(0)));
  }

  const core::ModelSignature& signature_;
  const std::string_view model_;
  const uint32_t batch_size_;
  const bool batched_;
};

// Returns the bytes of an input with a fixed shape. A number that overflows exceeds any body.
uint64_t DataBytes(const core::InferTensor& input) { return BytesOf(input.shape, input.datatype).value_or(UINT64_MAX); }

base::Status TooLittle(const core::InferTensor& input, uint64_t bytes, size_t got) {
  return base::Internal("expected " + std::to_string(bytes) + " of data for inference input " + Quoted(input.name) +
                        ", got " + std::to_string(got));
}

}  // namespace

base::Status CheckBatchSize(const InferHeader& header) {
  return header.batch_size < 1 ? base::InvalidArgument(std::string(kBatchSizeRule)) : base::OkStatus();
}

base::Result<PlannedRequest> PlanRequest(InferHeader header, const core::ModelSignature& signature,
                                         std::string_view model) {
  INFERD_RETURN_IF_ERROR(CheckBatchSize(header));
  const Planner planner(signature, model, header.batch_size);
  PlannedRequest planned{.request = std::make_unique<core::InferRequest>(), .plan = {}};
  planned.plan.batch_size = header.batch_size;
  planned.request->model_name = model;
  INFERD_RETURN_IF_ERROR(planner.AddInputs(header, *planned.request));
  INFERD_RETURN_IF_ERROR(planner.CheckBatch());
  INFERD_RETURN_IF_ERROR(planner.AddOutputs(header, planned));
  return planned;
}

base::Status SetBody(const base::BufferSlice& body, core::InferRequest& request) {
  size_t at = 0;
  for (core::InferTensor& input : request.inputs) {
    const uint64_t bytes = DataBytes(input);
    const size_t left = body.size() - at;
    if (bytes > left) return TooLittle(input, bytes, left);
    input.data = body.Sub(at, static_cast<size_t>(bytes));
    at += static_cast<size_t>(bytes);
  }
  if (at == body.size()) return {};
  return base::InvalidArgument("unexpected additional input data for model '" + request.model_name + "'");
}

base::Status SetRaws(std::span<const base::BufferSlice> raws, core::InferRequest& request) {
  if (raws.size() > request.inputs.size()) {
    return base::InvalidArgument("unexpected additional input data for model '" + request.model_name + "'");
  }
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    core::InferTensor& input = request.inputs[i];
    if (i == raws.size()) return base::Internal("unexpected input index " + std::to_string(i));
    const uint64_t bytes = DataBytes(input);
    if (raws[i].size() < bytes) return TooLittle(input, bytes, raws[i].size());
    if (raws[i].size() > bytes) {
      return base::InvalidArgument("unexpected additional input data for inference input " + Quoted(input.name));
    }
    input.data = raws[i];
  }
  return {};
}

}  // namespace inferd::trtis
