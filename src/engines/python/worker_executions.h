#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engines/kit/engine_table.h"
#include "engines/python/message/input_blocks.h"
#include "engines/python/message/marshal.h"
#include "engines/python/message/marshal_writer.h"
#include "engines/python/message/outbox.h"
#include "engines/python/message/shared_area.h"
#include "engines/python/message/value_parts.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// The executions of one worker, each from the message that begins it until the host knows that it is finished.
// Responses go to the host at once. Only the thread that reads the worker's messages uses this object.
class WorkerExecutions final {
 public:
  // Takes back an execution that an ended worker had not begun. Called on any thread; must not block.
  using TakeBack = std::function<void(const inferd_batch& batch)>;

  // One execution. Valid until Leave() returns kFinished, or TakeFinished() returns its batch.
  struct Execution {
    uint64_t number = 0;
    const inferd_batch* batch = nullptr;
    InputBlocks::Block inputs;
    std::vector<bool> answered;  // by request: has its final response
    size_t held = 0;             // responses after which the next must wait
    bool returned = false;       // the model's function has returned
    bool over = false;           // the worker has finished it
    bool pending = false;        // Leave() returned before that
  };

  WorkerExecutions(const inferd_host& host, std::shared_ptr<InputBlocks> inputs, std::shared_ptr<Outbox> outbox)
      : host_(host), inputs_(std::move(inputs)), outbox_(std::move(outbox)) {}

  // If `take_back` is null, executions may overlap, and one that has been sent to the worker counts as begun.
  void SetTakeBack(TakeBack take_back) { take_back_ = std::move(take_back); }

  bool empty() const { return running_.empty(); }
  // Returns the batch of an unfinished execution. Null if there is none with this number.
  const inferd_batch* BatchOf(uint64_t number) const;

  // Adds an execution: puts its inputs into the shared memory, and replaces `message` by the one that begins it.
  // RESOURCE_EXHAUSTED if there is no memory; nothing has changed then.
  base::Result<Execution*> Add(const inferd_batch& batch, MarshalWriter& message);
  // Drops an execution whose message was not sent.
  void Drop(Execution& execution) { Forget(execution.number); }
  // Call when the thread that has added the execution does not wait for it any longer. kFinished if it is finished.
  // Otherwise TakeFinished() returns it later.
  kit::Progress Leave(Execution& execution);

  // Handles ("responses", number, bytes, ticket, responses), which gets a "taken", and finally ("done", number, bytes,
  // responses), for which `over` is true. INTERNAL if the message is invalid.
  base::Status TakeResponses(const Value::Items& message, bool over, SharedArea& outputs);
  // Handles ("returned", number). INTERNAL if the message is invalid.
  base::Status TakeReturned(const Value::Items& message);
  // Call when a response that the client held up was taken.
  void Resumed(uint64_t number);
  // Call when the worker has ended: takes back what it had not begun, and fails the rest. Executions that were not left
  // yet stay, so call it again until there are none.
  void Fail(const base::Status& why);

  bool any_finished() const { return !finished_.empty(); }
  // Returns the batches that were finished since the last call, for the host.
  std::vector<const inferd_batch*> TakeFinished() { return std::exchange(finished_, {}); }

 private:
  using Running = std::unordered_map<uint64_t, Execution>;

  base::Status Respond(Execution& execution, const Value::Items& responses, TensorMemory memory, uint64_t ticket);
  void Hold(Execution& execution, size_t request, uint64_t ticket);
  void FinishIfOver(uint64_t number);
  // Drops an execution, and frees its inputs' memory.
  void Forget(uint64_t number);
  bool WasBegun(uint64_t number) const;
  void GiveBack();

  const inferd_host& host_;
  const std::shared_ptr<InputBlocks> inputs_;
  const std::shared_ptr<Outbox> outbox_;
  TakeBack take_back_;
  uint64_t last_ = 0;
  Running running_;                            // by number
  std::optional<uint64_t> begun_;              // the first unfinished execution when the worker ended
  std::vector<const inferd_batch*> finished_;  // not reported to the host yet
};

// The failure of a worker that answers what was not asked.
base::Status NoAnswer();

}  // namespace inferd::python
