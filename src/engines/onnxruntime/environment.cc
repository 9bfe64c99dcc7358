#include "engines/onnxruntime/environment.h"

#include <string>

namespace inferd::onnxruntime {

namespace {

void ORT_API_CALL Log(void* host_pointer, OrtLoggingLevel severity, const char*, const char*, const char*,
                      const char* message) {
  const auto* host = static_cast<const inferd_host*>(host_pointer);
  const int32_t level = severity >= ORT_LOGGING_LEVEL_ERROR     ? INFERD_LOG_ERROR
                        : severity == ORT_LOGGING_LEVEL_WARNING ? INFERD_LOG_WARNING
                                                                : INFERD_LOG_VERBOSE;
  if (host->log_enabled(host, level) == 0) return;
  const std::string line = std::string("onnxruntime: ") + message;
  host->log(host, level, {line.data(), line.size()});
}

}  // namespace

base::Result<std::unique_ptr<Environment>> Environment::Create(const inferd_host* host) {
  std::unique_ptr<Environment> environment(new Environment(host));
  OrtThreadingOptions* threading = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateThreadingOptions(&threading)));
  const ThreadingOptionsOwner threading_owner(threading);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetGlobalIntraOpNumThreads(threading, host->cpu_threads)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetGlobalInterOpNumThreads(threading, 1)));
  // Idle workers that spin cost several times what a small model computes.
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetGlobalSpinControl(threading, 0)));
  OrtEnv* env = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateEnvWithCustomLoggerAndGlobalThreadPools(
      Log, const_cast<inferd_host*>(host), ORT_LOGGING_LEVEL_WARNING, "inferd", threading, &env)));
  environment->env_.reset(env);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().DisableTelemetryEvents(env)));
  OrtMemoryInfo* memory = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory)));
  environment->cpu_memory_.reset(memory);
  return environment;
}

}  // namespace inferd::onnxruntime
