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

// The signature for requests that name none, and the name of a signature without one.
inline constexpr std::string_view kServingDefault = "serving_default";

inline std::string_view MeantSignature(std::string_view name) { return name.empty() ? kServingDefault : name; }

inline std::string_view SignatureName(const core::ModelSignature& signature) { return MeantSignature(signature.name); }

// Returns the index of the signature that a request means by `name`, or nullopt if there is none.
std::optional<uint32_t> FindSignature(const core::PinnedModel& model, std::string_view name);

// For a signature that FindSignature() does not find: UNIMPLEMENTED if the model has it but it cannot be served, else
// OK.
base::Status CheckServed(const core::PinnedModel& model, std::string_view name);

// Returns the signatures for the metadata: the callable ones, and the others.
std::vector<const core::ModelSignature*> SignaturesToShow(const core::PinnedModel& model);

// Returns the signature's method; signatures without one predict.
inline std::string_view MethodName(const core::ModelSignature& signature) {
  return signature.name.empty() ? kPredictMethod : std::string_view(signature.method_name);
}

// Returns a tensor's name inside the model, for metadata.
inline const std::string& GraphName(const core::TensorSpec& tensor) {
  return tensor.graph_name.empty() ? tensor.name : tensor.graph_name;
}

// Returns true for FP16, BF16, FP32 and FP64.
constexpr bool IsFloat(tensor::DataType type) {
  using tensor::DataType;
  return type == DataType::kFp16 || type == DataType::kFp32 || type == DataType::kFp64 || type == DataType::kBf16;
}

// A request's reference to a model: a copy that outlives the request.
struct ModelSpec {
  std::string model;
  std::string version;  // decimal, without leading zeros; empty if the server chooses
  std::string label;    // empty if none

  ModelSpec(std::string_view name, std::string_view digits, std::string_view label_text)
      : model(name), version(digits), label(label_text) {
    version.erase(0, std::min(version.find_first_not_of('0'), version.size() - (version.empty() ? 0 : 1)));
  }

  // Empty as long as a label represents the version.
  core::VersionName Name() const {
    return label.empty() ? core::VersionName{.model = model, .version = version} : core::VersionName{};
  }
};

// Returns the number of a version that the server has.
int64_t VersionNumber(std::string_view version);

// Returns OK, or INVALID_ARGUMENT for a version beyond 63 bits.
base::Status CheckModelSpec(const ModelSpec& spec);

// Replaces a label by the version that it names. INVALID_ARGUMENT if the model has no such label.
base::Status ResolveLabel(core::Dispatcher& dispatcher, ModelSpec& spec);

// The error for a known model that is not ready: unavailable or, as in TensorFlow Serving's server, not found.
enum class Unready { kUnavailable, kNotFound };

// Returns the version that answers, and sets it in `spec` if a label named it. Errors are those of CheckModelSpec() and
// ResolveLabel(). NOT_FOUND in TensorFlow Serving's words. UNAVAILABLE, with the reason, if it is known but not ready.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, ModelSpec& spec,
                                                                 Unready unready = Unready::kUnavailable);

}  // namespace inferd::tfs
