#pragma once

#include <memory>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/core.hpp>
#include <optional>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/openvino/compile_settings.h"
#include "engines/openvino/ov_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// A model that was read, and is compiled for each instance: executions of one compiled model wait for each other unless
// the library has threads of its own for them. Thread-safe.
class OvModel final {
 public:
  // NOT_FOUND: no model file. INVALID_ARGUMENT: OpenVINO cannot read or compile it, or it takes or gives what cannot be
  // served.
  static base::Result<std::unique_ptr<OvModel>> Load(const inferd_host* host, ov::Core* core, const inferd_load& load);

  const inferd_host& host() const { return *host_; }
  const OvSignature& tensors() const { return signature_; }
  const inferd_signature* signature() const { return signature_.abi(); }

  // What an instance executes. The first one is compiled while the model loads, so that a model that cannot be is not
  // loaded.
  base::Result<ov::CompiledModel> TakeCompiled();

 private:
  OvModel(const inferd_host* host, ov::Core* core, std::shared_ptr<const ov::Model> model, ov::AnyMap properties,
          OvSignature signature)
      : host_(host),
        core_(core),
        model_(std::move(model)),
        properties_(std::move(properties)),
        signature_(std::move(signature)) {}

  base::Result<ov::CompiledModel> Compile() const;

  const inferd_host* host_;
  ov::Core* core_;  // the engine's, which outlives its models
  const std::shared_ptr<const ov::Model> model_;
  const ov::AnyMap properties_;
  const OvSignature signature_;
  base::Mutex mutex_;
  std::optional<ov::CompiledModel> first_ GUARDED_BY(mutex_);
};

}  // namespace inferd::openvino
