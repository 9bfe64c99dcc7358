#include "protocols/tfs/serialized_examples.h"

#include <utility>

#include "data/tensor/bytes.h"
#include "data/wire/append.h"
#include "protocols/tfs/signature_method.h"

namespace inferd::tfs {

namespace {

// Field numbers of example.proto and feature.proto.
constexpr uint32_t kExampleFeatures = 1;
constexpr uint32_t kFeaturesEntry = 1;
constexpr uint32_t kEntryKey = 1;
constexpr uint32_t kEntryValue = 2;
constexpr uint32_t kFeatureBytes = 1;
constexpr uint32_t kFeatureFloats = 2;
constexpr uint32_t kFeatureInt64s = 3;
constexpr uint32_t kListValue = 1;

constexpr size_t kOverheadMax = 32;  // tags and lengths around one example

std::string BytesList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) wire::AppendBytes(kListValue, text, &list);
  return list;
}

std::string FloatList(const std::vector<double>& reals) {
  std::string packed;
  for (const double real : reals) {
    const auto value = static_cast<float>(real);
    packed.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  std::string list;
  wire::AppendBytes(kListValue, packed, &list);
  return list;
}

std::string Int64List(const std::vector<int64_t>& integers) {
  std::string packed;
  for (const int64_t value : integers) wire::AppendVarint(static_cast<uint64_t>(value), &packed);
  std::string list;
  wire::AppendBytes(kListValue, packed, &list);
  return list;
}

}  // namespace

bool TakesSerialized(const core::ModelSignature& signature) {
  if (signature.inputs.size() != 1) return false;
  const core::TensorSpec& input = signature.inputs.front();
  if (input.datatype != tensor::DataType::kBytes) return false;
  if (signature.method_name == kClassifyMethod || signature.method_name == kRegressMethod) return true;
  // TensorFlow 2 saves every signature as one for Predict, whatever its graph does with its input.
  return signature.method_name == kPredictMethod && (input.name == "inputs" || input.name == "examples");
}

void SerializedExamples::AppendFeature(std::string_view name, const Feature& feature, std::string* features) {
  std::string value;
  switch (feature.kind) {
    case Feature::Kind::kNone: break;
    case Feature::Kind::kBytes: wire::AppendBytes(kFeatureBytes, BytesList(feature.texts), &value); break;
    case Feature::Kind::kFloat: wire::AppendBytes(kFeatureFloats, FloatList(feature.reals), &value); break;
    case Feature::Kind::kInt64: wire::AppendBytes(kFeatureInt64s, Int64List(feature.integers), &value); break;
  }
  std::string entry;
  wire::AppendBytes(kEntryKey, name, &entry);
  wire::AppendBytes(kEntryValue, value, &entry);
  wire::AppendBytes(kFeaturesEntry, entry, features);
}

base::Result<core::InferTensor> SerializedExamples::Take(const std::string& input, uint64_t bytes_max) {
  uint64_t bytes = 0;
  for (const std::string& example : examples_) bytes += example.size() + context_.size() + kOverheadMax;
  if (!context_.empty() && bytes > bytes_max) {
    return std::unexpected(base::ResourceExhausted("the context's features, for " + std::to_string(examples_.size()) +
                                                   " examples, are more than " + std::to_string(bytes_max) + " bytes"));
  }
  tensor::BytesPacker packer(bytes);
  std::string message;
  for (const std::string& example : examples_) {
    message.clear();
    wire::AppendBytes(kExampleFeatures, context_ + example, &message);
    INFERD_RETURN_IF_ERROR(packer.Append(message));
  }
  core::InferTensor tensor;
  tensor.name = input;
  tensor.datatype = tensor::DataType::kBytes;
  tensor.shape = {static_cast<int64_t>(examples_.size())};
  tensor.data = base::BufferSlice(packer.Take());
  return tensor;
}

}  // namespace inferd::tfs
