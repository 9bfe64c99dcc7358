// The ONNX Runtime engine: `.onnx` models on the CPU, through ONNX Runtime's C API.

#include <memory>
#include <string>

#include "base/mutex.h"
#include "engines/onnxruntime/environment.h"
#include "engines/onnxruntime/onnx_instance.h"
#include "engines/onnxruntime/onnx_model.h"
#include "engines/onnxruntime/ort.h"
#include "inferd/engine_abi.h"

struct inferd_model {
  std::unique_ptr<inferd::onnxruntime::OnnxModel> model;
};

struct inferd_instance {
  std::unique_ptr<inferd::onnxruntime::OnnxInstance> instance;
};

namespace inferd::onnxruntime {

namespace {

// What the library needs as long as the process lives.
struct Engine {
  std::unique_ptr<Environment> environment;
  inferd_engine table = {};

  // One watch for all models, while there are any.
  std::shared_ptr<CancelWatch> Watch() {
    base::MutexLock lock(mutex);
    std::shared_ptr<CancelWatch> shared = watch.lock();
    if (shared == nullptr) watch = shared = std::make_shared<CancelWatch>(&environment->host());
    return shared;
  }

  base::Mutex mutex;
  std::weak_ptr<CancelWatch> watch GUARDED_BY(mutex);
};

Engine* engine = nullptr;  // set once, before anything else is called

int32_t SetError(const inferd_host* host, inferd_error* error, const base::Status& status) {
  host->set_error(error, static_cast<int32_t>(status.code()), {status.message().data(), status.message().size()});
  return static_cast<int32_t>(status.code());
}

int32_t SetError(inferd_error* error, const base::Status& status) {
  return SetError(&engine->environment->host(), error, status);
}

int32_t Load(const inferd_load* load, inferd_model** model, inferd_error* error) {
  auto loaded = OnnxModel::Load(*engine->environment, engine->Watch(), *load);
  if (!loaded) return SetError(error, loaded.error());
  *model = new inferd_model{*std::move(loaded)};
  return INFERD_OK;
}

void Unload(inferd_model* model) { delete model; }

const inferd_signature* Signature(inferd_model* model) { return model->model->signature().abi(); }

int32_t CreateInstance(inferd_model* model, const inferd_instance_spec*, inferd_instance** instance,
                       inferd_error* error) {
  auto created = OnnxInstance::Create(model->model.get());
  if (!created) return SetError(error, created.error());
  *instance = new inferd_instance{*std::move(created)};
  return INFERD_OK;
}

void DestroyInstance(inferd_instance* instance) { delete instance; }

int32_t Execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
  const base::Status status = instance->instance->Execute(*batch);
  if (status.ok()) return INFERD_FINISHED;
  SetError(error, status);
  return INFERD_FAILED;
}

base::Status Start(const inferd_host* host) {
  INFERD_RETURN_IF_ERROR(OpenOrt());
  auto started = std::make_unique<Engine>();
  INFERD_ASSIGN_OR_RETURN(started->environment, Environment::Create(host));
  started->table = {sizeof(inferd_engine),
                    INFERD_ENGINE_ABI_VERSION,
                    "onnxruntime",
                    OrtVersion().data(),
                    "model.onnx",
                    Load,
                    Unload,
                    Signature,
                    CreateInstance,
                    DestroyInstance,
                    Execute};
  engine = started.release();
  return base::OkStatus();
}

}  // namespace

}  // namespace inferd::onnxruntime

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  using inferd::onnxruntime::engine;
  if (engine != nullptr) return &engine->table;
  if (const inferd::base::Status status = inferd::onnxruntime::Start(host); !status.ok()) {
    inferd::onnxruntime::SetError(host, error, status);
    return nullptr;
  }
  return &engine->table;
}
