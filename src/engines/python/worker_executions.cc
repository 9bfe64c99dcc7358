#include "engines/python/worker_executions.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "engines/python/message/execution_writer.h"
#include "engines/python/message/response_reader.h"

namespace inferd::python {

namespace {

using kit::Progress;

// Context for a request whose next response waits until its client takes more.
struct Resumption {
  const inferd_host* host = nullptr;
  const inferd_batch* batch = nullptr;
  size_t request = 0;
  std::shared_ptr<Outbox> outbox;
  uint64_t execution = 0;
  uint64_t ticket = 0;
};

MarshalWriter TakenMessage(uint64_t ticket, bool cancelled) {
  MarshalWriter taken;
  taken.Tuple(3);
  taken.Text("taken");
  taken.Uint(ticket);
  taken.Bool(cancelled);
  return taken;
}

}  // namespace

base::Status NoAnswer() { return base::Internal("answers what was not asked, and was ended"); }

const inferd_batch* WorkerExecutions::BatchOf(uint64_t number) const {
  const auto found = running_.find(number);
  return found == running_.end() ? nullptr : found->second.batch;
}

base::Result<WorkerExecutions::Execution*> WorkerExecutions::Add(const inferd_batch& batch, MarshalWriter& message) {
  std::vector<inferd_memory> pieces;
  for (size_t i = 0; i < batch.input_count; ++i) {
    pieces.insert(pieces.end(), batch.inputs[i]->pieces, batch.inputs[i]->pieces + batch.inputs[i]->piece_count);
  }
  INFERD_ASSIGN_OR_RETURN(const InputBlocks::Block block, inputs_->Add(pieces));
  const uint64_t number = ++last_;
  try {
    // Allocate everything before the message is sent: the worker's answer needs it.
    Execution& execution = running_[number];
    execution.number = number;
    execution.batch = &batch;
    execution.inputs = block;
    execution.answered.assign(batch.request_count, false);
    WriteExecution({.host = host_, .number = number, .batch = batch, .block = block, .bytes = inputs_->bytes()},
                   message);
    return &execution;
  } catch (const std::bad_alloc&) {
    running_.erase(number);
    inputs_->Give(block);
    return std::unexpected(base::ResourceExhausted("the server has no memory for it"));
  }
}

Progress WorkerExecutions::Leave(Execution& execution) {
  execution.pending = !execution.over || execution.held > 0;
  if (execution.pending) return Progress::kPending;
  Forget(execution.number);
  return Progress::kFinished;
}

base::Status WorkerExecutions::TakeReturned(const Value::Items& message) {
  ItemReader items(message);
  static_cast<void>(items.Text());
  if (const auto found = running_.find(items.Uint()); found != running_.end()) found->second.returned = true;
  return items.ok() ? base::OkStatus() : NoAnswer();
}

base::Status WorkerExecutions::TakeResponses(const Value::Items& message, bool over, SharedArea& outputs) {
  ItemReader items(message);
  static_cast<void>(items.Text());
  const uint64_t number = items.Uint();
  const uint64_t bytes = items.Uint();
  const uint64_t ticket = over ? 0 : items.Uint();
  const Value::Items& responses = items.Items();
  const auto found = running_.find(number);
  if (!items.Finished() || found == running_.end() || found->second.over) return NoAnswer();
  Execution& execution = found->second;
  INFERD_ASSIGN_OR_RETURN(const std::span<const std::byte> memory, outputs.Look(bytes));
  INFERD_RETURN_IF_ERROR(Respond(execution, responses, TensorMemory(memory), ticket));
  if (over) execution.over = execution.returned = true;
  FinishIfOver(number);
  return base::OkStatus();
}

base::Status WorkerExecutions::Respond(Execution& execution, const Value::Items& responses, TensorMemory memory,
                                       uint64_t ticket) {
  std::optional<size_t> goes_on;
  for (const Value& response : responses) {
    INFERD_ASSIGN_OR_RETURN(const SentResponse sent, SendResponse(host_, *execution.batch, response, memory));
    if (!sent.final) {
      goes_on = sent.request;
    } else if (sent.request == INFERD_ALL_REQUESTS) {
      execution.answered.assign(execution.answered.size(), true);
    } else {
      execution.answered[sent.request] = true;
    }
  }
  if (ticket == 0) return base::OkStatus();
  if (goes_on.has_value() && *goes_on < execution.answered.size()) {
    Hold(execution, *goes_on, ticket);
  } else {
    outbox_->Push(TakenMessage(ticket, false));
  }
  return base::OkStatus();
}

// Lets the worker continue with that request once its client takes more.
void WorkerExecutions::Hold(Execution& execution, size_t request, uint64_t ticket) {
  if (host_.may_respond(execution.batch, request) != 0) {
    return outbox_->Push(TakenMessage(ticket, host_.is_cancelled(execution.batch, request) != 0));
  }
  ++execution.held;
  const auto resume = [](void* arg) {
    const std::unique_ptr<Resumption> held(static_cast<Resumption*>(arg));
    const bool cancelled = held->host->is_cancelled(held->batch, held->request) != 0;
    held->outbox->Push(TakenMessage(held->ticket, cancelled), held->execution);
  };
  host_.when_may_respond(execution.batch, request, resume,
                         new Resumption{.host = &host_,
                                        .batch = execution.batch,
                                        .request = request,
                                        .outbox = outbox_,
                                        .execution = execution.number,
                                        .ticket = ticket});
}

void WorkerExecutions::Resumed(uint64_t number) {
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  --found->second.held;
  FinishIfOver(number);
}

void WorkerExecutions::FinishIfOver(uint64_t number) {
  const auto found = running_.find(number);
  const Execution& execution = found->second;
  if (!execution.pending || !execution.over || execution.held > 0) return;
  const inferd_batch* const batch = execution.batch;
  Forget(number);
  finished_.push_back(batch);
}

void WorkerExecutions::Forget(uint64_t number) {
  const auto found = running_.find(number);
  inputs_->Give(found->second.inputs);
  running_.erase(found);
}

// If executions do not overlap, the worker had begun at most the first of them.
bool WorkerExecutions::WasBegun(uint64_t number) const {
  return take_back_ == nullptr || !begun_.has_value() || number <= *begun_;
}

void WorkerExecutions::GiveBack() {
  if (!begun_.has_value() && !running_.empty()) {
    begun_ = std::ranges::min_element(running_, {}, [](const auto& each) { return each.first; })->first;
  }
  for (auto each = running_.begin(); each != running_.end();) {
    const auto found = each++;
    if (WasBegun(found->first) || !found->second.pending) continue;
    const inferd_batch* const batch = found->second.batch;
    Forget(found->first);
    take_back_(*batch);
  }
}

void WorkerExecutions::Fail(const base::Status& why) {
  const inferd_response failure = FailureOf(why);
  GiveBack();
  std::vector<uint64_t> over;
  for (auto& [number, execution] : running_) {
    if (!execution.pending) continue;
    for (size_t i = 0; i < execution.answered.size() && !execution.over; ++i) {
      if (!execution.answered[i]) host_.respond(execution.batch, i, &failure);
    }
    execution.over = true;
    over.push_back(number);
  }
  for (const uint64_t number : over) FinishIfOver(number);
}

}  // namespace inferd::python
