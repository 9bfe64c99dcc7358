#include "serving/core/validate.h"

#include <algorithm>
#include <string>

#include "base/text/printable.h"
#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"

namespace inferd::core {

namespace {

// The maximum bytes of a request id, in every protocol.
constexpr size_t kRequestIdBytesMax = 4096;
// The maximum bytes of the id that error messages quote.
constexpr size_t kQuotedIdBytesMax = 256;
// The start of the error text for an output that the model does not have, as in Triton.
constexpr const char* kUnknownOutput = "unexpected inference output ";

std::string NameList(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const TensorSpec& spec : specs) {
    if (spec.alternative) continue;
    if (!text.empty()) text += ", ";
    text += spec.name;
  }
  return text;
}

// Returns true if truncated BYTES end inside an element's length rather than in its content.
bool EndsInLength(std::span<const std::byte> packed) {
  while (const auto element = tensor::PackedPrefix(packed, 1)) packed = packed.subspan(*element);
  return packed.size() < tensor::kLengthSize;
}

class RequestCheck {
 public:
  RequestCheck(const InferRequest& request, std::string_view model, const ModelSignature& signature,
               RequestLayout& layout)
      : request_(request), model_(model), signature_(signature), layout_(layout) {}

  base::Status Run() {
    if (request_.id.size() > kRequestIdBytesMax) {
      return base::InvalidArgument("the request's id has " + std::to_string(request_.id.size()) + " bytes; at most " +
                                   std::to_string(kRequestIdBytesMax) + " are allowed");
    }
    INFERD_RETURN_IF_ERROR(MatchInputs());
    for (size_t i = 0; i < request_.inputs.size(); ++i) {
      INFERD_RETURN_IF_ERROR(CheckInput(request_.inputs[i], signature_.inputs[layout_.inputs[i]]));
    }
    INFERD_RETURN_IF_ERROR(CheckBatch());
    return MatchOutputs();
  }

 private:
  // Clients nearly always send the inputs in the model's order.
  int FindInput(size_t position, std::string_view name) const {
    if (position < signature_.inputs.size() && signature_.inputs[position].name == name)
      return static_cast<int>(position);
    return signature_.FindInput(name);
  }

  bool MayName(const TensorSpec& spec) const { return !spec.carries_body || request_.whole_body; }

