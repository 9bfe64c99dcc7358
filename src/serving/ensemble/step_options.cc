#include "serving/ensemble/step_options.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/text/printable.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"

namespace inferd::ensemble {

namespace {

using tensor::DataType;

constexpr int64_t kDefaultElementsMax = int64_t{1} << 20;

template <typename T>
std::string BytesOf(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename T>
std::optional<std::string> Whole(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(BytesOf(value)) : std::nullopt;
}

std::optional<double> Real(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

// Returns the bytes of one element.
std::optional<std::string> ElementOf(DataType datatype, const std::string& text) {
  const auto real = [&](auto narrow) -> std::optional<std::string> {
    const auto value = Real(text);
    return value.has_value() ? std::optional(BytesOf(narrow(*value))) : std::nullopt;
  };
  switch (datatype) {
    case DataType::kBool:
      if (text == "true" || text == "1") return BytesOf<uint8_t>(1);
      return text == "false" || text == "0" ? std::optional(BytesOf<uint8_t>(0)) : std::nullopt;
    case DataType::kUint8: return Whole<uint8_t>(text);
    case DataType::kUint16: return Whole<uint16_t>(text);
    case DataType::kUint32: return Whole<uint32_t>(text);
    case DataType::kUint64: return Whole<uint64_t>(text);
    case DataType::kInt8: return Whole<int8_t>(text);
    case DataType::kInt16: return Whole<int16_t>(text);
    case DataType::kInt32: return Whole<int32_t>(text);
    case DataType::kInt64: return Whole<int64_t>(text);
    case DataType::kFp16: return real(static_cast<uint16_t (*)(double)>(tensor::DoubleToHalf));
    case DataType::kBf16: return real(static_cast<uint16_t (*)(double)>(tensor::DoubleToBf16));
    case DataType::kFp32: return real([](double value) { return static_cast<float>(value); });
    case DataType::kFp64: return real([](double value) { return value; });
    case DataType::kBytes: return BytesOf(static_cast<uint32_t>(text.size())) + text;
    default: return std::nullopt;
  }
}

std::string Repeated(std::string_view element, int64_t count) {
  std::string bytes;
  bytes.reserve(element.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) bytes += element;
  return bytes;
}

base::Result<core::InferTensor> ValueOf(const config::EnsembleDefault& given, DataType datatype, tensor::Shape shape) {
  if (given.dims.has_value()) shape = *given.dims;
  const auto count = shape.ElementCount();
  if (!count.has_value() || *count > kDefaultElementsMax) {
    return std::unexpected(
        base::InvalidArgument("must specify 'dims', as the model leaves its shape " + shape.ToString() + " open"));
  }
  const auto element = ElementOf(datatype, *given.value);
  if (!element.has_value()) {
    return std::unexpected(base::InvalidArgument(base::QuotedName(*given.value) + " is no value of " +
                                                 std::string(tensor::DataTypeName(datatype))));
  }
  core::InferTensor value;
  value.datatype = datatype;
  value.shape = shape;
  value.data = base::BufferSlice(base::Buffer::CopyOf(Repeated(*element, *count)));
  return value;
}

// If the ensemble does not batch, `dims` may already contain the batch dimension of the step's model.
bool IsPerRow(const core::InferTensor& value, const TensorForm& made, bool ensemble_batches) {
  if (!made.known()) return ensemble_batches;
  return made.batches && (ensemble_batches || value.shape.rank() + 1 == made.rank);
}

base::Status AddConditions(Plan& plan, size_t step, const config::EnsembleStep& written, const TensorTypes& types) {
  for (size_t i = 0; i < written.when.size(); ++i) {
    const config::EnsembleCondition& when = written.when[i];
    const size_t tensor = when.of_parameter ? 0 : plan.FindTensor(when.subject);
    auto condition = Condition::Make(when, when.of_parameter ? DataType::kInvalid : types.datatype(tensor));
    if (!condition.has_value()) {
      return base::InvalidArgument("in ensemble " + plan.ensemble + ", step " + std::to_string(step) +
                                   ": inferd.when[" + std::to_string(i) + "] (" + when.ToString() +
                                   "): " + condition.error().message());
    }
    plan.steps[step].conditions.push_back({.parameter = when.of_parameter ? when.subject : std::string(),
                                           .tensor = tensor,
                                           .text = when.ToString(),
                                           .condition = *std::move(condition)});
  }
  return base::OkStatus();
}

base::Status AddDefaults(Plan& plan, size_t step, const config::EnsembleStep& written, const TensorTypes& types) {
  for (size_t i = 0; i < written.defaults.size(); ++i) {
    const config::EnsembleDefault& given = written.defaults[i];
    const size_t tensor = plan.FindTensor(written.outputs.at(given.output));
    Plan::Default made{.output = given.output};
    const auto where = [&](const std::string& text) {
      return base::InvalidArgument("in ensemble " + plan.ensemble + ", step " + std::to_string(step) +
                                   ": inferd.default[" + std::to_string(i) + "] (output " +
                                   base::QuotedName(given.output) + "): " + text);
    };
    if (given.value.has_value()) {
      auto value = ValueOf(given, types.datatype(tensor), types.RowShape(tensor));
      if (!value.has_value()) return where(value.error().message());
      made.value = *std::move(value);
      made.per_row = IsPerRow(made.value, types.made(tensor), plan.batches);
    } else {
      made.source = plan.FindTensor(given.tensor);
      if (types.datatype(made.source) != types.datatype(tensor)) {
        return where("tensor '" + given.tensor + "' is " +
                     std::string(tensor::DataTypeName(types.datatype(made.source))) + ", and the output is " +
                     std::string(tensor::DataTypeName(types.datatype(tensor))));
      }
    }
    plan.steps[step].defaults.push_back(std::move(made));
  }
  return base::OkStatus();
}

}  // namespace

base::Status AddOptions(Plan& plan, const config::Ensemble& ensemble, const TensorTypes& types) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    INFERD_RETURN_IF_ERROR(AddConditions(plan, i, ensemble.steps[i], types));
    INFERD_RETURN_IF_ERROR(AddDefaults(plan, i, ensemble.steps[i], types));
  }
  return base::OkStatus();
}

core::InferTensor RowsOf(const core::InferTensor& value, std::optional<int64_t> rows) {
  core::InferTensor tensor = value;
  if (!rows.has_value()) return tensor;
  tensor.shape.Prepend(*rows);
  if (*rows != 1) tensor.data = base::BufferSlice(base::Buffer::CopyOf(Repeated(value.data.view(), *rows)));
  return tensor;
}

}  // namespace inferd::ensemble
