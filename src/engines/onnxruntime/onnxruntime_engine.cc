// The ONNX Runtime engine: `.onnx` models on the CPU and on GPUs, through ONNX Runtime's C API.

#include <memory>

#include "base/mutex.h"
#include "engines/kit/cuda/cuda_memory.h"
#include "engines/kit/engine_table.h"
#include "engines/onnxruntime/gpu/append_providers.h"
#include "engines/onnxruntime/library/environment.h"
#include "engines/onnxruntime/library/ort.h"
#include "engines/onnxruntime/onnx_instance.h"
#include "engines/onnxruntime/onnx_model.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

namespace {

// The engine's objects that live as long as the process.
class OnnxEngine final {
 public:
  using Model = OnnxModel;
  using Instance = OnnxInstance;

  static base::Result<std::unique_ptr<OnnxEngine>> Start(const inferd_host* host) {
    INFERD_RETURN_IF_ERROR(OpenOrt());
    INFERD_ASSIGN_OR_RETURN(std::unique_ptr<Environment> environment, Environment::Create(host));
    kit::OpenCudaMemory(host, WhyNoCudaProvider());
    return std::unique_ptr<OnnxEngine>(new OnnxEngine(std::move(environment)));
  }

  const inferd_host* host() const { return &environment_->host(); }
  const char* name() const { return "onnxruntime"; }
  const char* version() const { return OrtVersion().data(); }
  const char* default_model_filename() const { return "model.onnx"; }

  base::Result<std::unique_ptr<OnnxModel>> Load(const inferd_load& load) {
    return OnnxModel::Load(*environment_, Watch(), load);
  }

  base::Result<std::unique_ptr<OnnxInstance>> CreateInstance(OnnxModel* model, const inferd_instance_spec& spec) {
    return OnnxInstance::Create(model, spec.kind == INFERD_INSTANCE_GPU ? spec.device : kOnCpu);
  }

  const inferd_device_memory* device_memory() const { return kit::CudaMemory(); }

 private:
  explicit OnnxEngine(std::unique_ptr<Environment> environment) : environment_(std::move(environment)) {}

  // Returns one watch for all models, which exists as long as there are any.
  std::shared_ptr<CancelWatch> Watch() {
    base::MutexLock lock(mutex_);
    std::shared_ptr<CancelWatch> shared = watch_.lock();
    if (shared == nullptr) watch_ = shared = std::make_shared<CancelWatch>(host());
    return shared;
  }

  std::unique_ptr<Environment> environment_;
  base::Mutex mutex_;
  std::weak_ptr<CancelWatch> watch_ GUARDED_BY(mutex_);
};

}  // namespace

}  // namespace inferd::onnxruntime

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::onnxruntime::OnnxEngine>::Open(host, error);
}
