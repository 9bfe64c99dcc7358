#include "engines/onnxruntime/library/environment.h"

#include <cstdlib>
#include <string>

namespace inferd::onnxruntime {

namespace {

thread_local int quiet_errors = 0;

int32_t LevelOf(OrtLoggingLevel severity) {
  if (severity >= ORT_LOGGING_LEVEL_ERROR) return quiet_errors > 0 ? INFERD_LOG_VERBOSE : INFERD_LOG_ERROR;
  return severity == ORT_LOGGING_LEVEL_WARNING ? INFERD_LOG_WARNING : INFERD_LOG_VERBOSE;
}

void ORT_API_CALL Log(void* host_pointer, OrtLoggingLevel severity, const char*, const char*, const char*,
                      const char* message) {
  const auto* host = static_cast<const inferd_host*>(host_pointer);
  const int32_t level = LevelOf(severity);
  if (host->log_enabled(host, level) == 0) return;
  const std::string line = std::string("onnxruntime: ") + message;
  host->log(host, level, {line.data(), line.size()});
}

}  // namespace

QuietErrors::QuietErrors() { ++quiet_errors; }
QuietErrors::~QuietErrors() { --quiet_errors; }

base::Result<std::unique_ptr<Environment>> Environment::Create(const inferd_host* host) {
  // From its first environment on, the library stores events, with a device id, in the user's cache folder, and sends
  // them. DisableTelemetryEvents would come too late.
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  std::unique_ptr<Environment> environment(new Environment(host));
  OrtThreadingOptions* threading = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateThreadingOptions(&threading)));
  const ThreadingOptionsOwner threading_owner(threading);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetGlobalIntraOpNumThreads(threading, host->cpu_threads)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetGlobalInterOpNumThreads(threading, 1)));
  // Spinning idle workers would cost several times as much as a small model computes.
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
