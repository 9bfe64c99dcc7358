#include "serving/scheduling/instance_worker.h"

#include <algorithm>

#include "serving/scheduling/policy/inline_gate.h"

namespace inferd::scheduling {

bool InstanceWorker::Advance(FormedBatch& batch, int64_t now_ns, bool on_loop) {
  BatchExecution& execution = *batch.execution;
  if (batch.begun_ns != 0) {
    instance->Resume(execution);
    return true;
  }
  execution.SetEviction(on_loop ? &inline_run : nullptr);
  if (!execution.Begin(now_ns)) return true;
  if (!on_loop) {
    instance->Execute(execution);
    return true;
  }
  base::Turn::Scope* const scope = base::Turn::Scope::Current();
  base::Turn* const turn = scope == nullptr ? nullptr : &scope->turn();
  inline_turn.store(turn, std::memory_order_relaxed);
  inline_run.since_ns.store(now_ns, std::memory_order_relaxed);
  const bool lends = inline_run.move_ns > 0 && turn != nullptr && turn->is_lendable();
  const bool over = [&] {
    const base::Turn::Loan loan(lends ? scope : nullptr,
                                now_ns + inline_run.move_ns + InlineGate::MovingNs(batch.bytes), inline_run);
    return instance->TryExecute(execution);
  }();
  inline_run.since_ns.store(0, std::memory_order_relaxed);
  if (!over) batch.begun_ns = now_ns;
  return over;
}

std::string DescribeInline(const std::vector<std::unique_ptr<InstanceWorker>>& workers, const core::ModelId& model) {
  std::string text;
  for (const auto& worker : workers) {
    if (worker->inline_run.since_ns.load(std::memory_order_relaxed) == 0) continue;
    const base::Turn* turn = worker->inline_turn.load(std::memory_order_relaxed);
    text += (text.empty() ? "model '" : ", model '") + model.name + "' version " + std::to_string(model.version);
    const bool moved = worker->inline_run.moved.load(std::memory_order_relaxed);
    if (turn != nullptr) text += (moved ? " on a former thread of " : " on ") + turn->name();
  }
  return text;
}

int64_t LongestInlineNs(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns) {
  int64_t longest_ns = 0;
  for (const auto& worker : workers) {
    const int64_t since_ns = worker->inline_run.since_ns.load(std::memory_order_relaxed);
    if (since_ns != 0) longest_ns = std::max(longest_ns, now_ns - since_ns);
  }
  return longest_ns;
}

}  // namespace inferd::scheduling
