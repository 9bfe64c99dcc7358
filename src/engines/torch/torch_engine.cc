// The part of the torch engine that is linked with libtorch: TorchScript files, on the CPU, through its C++ API.

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <memory>
#include <string>

#include "engines/kit/engine_table.h"
#include "engines/torch/function/error_text.h"
#include "engines/torch/torch_instance.h"
#include "engines/torch/torch_model.h"
#include "inferd/engine_abi.h"

namespace inferd::torchscript {

namespace {

// Writes warnings of the library and of models to the server's log. Thread-safe.
class WarningLog final : public c10::WarningHandler {
 public:
  explicit WarningLog(const inferd_host* host) : host_(host) {}

  void process(const c10::Warning& warning) override {
    const std::string line = "libtorch: " + ErrorText(warning.msg());
    host_->log(host_, INFERD_LOG_WARNING, {line.data(), line.size()});
  }

 private:
  const inferd_host* host_;
};

class TorchEngine final {
 public:
  using Model = TorchModel;
  using Instance = TorchInstance;

  static base::Result<std::unique_ptr<TorchEngine>> Start(const inferd_host* host) {
    // Sets the default for the process and for new threads; an instance sets the number of its own executions. Branches
    // of a model (torch.jit.fork) do not run in parallel.
    at::set_num_threads(1);
    at::set_num_interop_threads(1);
    return std::unique_ptr<TorchEngine>(new TorchEngine(host));
  }

  const inferd_host* host() const { return host_; }
  const char* name() const { return "torch"; }
  const char* version() const { return TORCH_VERSION; }
  const char* default_model_filename() const { return "model.pt"; }

  base::Result<std::unique_ptr<TorchModel>> Load(const inferd_load& load) { return TorchModel::Load(host_, load); }
  base::Result<std::unique_ptr<TorchInstance>> CreateInstance(TorchModel* model) {
    return TorchInstance::Create(model);
  }

 private:
  explicit TorchEngine(const inferd_host* host) : host_(host), warnings_(host) {
    c10::WarningUtils::set_warning_handler(&warnings_);
  }

  const inferd_host* host_;
  WarningLog warnings_;
};

}  // namespace

}  // namespace inferd::torchscript

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::torchscript::TorchEngine>::Open(host, error);
}
