// The Python engine, for models that are Python source. Each instance runs in its own interpreter.

#include <dlfcn.h>

#include <filesystem>
#include <memory>

#include "engines/kit/engine_table.h"
#include "engines/python/python_instance.h"
#include "engines/python/python_model.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

namespace {

// Returns the path of the workers' program: lib/inferd/python/inferd_python_worker.py, for this library
// lib/inferd/engines/python.so.
std::filesystem::path WorkerProgram() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&inferd_engine_v1), &info) == 0) return {};
  std::error_code none;
  const std::filesystem::path engine = std::filesystem::absolute(info.dli_fname, none);
  return engine.parent_path().parent_path() / "python" / "inferd_python_worker.py";
}

class PythonEngine final {
 public:
  using Model = PythonModel;
  using Instance = PythonInstance;

  static base::Result<std::unique_ptr<PythonEngine>> Start(const inferd_host* host) {
    std::filesystem::path worker = WorkerProgram();
    std::error_code none;
    if (!std::filesystem::exists(worker, none)) {
      return std::unexpected(base::FailedPrecondition("'" + worker.string() + "' is not there"));
    }
    return std::unique_ptr<PythonEngine>(new PythonEngine(host, std::move(worker)));
  }

  const inferd_host* host() const { return host_; }
  const char* name() const { return "python"; }
  const char* version() const { return "1"; }
  const char* default_model_filename() const { return "model.py"; }

  base::Result<std::unique_ptr<PythonModel>> Load(const inferd_load& load) {
    return PythonModel::Load(*host_, worker_, load, {.sessions = sessions_, .workers = &workers_});
  }

  base::Result<std::unique_ptr<PythonInstance>> CreateInstance(PythonModel* model, const inferd_instance_spec& spec) {
    return PythonInstance::Create(model, spec);
  }

 private:
  PythonEngine(const inferd_host* host, std::filesystem::path worker) : host_(host), worker_(std::move(worker)) {}

  const inferd_host* const host_;
  const std::filesystem::path worker_;
  SharedWorkerTable<WorkerLink> workers_;
  const std::shared_ptr<WorkerSessions> sessions_ = std::make_shared<WorkerSessions>(WorkerSessions::Orphans::kAdopt);
};

}  // namespace

}  // namespace inferd::python

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::python::PythonEngine>::Open(host, error);
}
