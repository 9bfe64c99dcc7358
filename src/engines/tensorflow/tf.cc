#include "engines/tensorflow/tf.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace inferd::tensorflow {

namespace {

TfApi api;  // filled once by OpenTf

constexpr const char* kLibrary = "libtensorflow_cc.so.2";

base::Status Refusal(std::string why) { return base::Unavailable("TensorFlow cannot be opened: " + std::move(why)); }

// TF_CPP_MIN_LOG_LEVEL does not affect TensorFlow's messages through absl, and no function of the C API does. absl's
// function has its release in its name: if that differs, stderr gets more lines than the two during the opening.
void QuietLog(void* library) {
  constexpr int kFatal = 3;  // failures are also returned as a status
  using SetMinLogLevel = void (*)(int);
  void* function = dlsym(library, "_ZN4absl12lts_2025081414SetMinLogLevelENS0_18LogSeverityAtLeastE");
  if (function != nullptr) reinterpret_cast<SetMinLogLevel>(function)(kFatal);
}

base::Status FillApi() {
  // Found beside the engine, by its RPATH. Opened locally, so that its protobuf and its absl stay separate.
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Refusal(why == nullptr ? "unknown error" : why);
  }
  QuietLog(library);
#define INFERD_TF_FUNCTION(name)                                                \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "TF_" #name)); \
  if (api.name == nullptr) return Refusal(std::string(kLibrary) + " has no TF_" #name);
  INFERD_TF_FUNCTIONS(INFERD_TF_FUNCTION)
#undef INFERD_TF_FUNCTION
  const std::string_view version = api.Version();
  if (!version.starts_with("2.")) return Refusal("it is version " + std::string(version) + ", not 2");
  return base::OkStatus();
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

void PrepareTf() {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 0); };
  set("TF_CPP_MIN_LOG_LEVEL", "3");
  // Gives each session its own pool of compute threads, instead of one that the first session makes for all.
  set("TF_OVERRIDE_GLOBAL_THREADPOOL", "1");
  // Without it, the optimizer's XLA level applies to GPUs only.
  set("TF_XLA_FLAGS", "--tf_xla_cpu_global_jit");
}

base::Status OpenTf() {
  static base::Mutex mutex;
  static bool opened = false;
  base::MutexLock lock(mutex);
  if (opened) return base::OkStatus();
  INFERD_RETURN_IF_ERROR(FillApi());
  opened = true;
  return base::OkStatus();
}

const TfApi& Tf() { return api; }

void SessionDelete::operator()(TF_Session* session) const {
  const TfStatus status;
  api.CloseSession(session, status.get());
  api.DeleteSession(session, status.get());
}

base::Status TfStatus::Take() const {
  const TF_Code code = api.GetCode(status_.get());
  if (code == TF_OK) return base::OkStatus();
  return {static_cast<base::StatusCode>(code), OneLine(api.Message(status_.get()))};
}

}  // namespace inferd::tensorflow
