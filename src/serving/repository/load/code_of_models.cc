#include "serving/repository/load/code_of_models.h"

#include <string>
#include <string_view>

namespace inferd::repository {

namespace {

struct EngineOfCode {
  std::string_view engine;
  std::string_view why;
};

// The forest, ONNX Runtime and OpenVINO engines only compute with one file and open no other. ONNX Runtime's
// entries that name files, and engine extensions, come from the command line alone.
constexpr EngineOfCode kEngines[] = {
    {"python",
     "its engine runs Python: model.py, pickles, MLflow's and Keras' functions, and the environments that they name"},
    {"tensorflow", "its graph may read and write files of the server (ReadFile, WriteFile)"},
    {"torch", "its program may read and write files of the server (from_file), or be native code (AOTInductor)"},
};

}  // namespace

base::Status CheckRunsNoCode(const config::ModelConfig& resolved) {
  const auto refuse = [&resolved](std::string_view why) {
    return base::PermissionDenied("model '" + resolved.name +
                                  "' came with the call, and is not loaded: " + std::string(why) +
                                  ". This is taken from the server's user and root on this machine only; "
                                  "--control-from=anyone, or a rule of access for such calls, lets others in");
  };
  for (const EngineOfCode& each : kEngines) {
    if (resolved.engine == each.engine) return refuse(each.why);
  }
  if (!resolved.op_library_filenames.empty()) return refuse("it names libraries of operators");
  return base::OkStatus();
}

}  // namespace inferd::repository
