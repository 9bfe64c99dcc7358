#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/python/message/input_blocks.h"
#include "engines/python/message/marshal.h"
#include "engines/python/message/outbox.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// Serves the requests of a worker to the server: calls of models, loads, metrics. The worker numbers its requests.
// Replies go to the outbox; their tensors stay in `inputs` until the worker has used them.
//
//   ("ask", number, kind, ...)                     worker_asks.cc describes the items of each kind
//   ("reply", number, code, message, submitted, final, value, bytes, outputs, parameters)
//
// Call Take() and Close() on the thread that talks with the worker. Replies come on any thread.
class WorkerAsks final : public std::enable_shared_from_this<WorkerAsks> {
 public:
  // Limit for calls of models with replies that the worker has not used yet. A hostile worker never uses them.
  static constexpr size_t kCallsMax = 65'536;
  // Limit for readiness checks, loads and unloads in flight.
  static constexpr size_t kControlsMax = 1024;
  // Limit for the bytes of those. A single one may be larger, and small ones are limited by kControlsMax alone.
  static constexpr size_t kControlBytesMax = 32 << 20;
  static constexpr size_t kSmallControlBytes = 16 << 10;
  // Limit for open metrics.
  static constexpr size_t kMetricsMax = 65'536;

  // Returns the batch of a running execution by its number. Null if there is none.
  using BatchFinder = std::function<const inferd_batch*(uint64_t)>;

  WorkerAsks(const inferd_host& host, std::shared_ptr<InputBlocks> inputs, std::shared_ptr<Outbox> outbox,
             BatchFinder find_batch)
      : host_(host), inputs_(std::move(inputs)), outbox_(std::move(outbox)), find_batch_(std::move(find_batch)) {}

  // Takes an "ask", "cancel" or "used" message. `memory` is the worker's, with the tensors that the message describes.
  // INTERNAL if it is invalid.
  base::Status Take(const Value::Items& message, std::span<const std::byte> memory);
  // Call when the worker has ended: cancels its calls and closes its metrics.
  void Close();

 private:
  struct Calling;  // context for a call's responses
  struct Asked {
    uint64_t call = 0;  // the host's number of the call
    bool many = false;
    bool over = false;  // its final response has come
    std::deque<InputBlocks::Block> unused = {};
  };

  base::Status Ask(uint64_t number, const std::string& kind, class ItemReader& items,
                   std::span<const std::byte> memory);
  base::Status Call(uint64_t number, ItemReader& items, std::span<const std::byte> memory);
  base::Status AskCancelled(uint64_t number, ItemReader& items);
  // Returns false, and tells the worker, if too many controls, or too many bytes of them, are in flight.
  bool BeginControl(uint64_t number, size_t bytes);
  void EndControl(size_t bytes);
  base::Status Control(uint64_t number, const std::string& kind, ItemReader& items);
  base::Status OpenMetric(uint64_t number, ItemReader& items);
  base::Status ChangeMetric(uint64_t number, ItemReader& items);
  void Used(uint64_t number);
  void Cancel(uint64_t number);
  void OnResponse(uint64_t number, const inferd_call_response& response);
  // Sends a reply without tensors.
  void Reply(uint64_t number, const base::Status& status, double value = 0, bool submitted = true);

  const inferd_host& host_;
  const std::shared_ptr<InputBlocks> inputs_;
  const std::shared_ptr<Outbox> outbox_;
  const BatchFinder find_batch_;
  std::set<uint64_t> metrics_;  // open metrics
  base::Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  size_t controls_ GUARDED_BY(mutex_) = 0;       // in flight
  size_t control_bytes_ GUARDED_BY(mutex_) = 0;  // of those
  std::unordered_map<uint64_t, Asked> calls_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
