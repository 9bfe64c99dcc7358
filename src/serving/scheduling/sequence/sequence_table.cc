#include "serving/scheduling/sequence/sequence_table.h"

#include <algorithm>
#include <limits>

namespace inferd::scheduling {

namespace {

std::string TextOf(const std::variant<uint64_t, std::string>& id) {
  if (const auto* number = std::get_if<uint64_t>(&id)) return std::to_string(*number);
  return std::get<std::string>(id);
}

base::Status SequenceTimeout() {
  return base::DeadlineExceeded("timeout of the corresponding sequence has been expired");
}

}  // namespace

struct SequenceTable::Waiting {
  core::QueuedRequest queued;
  uint64_t arrival = 0;
  int64_t timeout_at_ns = 0;
  bool last = false;  // it is the last of its sequence, even without END

  bool start() const { return queued.request->sequence.start; }
};

class SequenceTable::Sequence {
 public:
  explicit Sequence(Id name) : id(std::move(name)) {}

  // Returns true if a request without START continues an existing sequence.
  bool open() const {
    if (!waiting.empty()) return !waiting.back().last;
    return running ? !running_last : alive;
  }

  const Id id;
  std::deque<Waiting> waiting;
  std::optional<SequenceSlot> slot;
  bool alive = false;  // its START runs or was answered, and its last request was not answered
  bool running = false;
  bool running_start = false;
  bool running_last = false;
  int64_t active_ns = 0;
  KeptState state;
  uint64_t epoch = 0;
  std::optional<std::list<Sequence*>::iterator> in_backlog;
  std::optional<std::list<Sequence*>::iterator> in_idle;
};

SequenceTable::SequenceTable(Rules rules) : rules_(std::move(rules)) {
  for (size_t lane = 0; lane < rules_.lanes; ++lane) {
    for (size_t row = 0; row < rules_.rows; ++row) free_.emplace(row, lane);
  }
  // More requests than there is room for will never wait.
  rules_.hold_until = std::min(rules_.hold_until, rules_.waiting_max);
  rules_.hold_until_backlog = std::min(rules_.hold_until_backlog, rules_.waiting_max - rules_.hold_until);
}

SequenceTable::~SequenceTable() = default;

base::Status SequenceTable::MissingStart(const Id& id) const {
  return base::InvalidArgument("inference request for sequence " + TextOf(id) + " to model '" + rules_.model +
                               "' must specify the START flag on the first request of the sequence");
}

base::Status SequenceTable::CheckFits(const core::QueuedRequest& queued, const Sequence* sequence) const {
  const core::Sequence& wanted = queued.request->sequence;
  if (!wanted.named()) {
    return base::InvalidArgument("inference request to model '" + rules_.model +
                                 "' must specify a non-zero or non-empty correlation ID");
  }
  if (queued.layout.rows > 1) {
    return base::InvalidArgument("inference request to model '" + rules_.model +
                                 "' must specify batch-size 1 due to requirements of sequence batcher");
  }
  if (!wanted.start && (sequence == nullptr || !sequence->open())) return MissingStart(wanted.id);
  if (waiting_ < rules_.waiting_max || StartsAtOnce(sequence)) return base::OkStatus();
  return base::ResourceExhausted("Exceeds maximum queue size (" + std::to_string(rules_.waiting_max) + ") of model '" +
                                 rules_.model + "'");
}

bool SequenceTable::StartsAtOnce(const Sequence* sequence) const {
  if (rules_.hold_until > 0) return false;
  if (sequence == nullptr) return !free_.empty() && backlog_.empty();
  return sequence->slot.has_value() && !sequence->running && sequence->waiting.empty();
}

base::Status SequenceTable::Add(core::QueuedRequest& queued, int64_t now_ns, Outcome& outcome) {
  const Id& id = queued.request->sequence.id;
  const auto found = sequences_.find(id);
  if (base::Status status = CheckFits(queued, found == sequences_.end() ? nullptr : found->second.get());
      !status.ok()) {
    Refuse(queued.request->sequence, now_ns, outcome);
    return status;
  }
  auto& owned = found == sequences_.end() ? sequences_.emplace(id, nullptr).first->second : found->second;
  if (owned == nullptr) owned = std::make_unique<Sequence>(id);
  Sequence& sequence = *owned;
  const core::InferRequest& request = *queued.request;
  const int64_t timeout_at_ns = QueueTimeoutAt(rules_.policy, request.timeout_us, queued.queued_ns);
  const bool last = request.sequence.end;
  const bool rejects = rules_.policy.timeout_action == config::TimeoutAction::kReject;
  const int64_t expires_ns = Earlier(request.deadline_ns, rejects ? timeout_at_ns : 0);
  const int64_t cancel_ns = request.cancel == nullptr ? 0 : now_ns + kCancelSweepNs;
  sequence.waiting.push_back(
      {.queued = std::move(queued), .arrival = ++arrivals_, .timeout_at_ns = timeout_at_ns, .last = last});
  ++waiting_;
  SetIdle(sequence, false);
  if (!sequence.running) Advance(sequence, now_ns, outcome);
  FillSlots(now_ns, outcome);
  if (rules_.hold_until > 0 && IsHeldLongEnough()) LetGo(now_ns, outcome);
  if (waiting_ > 0) sweep_ns_ = Earlier(sweep_ns_, Earlier(expires_ns, cancel_ns));
  return base::OkStatus();
}

void SequenceTable::Refuse(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome) {
  ++counts_.refused;
  if (wanted.start) End(wanted, now_ns, outcome);
}

bool SequenceTable::Has(const core::Sequence& wanted) const {
  const auto found = sequences_.find(wanted.id);
  return found != sequences_.end() && found->second->open();
}

void SequenceTable::End(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome) {
  const auto found = sequences_.find(wanted.id);
  if (found == sequences_.end()) return;
  Sequence& sequence = *found->second;
  EndBefore(sequence, sequence.waiting.size());
  SetIdle(sequence, false);
  if (!sequence.running) Advance(sequence, now_ns, outcome);
  FillSlots(now_ns, outcome);
}

KeptState& SequenceTable::StateOf(Sequence& sequence) { return sequence.state; }

uint64_t& SequenceTable::EpochOf(Sequence& sequence) { return sequence.epoch; }

void SequenceTable::Forget(Sequence& sequence) { sequence.running_start = true; }

// The id fits in every datatype that a model may use for it.
uint64_t SequenceTable::NewId() {
  do {
    last_new_id_ = last_new_id_ % std::numeric_limits<int32_t>::max() + 1;
  } while (sequences_.contains(last_new_id_));
  return last_new_id_;
}

bool SequenceTable::Ends(const Sequence& sequence, bool ok) {
  return (sequence.running_last || (sequence.running_start && !ok)) && sequence.waiting.empty();
}

void SequenceTable::OnAnswered(Sequence& sequence, bool ok, int64_t now_ns, Outcome& outcome) {
  sequence.running = false;
  if (sequence.running_start && !ok) {
    ++counts_.failed;
    sequence.alive = false;
  } else if (sequence.running_last) {
    ++counts_.ended;
    sequence.alive = false;
  }
  // A sequence that restarts must queue for a slot again.
  if (!sequence.alive) {
    sequence.state.clear();
    ReleaseSlot(sequence);
  }
  Advance(sequence, now_ns, outcome);
  FillSlots(now_ns, outcome);
}

void SequenceTable::Advance(Sequence& sequence, int64_t now_ns, Outcome& outcome) {
  Prune(sequence, false, now_ns, outcome);
  if (sequence.waiting.empty()) {
    if (!sequence.alive) return Remove(sequence);
    sequence.active_ns = now_ns;
    return SetIdle(sequence, true);
  }
  if (!sequence.slot.has_value()) return SetWaitsForSlot(sequence, true);
  if (rules_.hold_until == 0) StartNext(sequence, outcome);
}

void SequenceTable::Prune(Sequence& sequence, bool all, int64_t now_ns, Outcome& outcome) {
  bool headless = !sequence.running && !sequence.alive;
  bool timed_out = false;  // the reason why it is headless
  for (size_t i = 0; i < sequence.waiting.size();) {
    const Waiting& next = sequence.waiting[i];
    const bool start = next.start();
    headless = headless && !start;
    if (headless) {
      Drop(sequence, i, QueueVerdict::kWait, timed_out ? SequenceTimeout() : MissingStart(sequence.id), outcome);
      continue;
    }
    const QueueVerdict verdict = Judge(rules_.policy, *next.queued.request, next.timeout_at_ns, now_ns);
    if (verdict == QueueVerdict::kWait || verdict == QueueVerdict::kDelay) {
      if (!all) return;
      ++i;
      continue;
    }
    if (start || next.last) EndBefore(sequence, i);
    headless = start;
    timed_out = start && verdict == QueueVerdict::kExpire;
    if (timed_out && !sequence.slot.has_value()) {
      Drop(sequence, i, QueueVerdict::kWait, SequenceTimeout(), outcome);
    } else {
      Drop(sequence, i, verdict, base::OkStatus(), outcome);
    }
  }
}

void SequenceTable::EndBefore(Sequence& sequence, size_t i) {
  if (i > 0) {
    sequence.waiting[i - 1].last = true;
  } else if (sequence.running) {
    sequence.running_last = true;
  } else if (sequence.alive) {
    sequence.alive = false;
    ++counts_.ended;
  }
}

void SequenceTable::Drop(Sequence& sequence, size_t i, QueueVerdict verdict, base::Status status, Outcome& outcome) {
  outcome.dropped.push_back(
      {.queued = std::move(sequence.waiting[i].queued), .verdict = verdict, .status = std::move(status)});
  sequence.waiting.erase(sequence.waiting.begin() + static_cast<std::ptrdiff_t>(i));
  --waiting_;
}

void SequenceTable::StartNext(Sequence& sequence, Outcome& outcome) {
  Waiting next = std::move(sequence.waiting.front());
  sequence.waiting.pop_front();
  --waiting_;
  sequence.running = true;
  sequence.running_start = next.start();
  sequence.running_last = next.last;
  if (sequence.running_start) {
    if (sequence.alive) ++counts_.restarted;
    ++counts_.begun;
  }
  sequence.alive = true;
  outcome.starts.push_back({.queued = std::move(next.queued), .sequence = &sequence, .slot = *sequence.slot});
}

void SequenceTable::Remove(Sequence& sequence) {
  ReleaseSlot(sequence);
  SetWaitsForSlot(sequence, false);
  SetIdle(sequence, false);
  sequences_.erase(sequences_.find(sequence.id));
}

void SequenceTable::ReleaseSlot(Sequence& sequence) {
  if (!sequence.slot.has_value()) return;
  free_.emplace(sequence.slot->row, sequence.slot->lane);
  sequence.slot.reset();
}

void SequenceTable::FillSlots(int64_t now_ns, Outcome& outcome) {
  while (!free_.empty() && !backlog_.empty()) {
    Sequence& sequence = *backlog_.front();
    SetWaitsForSlot(sequence, false);
    const auto [row, lane] = *free_.begin();
    free_.erase(free_.begin());
    sequence.slot = SequenceSlot{.lane = lane, .row = row};
    Advance(sequence, now_ns, outcome);
  }
}

void SequenceTable::SetIdle(Sequence& sequence, bool idle) {
  if (idle == sequence.in_idle.has_value()) return;
  if (idle) {
    sequence.in_idle = idle_.insert(idle_.end(), &sequence);
  } else {
    idle_.erase(*std::exchange(sequence.in_idle, std::nullopt));
  }
}

void SequenceTable::SetWaitsForSlot(Sequence& sequence, bool waits) {
  if (waits == sequence.in_backlog.has_value()) return;
  if (waits) {
    sequence.in_backlog = backlog_.insert(backlog_.end(), &sequence);
  } else {
    backlog_.erase(*std::exchange(sequence.in_backlog, std::nullopt));
  }
}

bool SequenceTable::IsHeldLongEnough() const {
  size_t behind = 0;
  for (const Sequence* sequence : backlog_) behind += sequence->waiting.size();
  return waiting_ - behind >= rules_.hold_until && behind >= rules_.hold_until_backlog;
}

void SequenceTable::LetGo(int64_t now_ns, Outcome& outcome) {
  rules_.hold_until = 0;
  std::vector<Sequence*> held;
  for (const auto& [id, sequence] : sequences_) {
    if (sequence->slot.has_value() && !sequence->running && !sequence->waiting.empty()) held.push_back(sequence.get());
  }
  // In order of arrival.
  std::ranges::sort(held, {}, [](const Sequence* s) { return s->waiting.front().arrival; });
  for (Sequence* sequence : held) Advance(*sequence, now_ns, outcome);
  FillSlots(now_ns, outcome);
}

int64_t SequenceTable::due_ns() const {
  return Earlier(sweep_ns_, idle_.empty() ? 0 : idle_.front()->active_ns + rules_.idle_ns);
}

void SequenceTable::OnTime(int64_t now_ns, Outcome& outcome) {
  while (!idle_.empty() && idle_.front()->active_ns + rules_.idle_ns <= now_ns) {
    ++counts_.idled;
    Remove(*idle_.front());
  }
  if (sweep_ns_ != 0 && sweep_ns_ <= now_ns) {
    std::vector<Sequence*> waits;
    for (const auto& [id, sequence] : sequences_) {
      if (!sequence->waiting.empty()) waits.push_back(sequence.get());
    }
    for (Sequence* sequence : waits) {
      Prune(*sequence, true, now_ns, outcome);
      if (!sequence->running) Advance(*sequence, now_ns, outcome);
    }
    sweep_ns_ = NextSweepNs(now_ns);
  }
  FillSlots(now_ns, outcome);
}

int64_t SequenceTable::NextSweepNs(int64_t now_ns) const {
  const bool rejects = rules_.policy.timeout_action == config::TimeoutAction::kReject;
  int64_t next_ns = 0;
  for (const auto& [id, sequence] : sequences_) {
    for (const Waiting& waiting : sequence->waiting) {
      const core::InferRequest& request = *waiting.queued.request;
      next_ns = Earlier(next_ns, Earlier(request.deadline_ns, rejects ? waiting.timeout_at_ns : 0));
      if (request.cancel != nullptr) next_ns = Earlier(next_ns, now_ns + kCancelSweepNs);
    }
  }
  // If many requests expire one by one, one scan handles several of them.
  return next_ns == 0 ? 0 : std::max(next_ns, now_ns + kCancelSweepNs / 10);
}

}  // namespace inferd::scheduling
