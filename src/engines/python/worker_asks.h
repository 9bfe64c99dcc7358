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

// What a worker asks of the server: calls of models, what is to be loaded, metrics. It numbers what it asks; replies go
// to the outbox, with what they bring in `inputs`, until the worker has used it.
//
//   ("ask", number, kind, ...)                     what each kind has, is said in worker_asks.cc
//   ("reply", number, code, message, submitted, final, value, bytes, outputs, parameters)
//
// Take() and the like are for the thread that talks with the worker; replies come on any.
class WorkerAsks final : public std::enable_shared_from_this<WorkerAsks> {
 public:
  // Calls of models with replies that the worker has not used yet. A hostile one never uses them.
  static constexpr size_t kCallsMax = 65'536;
  // Questions whether models are ready, and orders to load and unload them, that the server has not answered.
  static constexpr size_t kControlsMax = 1024;
  // The most bytes of all of those together. One alone may have more, and small ones are limited by kControlsMax alone.
  static constexpr size_t kControlBytesMax = 32 << 20;
  static constexpr size_t kSmallControlBytes = 16 << 10;
  // Metrics that are open at a time.
  static constexpr size_t kMetricsMax = 65'536;

  // The batch of an execution that is under way, by its number; null: there is none.
  using BatchFinder = std::function<const inferd_batch*(uint64_t)>;

  WorkerAsks(const inferd_host& host, std::shared_ptr<InputBlocks> inputs, std::shared_ptr<Outbox> outbox,
             BatchFinder find_batch)
      : host_(host), inputs_(std::move(inputs)), outbox_(std::move(outbox)), find_batch_(std::move(find_batch)) {}

  // "ask", "cancel" or "used". INTERNAL: it is none. `memory`: the worker's, where tensors lie that it describes.
  base::Status Take(const Value::Items& message, std::span<const std::byte> memory);
  // The worker has ended: what it asked is cancelled, and its metrics go.
  void Close();

 private:
  struct Calling;  // what a call's responses need
  struct Asked {
    uint64_t call = 0;  // the host's number of it
    bool many = false;
    bool over = false;  // its final response has come
    std::deque<InputBlocks::Block> unused = {};
  };

  base::Status Ask(uint64_t number, const std::string& kind, class ItemReader& items,
                   std::span<const std::byte> memory);
  base::Status Call(uint64_t number, ItemReader& items, std::span<const std::byte> memory);
  base::Status AskCancelled(uint64_t number, ItemReader& items);
  // Returns false if too many controls, or too many bytes of them, are under way. The worker is told so then.
  bool BeginControl(uint64_t number, size_t bytes);
  void EndControl(size_t bytes);
  base::Status Control(uint64_t number, const std::string& kind, ItemReader& items);
  base::Status OpenMetric(uint64_t number, ItemReader& items);
  base::Status ChangeMetric(uint64_t number, ItemReader& items);
  void Used(uint64_t number);
  void Cancel(uint64_t number);
  void OnResponse(uint64_t number, const inferd_call_response& response);
  // A reply that brings no tensors.
  void Reply(uint64_t number, const base::Status& status, double value = 0, bool submitted = true);

  const inferd_host& host_;
  const std::shared_ptr<InputBlocks> inputs_;
  const std::shared_ptr<Outbox> outbox_;
  const BatchFinder find_batch_;
  std::set<uint64_t> metrics_;  // that are open
  base::Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  size_t controls_ GUARDED_BY(mutex_) = 0;       // that are under way
  size_t control_bytes_ GUARDED_BY(mutex_) = 0;  // of those
  std::unordered_map<uint64_t, Asked> calls_ GUARDED_BY(mutex_);
};

}  // namespace inferd::python
