#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "inferd/engine_abi.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

// Receives the reason for a failed engine call (opaque in engine_abi.h).
struct inferd_error {
  inferd::base::Status status;
};

namespace inferd::enginehost {

// Conversions between the ABI's plain values and the server's types.

inline inferd_text ToText(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToView(inferd_text text) {
  return text.data == nullptr ? "" : std::string_view(text.data, text.size);
}

// The limit for an engine's message, which clients, logs and histories get. A model's own text may have any length.
inline constexpr size_t kMessageBytesMax = size_t{64} << 10;

// Makes a status from an engine's code. Unknown codes become INTERNAL. Not for INFERD_OK. A message above
// kMessageBytesMax is cut there, between characters, and ends with "...".
base::Status ToStatus(int32_t code, std::string_view message);

// Fills `*to`, which then points into `value`.
void FillParameter(const core::ParameterValue& value, inferd_parameter* to);
// Cuts a text to `bytes_max` bytes. nullopt if the kind is unknown or a text has no memory.
std::optional<core::ParameterValue> ToParameterValue(const inferd_parameter& parameter, size_t bytes_max = SIZE_MAX);

// Converts an engine's signature and checks it: unique names that are not empty, known datatypes, ranks within the
// limit, dimensions >= -1. INTERNAL, with the reason, if it is wrong.
base::Result<core::ModelSignature> ToSignature(const inferd_signature& signature);

// The inputs and outputs of a configuration in the ABI's form, as the engine must see them: reshaped, with ragged
// inputs as one row of elements, and with the inputs that the server makes (batch_input, controls of sequences) after
// the clients' inputs. Contains views into the configuration, which must outlive it.
class DeclaredSignature final {
 public:
  explicit DeclaredSignature(const config::ModelConfig& config);
  DeclaredSignature(const DeclaredSignature&) = delete;
  DeclaredSignature& operator=(const DeclaredSignature&) = delete;

  const inferd_signature* get() const { return &signature_; }

 private:
  struct Spec {
    inferd_tensor_spec abi = {};
    tensor::Shape shape;
  };
  void Add(std::string_view name, tensor::DataType datatype, const tensor::Shape& dims, bool optional, bool batches,
           std::vector<const inferd_tensor_spec*>* list);

  std::vector<std::unique_ptr<Spec>> specs_;
  std::vector<const inferd_tensor_spec*> inputs_;
  std::vector<const inferd_tensor_spec*> outputs_;
  inferd_signature signature_ = {};
};

}  // namespace inferd::enginehost
