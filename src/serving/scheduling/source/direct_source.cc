#include "serving/scheduling/source/direct_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace inferd::scheduling {

namespace {

int64_t DelayNs(const config::SequenceBatching& batching) {
  // Limits the delay to avoid an overflow. Nobody notices the difference.
  constexpr uint64_t kDelayUsMax = 1'000'000'000'000;
  return static_cast<int64_t>(std::min(batching.max_queue_delay_us, kDelayUsMax)) * 1000;
}

// Returns the smallest number of rows that is at least that share.
size_t EnoughRows(const config::SequenceBatching& batching, size_t rows) {
  size_t enough = 1;
  while (enough < rows && static_cast<float>(enough) / static_cast<float>(rows) < batching.minimum_slot_utilization) {
    ++enough;
  }
  return enough;
}

// Returns zeros in the form of `like`; elements of BYTES are empty.
base::BufferSlice Zeros(const core::InferTensor& like) {
  size_t bytes = like.data.size();
  if (like.datatype == tensor::DataType::kBytes) bytes = like.shape.ElementCount().value_or(0) * sizeof(uint32_t);
  base::Buffer buffer = base::Buffer::Allocate(bytes);
  if (bytes > 0) std::memset(buffer.data(), 0, bytes);
  return base::BufferSlice(std::move(buffer));
}

}  // namespace

DirectSource::DirectSource(const Parts& parts)
    : policy_(parts.config.queue_policy),
      signature_(parts.signature),
      significant_(parts.significant),
      statistics_(parts.statistics),
      memory_(parts.memory),
      delay_ns_(DelayNs(*parts.config.sequence_batching)),
      enough_rows_(EnoughRows(*parts.config.sequence_batching, RowsOf(parts.signature))),
      rows_(RowsOf(parts.signature)) {}

size_t DirectSource::RowsOf(const core::ModelSignature& signature) {
  return static_cast<size_t>(std::max<int64_t>(signature.max_batch_size, 1));
}

DirectSource::Decision DirectSource::Decide(size_t waiting, int64_t oldest_ns, int64_t now_ns) {
  if (waiting == rows_.size()) return {.begin = true, .reason = core::BatchReason::kFull};
  if (waiting >= enough_rows_) {
    const bool wanted = enough_rows_ > 1;
    return {.begin = true, .reason = wanted ? core::BatchReason::kPreferredSize : core::BatchReason::kNoneWaiting};
  }
  delay_over_ns_ = oldest_ns + delay_ns_;
  if (delay_over_ns_ > now_ns) return {};
  return {.begin = true, .reason = core::BatchReason::kDelayOver};
}

std::optional<core::BatchReason> DirectSource::BeginsAtOnce(const QueueEntry& entry) {
  if (waiting_ > 0) return std::nullopt;
  const Decision decision = Decide(1, entry.queued.queued_ns, entry.queued.queued_ns);
  if (!decision.begin) return std::nullopt;
  return decision.reason;
}

FormedBatch DirectSource::FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) {
  taken_.push_back(std::move(entry));
  return Form(reason);
}

std::unique_ptr<QueueEntry> DirectSource::Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                               DroppedEntries& /*dropped*/) {
  const core::InferRequest& request = *entry->queued.request;
  entry->arrival = ++arrivals_;
  entry->timeout_at_ns = QueueTimeoutAt(policy_, request.timeout_us, entry->queued.queued_ns);
  const bool rejects = policy_.timeout_action == config::TimeoutAction::kReject;
  entry->expires_ns = Earlier(request.deadline_ns, rejects ? entry->timeout_at_ns : 0);
  sweep_ns_ = Earlier(sweep_ns_, Earlier(entry->expires_ns, request.cancel == nullptr ? 0 : now_ns + kCancelSweepNs));
  auto& row = rows_[entry->slot];
  row = std::move(entry);
  ++waiting_;
  statistics_.AddPending(1);
  return nullptr;
}

// Rows keep their places even after a failed execution: they never run alone in another place. A request that ran
// alone, with idle rows around it, is given up the second time.
void DirectSource::PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) {
  for (auto& entry : entries) {
    if (entry->idle) {
      entry->queued.Fail(base::Cancelled("an idle row"));
      continue;
    }
    statistics_.AddPending(1);
    ++waiting_;
    entry->alone = true;
    auto& row = rows_[entry->slot];
    row = std::move(entry);
  }
  entries.clear();
}

void DirectSource::DropAll(int64_t /*now_ns*/, DroppedEntries& dropped) {
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row] != nullptr) Drop(row, QueueVerdict::kNoThread, dropped);
  }
}

bool DirectSource::Ready(int64_t woken, int64_t now_ns, DroppedEntries& /*dropped*/) {
  const QueueEntry* const oldest = Oldest();
  return woken == 0 && oldest != nullptr && Decide(waiting_, oldest->queued.queued_ns, now_ns).begin;
}

