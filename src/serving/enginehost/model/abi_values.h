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

// Where a failing engine call says why (engine_abi.h keeps it opaque).
struct inferd_error {
  inferd::base::Status status;
};

namespace inferd::enginehost {

// The ABI's plain values and the server's types, each made from the other.

inline inferd_text ToText(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToView(inferd_text text) {
  return text.data == nullptr ? "" : std::string_view(text.data, text.size);
}

// What clients, logs and histories get of an engine's message: a model's own text may have any length.
inline constexpr size_t kMessageBytesMax = size_t{64} << 10;

// A status with an engine's code, which may be any number: an unknown one reads as INTERNAL. Not for INFERD_OK. A
// message of more than kMessageBytesMax ends there, before a character that it would cut, with "...".
base::Status ToStatus(int32_t code, std::string_view message);

// `to` points into `value` afterwards.
void FillParameter(const core::ParameterValue& value, inferd_parameter* to);
// Of a text, at most its first `bytes_max`. nullopt: there is no such kind, or the text is nowhere.
std::optional<core::ParameterValue> ToParameterValue(const inferd_parameter& parameter, size_t bytes_max = SIZE_MAX);

// What an engine says about its model, checked: names unique and not empty, known datatypes, ranks within the limit,
// dimensions >= -1. INTERNAL says what is wrong.
base::Result<core::ModelSignature> ToSignature(const inferd_signature& signature);

// The inputs and outputs of a configuration in the ABI's form, as the engine is to see them: reshaped, ragged ones as
// one row of elements, and with the inputs that the server makes (batch_input, controls of sequences) behind those of
// clients. Views into the configuration, which must outlive it.
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
