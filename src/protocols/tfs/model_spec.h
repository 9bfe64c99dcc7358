#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/tensor/data_type.h"
#include "protocols/tfs/signature_method.h"
#include "serving/core/dispatcher.h"

namespace inferd::tfs {

// The signature that requests mean which name none, and the name of a signature without one.
inline constexpr std::string_view kServingDefault = "serving_default";

inline std::string_view MeantSignature(std::string_view name) { return name.empty() ? kServingDefault : name; }

inline std::string_view SignatureName(const core::ModelSignature& signature) { return MeantSignature(signature.name); }

// The one that a request means by `name`, by its place in the model's signatures; none: there is no such signature.
std::optional<uint32_t> FindSignature(const core::PinnedModel& model, std::string_view name);

// Of a signature that FindSignature does not find: UNIMPLEMENTED if the model has it, and it cannot be served. OK
// otherwise.
base::Status CheckServed(const core::PinnedModel& model, std::string_view name);

// What metadata have: these, and those that nobody can ask for.
std::vector<const core::ModelSignature*> SignaturesToShow(const core::PinnedModel& model);

// What kind of answer it gives; models that do not say predict.
inline std::string_view MethodName(const core::ModelSignature& signature) {
  return signature.name.empty() ? kPredictMethod : std::string_view(signature.method_name);
}

// What metadata say that a tensor is called inside the model.
inline const std::string& GraphName(const core::TensorSpec& tensor) {
  return tensor.graph_name.empty() ? tensor.name : tensor.graph_name;
}

// FP16, BF16, FP32 or FP64.
constexpr bool IsFloat(tensor::DataType type) {
  using tensor::DataType;
  return type == DataType::kFp16 || type == DataType::kFp32 || type == DataType::kFp64 || type == DataType::kBf16;
}

// What a request says of a model: a copy that outlives it.
struct ModelSpec {
  std::string model;
  std::string version;  // decimal, without leading zeros; empty: the server chooses
  std::string label;    // empty: none

  ModelSpec(std::string_view name, std::string_view digits, std::string_view label_text)
      : model(name), version(digits), label(label_text) {
    version.erase(0, std::min(version.find_first_not_of('0'), version.size() - (version.empty() ? 0 : 1)));
  }

  // No model, as long as a label stands for the version.
  core::VersionName Name() const {
    return label.empty() ? core::VersionName{.model = model, .version = version} : core::VersionName{};
  }
};

// Of a version that the server has, as text.
int64_t VersionNumber(std::string_view version);

// OK, or INVALID_ARGUMENT: a version beyond 63 bits.
base::Status CheckModelSpec(const ModelSpec& spec);

// Puts the version that a label names in the label's place. INVALID_ARGUMENT: the model has no such label.
base::Status ResolveLabel(core::Dispatcher& dispatcher, ModelSpec& spec);

// What is known and not ready: said to be so, or, as by TensorFlow Serving's server, not to be found.
enum class Unready { kUnavailable, kNotFound };

// The version that answers; it is in `spec` afterwards if a label named it. Errors are CheckModelSpec's and
// ResolveLabel's; NOT_FOUND in TensorFlow Serving's words; UNAVAILABLE for what is known and not ready, with its
// reason.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, ModelSpec& spec,
                                                                 Unready unready = Unready::kUnavailable);

}  // namespace inferd::tfs