FormedBatch DirectSource::Take(const InlineGate* /*gate*/, int64_t now_ns, DroppedEntries& dropped) {
  for (QueueEntry* oldest = Oldest(); oldest != nullptr; oldest = Oldest()) {
    const QueueVerdict verdict = Judge(policy_, *oldest->queued.request, oldest->timeout_at_ns, now_ns);
    if (verdict == QueueVerdict::kExpire || verdict == QueueVerdict::kCancel) {
      Drop(oldest->slot, verdict, dropped);
      continue;
    }
    if (oldest->alone && oldest->retry) {
      Drop(oldest->slot, QueueVerdict::kNoMemory, dropped);
      continue;
    }
    const Decision decision = Decide(waiting_, oldest->queued.queued_ns, now_ns);
    if (!decision.begin) return {};
    delay_over_ns_ = 0;
    oldest->retry = oldest->alone;
    const QueueEntry& first = *oldest;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const bool takes = rows_[row] != nullptr && (rows_[row].get() == &first || Shares(first, *rows_[row]));
      if (takes) taken_.push_back(TakeOut(row));
    }
    return Form(decision.reason);
  }
  return {};
}

void DirectSource::OnTime(int64_t now_ns, DroppedEntries& dropped) {
  if (delay_over_ns_ <= now_ns) delay_over_ns_ = 0;
  if (sweep_ns_ == 0 || sweep_ns_ > now_ns) return;
  sweep_ns_ = 0;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row] == nullptr) continue;
    const QueueEntry& entry = *rows_[row];
    const QueueVerdict verdict = Judge(policy_, *entry.queued.request, entry.timeout_at_ns, now_ns);
    if (verdict == QueueVerdict::kExpire || verdict == QueueVerdict::kCancel) {
      Drop(row, verdict, dropped);
      continue;
    }
    const int64_t cancel_ns = entry.queued.request->cancel == nullptr ? 0 : now_ns + kCancelSweepNs;
    sweep_ns_ = Earlier(sweep_ns_, Earlier(entry.expires_ns, cancel_ns));
  }
}

void DirectSource::Report(core::SchedulerReport& report) const {
  report.batching = rows_.size() > 1;
  report.rows_max = static_cast<int64_t>(rows_.size());
  report.delay_ns = delay_ns_;
  report.levels = {
      {.level = 1, .requests = static_cast<int64_t>(waiting_), .size_max = static_cast<int64_t>(rows_.size())}};
}

QueueEntry* DirectSource::Oldest() const {
  QueueEntry* oldest = nullptr;
  for (const auto& entry : rows_) {
    if (entry != nullptr && (oldest == nullptr || entry->arrival < oldest->arrival)) oldest = entry.get();
  }
  return oldest;
}

bool DirectSource::Shares(const QueueEntry& first, const QueueEntry& entry) const {
  return !first.alone && !entry.alone && first.key == entry.key &&
         SharesBatch(first.queued, entry.queued, signature_, significant_);
}

std::unique_ptr<QueueEntry> DirectSource::TakeOut(size_t row) {
  --waiting_;
  statistics_.AddPending(-1);
  return std::exchange(rows_[row], nullptr);
}

// The caller, who answers it, counts it as one that waited.
void DirectSource::Drop(size_t row, QueueVerdict verdict, DroppedEntries& dropped) {
  --waiting_;
  dropped.emplace_back(std::exchange(rows_[row], nullptr), verdict);
}

FormedBatch DirectSource::Form(core::BatchReason reason) {
  const QueueEntry& like = *taken_.front();
  // A warm-up has its own rows, and no place.
  if (like.queued.warmup) return memory_.Form(taken_, reason);
  int64_t idle = 0;
  // `like` is used until the end: its request stays alive in either vector.
  for (auto& entry : taken_) {
    for (; members_.size() < entry->slot; ++idle) members_.push_back(Idle(like));
    members_.push_back(std::move(entry));
  }
  taken_.clear();
  FormedBatch batch = memory_.Form(members_, reason);
  batch.record.requests -= idle;
  batch.record.left_waiting = static_cast<int64_t>(waiting_);
  return batch;
}

std::unique_ptr<QueueEntry> DirectSource::Idle(const QueueEntry& like) {
  std::unique_ptr<QueueEntry> entry = memory_.NewEntry();
  entry->idle = true;
  core::QueuedRequest& queued = entry->queued;
  const core::QueuedRequest& copied = like.queued;
  queued.request = std::make_unique<core::InferRequest>();
  queued.request->model_name = copied.request->model_name;
  queued.request->outputs = copied.request->outputs;
  for (core::RequestedOutput& output : queued.request->outputs) output.memory = {};
  for (const core::InferTensor& input : copied.request->inputs) {
    core::InferTensor& own = queued.request->inputs.emplace_back();
    own.name = input.name;
    own.datatype = input.datatype;
    own.shape = input.shape;
    own.data = Zeros(input);
  }
  queued.completion = core::Completion([](core::InferResponse&&) {});
  queued.version = copied.version;
  queued.layout = copied.layout;
  queued.queued_ns = copied.queued_ns;
  queued.warmup = true;  // not counted
  return entry;
}

}  // namespace inferd::scheduling
