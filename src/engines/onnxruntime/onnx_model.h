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
  // NOT_FOUND if there is no model file. INVALID_ARGUMENT if ONNX Runtime cannot read it, or its inputs or outputs
  // cannot be served.
  static base::Result<std::unique_ptr<OnnxModel>> Load(const Environment& environment,
                                                       std::shared_ptr<CancelWatch> watch, const inferd_load& load);

  OnnxSessions& sessions() { return sessions_; }
  const Environment& environment() const { return environment_; }
  const OnnxSignature& tensors() const { return signature_; }
  const inferd_signature* signature() const { return signature_.abi(); }
  const OutputShapes& output_shapes() const { return output_shapes_; }
  CancelWatch& watch() const { return *watch_; }

  // `shrinks`: at its end the run returns unused memory of the session's arena to the system. `graph` is the number of
  // this execution's CUDA graph, or kNoGraph.
  base::Result<RunOptionsOwner> MakeRunOptions(bool shrinks = false, int32_t graph = kNoGraph) const;
  static constexpr int32_t kNoGraph = -1;

  // Decides whether a response may hold `bytes` of the session's arena until its client has read it. If true, the
  // caller must call NoteReturned() afterwards. If false, unread responses hold enough of it already. An arena returns
  // memory only at the end of a run, and returns no block of which a part is in use.
  bool TryKeep(uint64_t bytes) {
    const uint64_t before = kept_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before == 0 || before + bytes <= kKeptBytesMax) return true;
    NoteReturned(bytes);  // once it is copied
    return false;
  }
  // Does the same for a response that has to hold it, since the memory is a GPU's.
  void Keep(uint64_t bytes) { kept_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Memory of the session's arena that clients' responses held has been returned.
  void NoteReturned(uint64_t bytes) {
    kept_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    returned_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // Returns true, once each time, if the arena has grown so much that the next run must shrink it. An arena never
  // shrinks by itself.
  bool TakeShrinkDue() {
    if (returned_bytes_.load(std::memory_order_relaxed) < kShrinkBytes || !settings_.may_shrink()) return false;
    return returned_bytes_.exchange(0, std::memory_order_relaxed) >= kShrinkBytes;
  }

  // True if outputs are computed into the response's memory. Becomes false permanently once an output's shape differed
  // from the file's.
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

  // Allocating this much takes longer than returning it.
  static constexpr uint64_t kShrinkBytes = 64 << 20;

  // Beyond this, copying costs less than the fragmentation of the arena.
  static constexpr uint64_t kKeptBytesMax = 32 << 20;

  const Environment& environment_;
  std::shared_ptr<CancelWatch> watch_;
  SessionSettings settings_;
  OnnxSessions sessions_;
  OnnxSignature signature_;
  OutputShapes output_shapes_;
  std::atomic<bool> binds_outputs_{true};
  std::atomic<uint64_t> kept_bytes_{0};      // of the arena, in unread responses
  std::atomic<uint64_t> returned_bytes_{0};  // since the last shrinking
};

}  // namespace inferd::onnxruntime
