#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/library/cancel_watch.h"
#include "engines/onnxruntime/library/environment.h"
#include "engines/onnxruntime/onnx_sessions.h"
#include "engines/onnxruntime/onnx_signature.h"
#include "engines/onnxruntime/output_shapes.h"
#include "engines/onnxruntime/session_settings.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// A loaded ONNX model, whose instances run on its sessions. Thread-safe.
class OnnxModel final {
 public:
  // NOT_FOUND: no model file. INVALID_ARGUMENT: ONNX Runtime cannot read it, or it takes or gives what cannot be
  // served.
  static base::Result<std::unique_ptr<OnnxModel>> Load(const Environment& environment,
                                                       std::shared_ptr<CancelWatch> watch, const inferd_load& load);

  OnnxSessions& sessions() { return sessions_; }
  const Environment& environment() const { return environment_; }
  const OnnxSignature& tensors() const { return signature_; }
  const inferd_signature* signature() const { return signature_.abi(); }
  const OutputShapes& output_shapes() const { return output_shapes_; }
  CancelWatch& watch() const { return *watch_; }

  // `shrinks`: the run gives what its session's arena does not use back to the system when it ends. `graph`: where
  // executions are CUDA graphs, the number of this one's; kNoGraph: it is none.
  base::Result<RunOptionsOwner> MakeRunOptions(bool shrinks = false, int32_t graph = kNoGraph) const;
  static constexpr int32_t kNoGraph = -1;

  // Decides whether an answer may have so much of the session's arena until its client has read it. True: call
  // NoteReturned() when it has. False: the answers that are not read yet have enough of it. An arena gives memory back
  // only while a run ends, and of what is in use together with other memory, nothing.
  bool TryKeep(uint64_t bytes) {
    const uint64_t before = kept_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before == 0 || before + bytes <= kKeptBytesMax) return true;
    NoteReturned(bytes);  // once it is copied
    return false;
  }
  // The same where the answer has to: the memory is a GPU's.
  void Keep(uint64_t bytes) { kept_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Memory of the session's arena that clients' answers had has come back.
  void NoteReturned(uint64_t bytes) {
    kept_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    returned_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // Whether that is so much by now that the next run is to shrink the arena; true once for each time. Without, an arena
  // keeps what it ever had.
  bool TakeShrinkDue() {
    if (returned_bytes_.load(std::memory_order_relaxed) < kShrinkBytes || !settings_.may_shrink()) return false;
    return returned_bytes_.exchange(0, std::memory_order_relaxed) >= kShrinkBytes;
  }

  // Whether outputs are computed into the response's memory. Off for good once a shape was not what the file says.
  bool binds_outputs() const { return binds_outputs_.load(std::memory_order_relaxed); }
  void StopBindingOutputs() { binds_outputs_.store(false, std::memory_order_relaxed); }

 private:
  OnnxModel(const Environment& environment, std::shared_ptr<CancelWatch> watch, SessionSettings settings,
            OnnxSessions sessions, OnnxSignature signature)
      : environment_(environment),
        watch_(std::move(watch)),
        settings_(std::move(settings)),
        sessions_(std::move(sessions)),
        signature_(std::move(signature)),
        output_shapes_(signature_) {}

  // So much is not made in less time than giving it back takes.
  static constexpr uint64_t kShrinkBytes = 64 << 20;

  // Copying what is beyond that costs less than what an arena is then left with.
  static constexpr uint64_t kKeptBytesMax = 32 << 20;

  const Environment& environment_;
  std::shared_ptr<CancelWatch> watch_;
  SessionSettings settings_;
  OnnxSessions sessions_;
  OnnxSignature signature_;
  OutputShapes output_shapes_;
  std::atomic<bool> binds_outputs_{true};
  std::atomic<uint64_t> kept_bytes_{0};      // of the arena, in answers that are not read yet
  std::atomic<uint64_t> returned_bytes_{0};  // since it was last to be shrunk
};

}  // namespace inferd::onnxruntime
