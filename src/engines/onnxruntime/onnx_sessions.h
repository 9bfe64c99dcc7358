#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/onnxruntime/library/environment.h"
#include "engines/onnxruntime/session_settings.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

inline constexpr int32_t kOnCpu = -1;  // in place of a GPU's number

// The source from which sessions are made.
struct SessionSource {
  std::filesystem::path path;
  std::optional<std::string> bytes = std::nullopt;  // of the model, if it differs from its file
};

// The sessions of a model: one for the CPU and one for each GPU with instances, each with the weights there. With CUDA
// graphs, which only one thread at a time may run, there is one for each instance. Thread-safe.
class OnnxSessions final {
 public:
  // Makes all sessions. Errors are the library's; INVALID_ARGUMENT if it cannot read the model.
  static base::Result<OnnxSessions> Create(const Environment& environment, const SessionSettings& settings,
                                           const inferd_load& load, const SessionSource& source, int compute_threads);

  // Returns any session: they have the same inputs and outputs.
  const OrtSession* first() const { return sessions_.front().session.get(); }
  bool on_gpus() const { return sessions_.back().gpu != kOnCpu; }
  bool on_gpus_alone() const { return sessions_.front().gpu != kOnCpu; }
  bool graphs() const { return graphs_; }

  // Takes a session for an instance on this GPU, or on the CPU. FAILED_PRECONDITION if the model was loaded for no such
  // instance.
  base::Result<OrtSession*> Take(int32_t gpu);
  void Return(OrtSession* session);

 private:
  struct Place {
    int32_t gpu;  // or kOnCpu
    SessionOwner session;
    bool taken = false;
  };

  explicit OnnxSessions(bool graphs) : graphs_(graphs), mutex_(std::make_unique<base::Mutex>()) {}

  bool graphs_;
  std::unique_ptr<base::Mutex> mutex_;  // guards `taken`
  std::vector<Place> sessions_;         // the CPU's first
};

}  // namespace inferd::onnxruntime
