// The TensorFlow engine: SavedModels and frozen graphs on the CPU, through TensorFlow's C API.

#include <memory>
#include <mutex>
#include <string>

#include "engines/kit/engine_table.h"
#include "engines/tensorflow/tf.h"
#include "engines/tensorflow/tf_instance.h"
#include "engines/tensorflow/tf_model.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

namespace {

const inferd_host* log_host = nullptr;  // global, since the listener gets no argument

// Logs the output of models' tf.print.
void LogPrinted(const char* text) {
  if (log_host->log_enabled(log_host, INFERD_LOG_INFO) == 0) return;
  std::string line = std::string("tensorflow: ") + text;
  while (line.ends_with('\n')) line.pop_back();
  log_host->log(log_host, INFERD_LOG_INFO, {line.data(), line.size()});
}

class TensorflowEngine final {
 public:
  using Model = TfModel;
  using Instance = TfInstance;

  static base::Result<std::unique_ptr<TensorflowEngine>> Start(const inferd_host* host) {
    PrepareTf();
    return std::unique_ptr<TensorflowEngine>(new TensorflowEngine(host));
  }

  const inferd_host* host() const { return host_; }
  const char* name() const { return "tensorflow"; }
  const char* version() const { return INFERD_TENSORFLOW_VERSION; }
  const char* default_model_filename() const { return "model.savedmodel"; }

  base::Result<std::unique_ptr<TfModel>> Load(const inferd_load& load) {
    INFERD_RETURN_IF_ERROR(OpenTf());
    std::call_once(listening_, [this] {
      log_host = host_;
      Tf().RegisterLogListener(LogPrinted);
    });
    return TfModel::Load(host_, load);
  }

  base::Result<std::unique_ptr<TfInstance>> CreateInstance(TfModel* model, size_t signature) {
    return std::make_unique<TfInstance>(model, signature);
  }

 private:
  explicit TensorflowEngine(const inferd_host* host) : host_(host) {}

  const inferd_host* host_;
  std::once_flag listening_;
};

}  // namespace

}  // namespace inferd::tensorflow

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error* error) {
  return inferd::kit::EngineTable<inferd::tensorflow::TensorflowEngine>::Open(host, error);
}
