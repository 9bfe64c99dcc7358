#pragma once

#include "base/status.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// The shared parts of all models of the process: ONNX Runtime's environment, its log, and one pool of compute threads.
// Made once; thread-safe.
class Environment final {
 public:
  static base::Result<std::unique_ptr<Environment>> Create(const inferd_host* host);

  const inferd_host& host() const { return *host_; }
  const OrtEnv* get() const { return env_.get(); }
  const OrtMemoryInfo* cpu_memory() const { return cpu_memory_.get(); }

 private:
  explicit Environment(const inferd_host* host) : host_(host) {}

  const inferd_host* host_;
  EnvOwner env_;
  MemoryInfoOwner cpu_memory_;
};

// While one exists, errors that the library logs on this thread become verbose lines: the failing call's status has
// them, and is itself logged or sent in a response.
class QuietErrors final {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

}  // namespace inferd::onnxruntime