  base::Status MatchInputs() {
    boost::container::small_vector<bool, 16> seen(signature_.inputs.size(), false);
    for (size_t i = 0; i < request_.inputs.size(); ++i) {
      const std::string& name = request_.inputs[i].name;
      int index = FindInput(i, name);
      if (index < 0 && signature_.any_input_name && i == 0) index = 0;
      if (index < 0 || !MayName(signature_.inputs[index])) {
        return base::InvalidArgument("unexpected inference input " + base::QuotedName(name) + " for model " +
                                     base::QuotedName(model_) + ", allowed inputs are: " + NameList(signature_.inputs));
      }
      if (seen[index]) return base::InvalidArgument("input " + base::QuotedName(name) + " already exists in request");
      seen[index] = true;
      layout_.inputs.push_back(index);
      brings_alternatives_ |= signature_.inputs[index].alternative;
    }
    if (brings_alternatives_) return base::OkStatus();
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i] && !signature_.inputs[i].optional) return MissingInputs(seen);
    }
    return base::OkStatus();
  }

  base::Status MissingInputs(const boost::container::small_vector<bool, 16>& seen) const {
    std::string got;
    std::string missing;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i] && signature_.inputs[i].optional) continue;
      std::string& list = seen[i] ? got : missing;
      if (!list.empty()) list += ',';
      list += base::QuotedName(signature_.inputs[i].name);
    }
    const auto required =
        seen.size() - static_cast<size_t>(std::ranges::count_if(signature_.inputs, &TensorSpec::optional));
    const auto shown =
        seen.size() - static_cast<size_t>(std::ranges::count_if(signature_.inputs, &TensorSpec::alternative));
    const std::string all = std::to_string(shown);
    const std::string expected = required == shown
                                     ? "expected " + all + " inputs"
                                     : "expected number of inputs between " + std::to_string(required) + " and " + all;
    return base::InvalidArgument(expected + " but got " + std::to_string(request_.inputs.size()) +
                                 " inputs for model " + base::QuotedName(model_) + ". Got input(s) [" + got +
                                 "], but missing required input(s) [" + missing +
                                 "]. Please provide all required input(s).");
  }

  base::Status CheckInput(const InferTensor& input, const TensorSpec& spec) const {
    if (input.datatype != spec.datatype && !spec.any_datatype) {
      return base::InvalidArgument("inference input " + base::QuotedName(input.name) + " data-type is '" +
                                   std::string(tensor::DataTypeName(input.datatype)) + "', but model " +
                                   base::QuotedName(model_) + " expects '" +
                                   std::string(tensor::DataTypeName(spec.datatype)) + "'");
    }
    if (!FitsShape(input.shape, spec)) return WrongShape(input, spec);
    const bool is_bytes = input.datatype == tensor::DataType::kBytes;
    const auto expected = is_bytes ? tensor::ElementCount(input.shape) : tensor::ByteSize(input.datatype, input.shape);
    if (!expected.has_value()) return expected.error().WithContext("input " + base::QuotedName(input.name));
    if (is_bytes) return CheckBytesElements(input, *expected);
    if (*expected == input.data.size()) return base::OkStatus();
    return base::InvalidArgument("input byte size mismatch for input " + base::QuotedName(input.name) + " for model " +
                                 base::QuotedName(model_) + ". Expected " + std::to_string(*expected) + ", got " +
                                 std::to_string(input.data.size()));
  }

  bool FitsShape(const tensor::Shape& shape, const TensorSpec& spec) const {
    const bool has_rows = signature_.max_batch_size == 0 || shape.rank() > 0;
    return tensor::Matches(spec.shape, shape) || (spec.any_shape && has_rows);
  }

  base::Status WrongShape(const InferTensor& input, const TensorSpec& spec) const {
    std::string text = "unexpected shape for input " + base::QuotedName(input.name) + " for model " +
                       base::QuotedName(model_) + ". Expected " + spec.shape.ToString() + ", got " +
                       input.shape.ToString() + ".";
    // Only where somebody wrote max_batch_size: without a configuration there is nothing to set.
    if (signature_.max_batch_size > 0 && !signature_.accepts_larger_requests) {
      text +=
          " NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended"
          " to each input shape. If you want to specify the full shape including the batch dim in your input dims"
          " config, try setting max_batch_size to zero.";
    }
    return base::InvalidArgument(std::move(text));
  }

  base::Status CheckBytesElements(const InferTensor& input, size_t count) const {
    const base::Status status = tensor::CheckPacked(input.data.bytes(), count);
    if (status.ok()) return status;
    const std::string input_of_model =
        " for inference input " + base::QuotedName(input.name) + " for model " + base::QuotedName(model_);
    const auto got = tensor::CountPacked(input.data.bytes());
    if (!got.has_value()) {
      const std::string what = EndsInLength(input.data.bytes()) ? " length indicator" : " data";
      return base::InvalidArgument("incomplete string" + what + input_of_model + ": " + got.error().message());
    }
    return base::InvalidArgument("expected " + std::to_string(count) + " string elements" + input_of_model + ", got " +
                                 std::to_string(*got));
  }

  base::Status CheckBatch() {
    if (signature_.max_batch_size == 0 || request_.inputs.empty()) return base::OkStatus();
    layout_.rows = request_.inputs[0].shape[0];
    for (const InferTensor& input : request_.inputs) {
      if (input.shape[0] != layout_.rows) {
        return base::InvalidArgument("input " + base::QuotedName(input.name) +
                                     " batch size does not match other inputs for " + base::QuotedName(model_) +
                                     ": expected " + std::to_string(layout_.rows) + ", got " +
                                     std::to_string(input.shape[0]));
      }
    }
    return CheckRows();
  }

  base::Status CheckRows() const {
    int64_t rows_max = signature_.max_batch_size;
    if (signature_.splits_larger_requests) {
      rows_max *= kSplitPartsMax;
    } else if (signature_.accepts_larger_requests) {
      return base::OkStatus();
    }
    if (layout_.rows <= rows_max) return base::OkStatus();
    return base::InvalidArgument("inference request batch-size must be <= " + std::to_string(rows_max) + " for " +
                                 base::QuotedName(model_) + ", got " + std::to_string(layout_.rows));
  }

  base::Status MatchOutputs() {
    if (request_.outputs.empty()) {
      const bool any = std::ranges::any_of(signature_.outputs, [](const TensorSpec& spec) { return !spec.optional; });
      for (size_t i = 0; i < signature_.outputs.size(); ++i) {
        const TensorSpec& spec = signature_.outputs[i];
        if (!spec.optional || (!any && !spec.alternative)) layout_.outputs.push_back(static_cast<int>(i));
      }
      return base::OkStatus();
    }
    boost::container::small_vector<bool, 16> seen(signature_.outputs.size(), false);
    for (const RequestedOutput& output : request_.outputs) {
      const int index = signature_.FindOutput(output.name);
      if (index < 0 || (signature_.outputs[index].alternative && !brings_alternatives_) ||
          !MayName(signature_.outputs[index])) {
        return base::InvalidArgument(kUnknownOutput + base::QuotedName(output.name) + " for model " +
                                     base::QuotedName(model_) +
                                     ", allowed outputs are: " + NameList(signature_.outputs));
      }
      if (seen[index])
        return base::InvalidArgument("output " + base::QuotedName(output.name) + " already exists in request");
      seen[index] = true;
      layout_.outputs.push_back(index);
    }
    return base::OkStatus();
  }

  const InferRequest& request_;
  const std::string_view model_;
  const ModelSignature& signature_;
  RequestLayout& layout_;
  bool brings_alternatives_ = false;
};

}  // namespace

base::Status ValidateRequest(const InferRequest& request, std::string_view model, const ModelSignature& signature,
                             RequestLayout* layout) {
  base::Status status = RequestCheck(request, model, signature, *layout).Run();
  if (status.ok() || request.id.empty()) return status;
  // Triton does not name the request in this text.
  if (status.message().starts_with(kUnknownOutput)) return status;
  return {status.code(), "[request id: " + base::Printable(request.id, kQuotedIdBytesMax) + "] " + status.message()};
}

}  // namespace inferd::core
