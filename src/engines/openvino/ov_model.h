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

// A model that is read once and compiled for each instance: executions of one compiled model would wait for each other,
// unless the library has threads of its own for them. Thread-safe.
class OvModel final {
 public:
  // NOT_FOUND if there is no model file. INVALID_ARGUMENT if OpenVINO cannot read or compile it, or its inputs or
  // outputs cannot be served.
  static base::Result<std::unique_ptr<OvModel>> Load(const inferd_host* host, ov::Core* core, const inferd_load& load);

  const inferd_host& host() const { return *host_; }
  const OvSignature& tensors() const { return signature_; }
  const inferd_signature* signature() const { return signature_.abi(); }

  // Returns the compiled model for an instance. The first one is compiled during the load, so that a model that cannot
  // be compiled fails to load.
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
