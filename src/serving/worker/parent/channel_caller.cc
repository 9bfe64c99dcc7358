#include "serving/worker/parent/channel_caller.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "data/tensor/raw.h"

namespace inferd::worker {

namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kLookEveryNs = 20 * kNsPerMs;  // for cancellations and the worker's signs of life
constexpr uint64_t kMessageBytesMax = 16 << 20;
constexpr int kUselessAnswersMax = 16;  // per execution, after all its requests were answered

int64_t NowNs() { return base::SystemClock().NowNs(); }

base::Status Garbage(std::string_view what) {
  return base::Unavailable("its worker process wrote what cannot be, and was ended: " + std::string(what));
}

}  // namespace

ChannelCaller::ChannelCaller(std::shared_ptr<ChannelMemory> memory, std::shared_ptr<const BodyMemory> bodies,
                             std::shared_ptr<WorkerLife> life, std::shared_ptr<const ModelDescription> model,
                             int64_t hang_timeout_ns, std::shared_ptr<InstanceCalls> instance)
    : memory_(std::move(memory)),
      bodies_(std::move(bodies)),
      life_(std::move(life)),
      model_(std::move(model)),
      hang_timeout_ns_(hang_timeout_ns),
      instance_(std::move(instance)) {
  life_->Watch(memory_);
}

base::Status ChannelCaller::Begin(core::Execution& execution) {
  const InputAreas areas = {.call = memory_->call_area(),
                            .bodies = bodies_ == nullptr ? std::span<const std::byte>() : bodies_->area()};
  INFERD_ASSIGN_OR_RETURN(const PlacedCall call, PlaceCall(execution, *model_, areas, writer_));
  used_bytes_ = call.used();
  answered_.assign(execution.request_count(), false);
  useless_ = 0;
  ChannelHeader& header = memory_->header();
  // The loss of the process rings the bell, too. Collect() reports that.
  if (header.answers.rung.load(std::memory_order_acquire) != taken_ && !life_->lost()) {
    life_->Kill(Garbage("an answer to no execution"));
    return life_->why();
  }
  header.call_offset = call.offset;
  header.call_bytes = call.bytes;
  header.call_number = instance_->begun.fetch_add(1, std::memory_order_relaxed);
  execution.MarkInputsReady();
  begun_ns_ = NowNs();
  idle_.store(false, std::memory_order_relaxed);
  {
    const base::MutexLock lock(mutex_);
    under_way_ = &execution;
    under_way_number_ = ++begun_;
  }
  header.calls.Ring();
  return base::OkStatus();
}

base::Status ChannelCaller::FindOrigin(core::CallOrigin& origin) const {
  const base::MutexLock lock(mutex_);
  if (under_way_ == nullptr || under_way_number_ != origin.execution) {
    return base::FailedPrecondition("the execution that the call is made in is over");
  }
  core::CallOrigin found = under_way_->Origin(origin.request);
  found.model = std::move(origin.model);
  found.version = origin.version;
  origin = std::move(found);
  return base::OkStatus();
}

void ChannelCaller::ShareCore() {
  if (partner_ == 0) {
    partner_ = memory_->header().thread.load(std::memory_order_acquire);
    if (partner_ == 0) return;
    // Check that the thread belongs to the worker: the worker may name any.
    const pid_t process = life_->process();
    if (process <= 0 || partner_ < 0 || ::syscall(SYS_tgkill, process, partner_, 0) != 0) partner_ = -1;
  }
  if (partner_ > 0) core_.Share(partner_);
}

bool ChannelCaller::Collect(core::Execution& execution, int64_t patience_ns) {
  Doorbell& answers = memory_->header().answers;
  const int64_t begun_ns = NowNs();
  for (;;) {
    const uint32_t rung = answers.rung.load(std::memory_order_acquire);
    if (life_->lost()) {
      execution.RespondAll({life_->why()});
      Finish(execution);
      return true;
    }
    if (rung != taken_) {
      if (TakeReady(execution, rung)) return true;
      if (!hold_.holding()) continue;
    }
    const int64_t now_ns = NowNs();
    const int64_t left_ns = patience_ns - (now_ns - begun_ns);
    if (left_ns <= 0) return false;
    if (now_ns - SignNs() >= hang_timeout_ns_) {
      life_->Kill(base::Unavailable("its worker process gave no sign of life for " +
                                    std::to_string(hang_timeout_ns_ / kNsPerMs) +
                                    " ms, and was ended (inferd { worker { hang_timeout_ms } })"));
      continue;
    }
    PassCancellations(execution);
    if (hold_.holding()) {
      hold_.Wait(std::min(left_ns, kLookEveryNs));
      continue;
    }
    const int64_t hang_left_ns = std::max<int64_t>(hang_timeout_ns_ - (now_ns - SignNs()), 0);
    answers.Wait(rung, std::min({left_ns, kLookEveryNs, hang_left_ns}));
  }
}

// Returns true if the execution is finished. Returns false if nothing more can be taken now.
bool ChannelCaller::TakeReady(core::Execution& execution, uint32_t rung) {
  ChannelHeader& header = memory_->header();
  if (rung - taken_ > kRingEntries) {
    life_->Kill(Garbage("more answers than there is room for"));
    return false;
  }
  instance_->last_sign_ns.store(NowNs(), std::memory_order_relaxed);
  while (taken_ != rung) {
    const AnswerEntry entry = header.ring[taken_ % kRingEntries];
    if (StaysInRing(execution, entry)) return false;
    ++taken_;
    header.taken.Ring();
    switch (Take(execution, entry)) {
      case Taken::kAnswer: break;
      case Taken::kFinished: return true;
      case Taken::kGarbage: return false;
    }
  }
  return false;
}

bool ChannelCaller::StaysInRing(const core::Execution& execution, const AnswerEntry& entry) {
  const bool one = entry.kind == static_cast<uint32_t>(AnswerKind::kOne) ||
                   entry.kind == static_cast<uint32_t>(AnswerKind::kOneFinal);
  return one && entry.request < answered_.size() && !answered_[entry.request] && hold_.Holds(execution, entry.request);
}

ChannelCaller::Taken ChannelCaller::Take(core::Execution& execution, const AnswerEntry& entry) {
  if (entry.kind > static_cast<uint32_t>(AnswerKind::kFinished)) {
    life_->Kill(Garbage("an answer of kind " + std::to_string(entry.kind)));
    return Taken::kGarbage;
  }
  const auto kind = static_cast<AnswerKind>(entry.kind);
  if (kind == AnswerKind::kFinished) {
    if (std::ranges::find(answered_, false) != answered_.end()) {
      life_->Kill(Garbage("the end of an execution without all of its answers"));
      return Taken::kGarbage;
    }
    Finish(execution);
    return Taken::kFinished;
  }
  const std::span<const std::byte> area = memory_->answer_area();
  message_.clear();
  if (entry.block != kNoBlock) {
    if (entry.offset > area.size() || entry.bytes > std::min(area.size() - entry.offset, kMessageBytesMax)) {
      life_->Kill(Garbage("an answer of " + std::to_string(entry.bytes) + " bytes at " + std::to_string(entry.offset)));
      return Taken::kGarbage;
    }
    message_.assign(reinterpret_cast<const char*>(area.data() + entry.offset), entry.bytes);
    Release(entry.block);
  }
  if (base::Status status = Pass(execution, kind, entry.request, message_); !status.ok()) {
    life_->Kill(Garbage(status.message()));
    return Taken::kGarbage;
  }
  return Taken::kAnswer;
}

// Returns an error if the worker's message is invalid.
base::Status ChannelCaller::Pass(core::Execution& execution, AnswerKind kind, uint32_t request,
                                 std::string_view message) {
  PlacedAnswer answer{
      .status = base::ResourceExhausted("the worker process has no shared memory left to say what its answer is")};
  if (!message.empty()) {
    INFERD_ASSIGN_OR_RETURN(answer, ReadAnswer(message));
  }
  const bool one = kind != AnswerKind::kAll;
  const bool final = kind != AnswerKind::kOne || !model_->signature.decoupled;
  if (one && (request >= answered_.size() || answered_[request])) {
    return base::Internal("an answer to request " + std::to_string(request) + ", which waits for none");
  }
  core::EngineResponse response{.status = std::move(answer.status), .final = final};
  if (response.status.ok()) {
    const bool may_be_empty = one && final && (model_->signature.decoupled || answer.reschedule);
    INFERD_ASSIGN_OR_RETURN(response.outputs, ToTensors(execution, answer, may_be_empty));
    response.parameters = std::move(answer.parameters);
    response.reschedule = answer.reschedule;
  } else if (!answer.outputs.empty() || !answer.parameters.empty()) {
    return base::Internal("a failure with outputs");
  }
  execution.MarkInferDone();
  if (one) {
    answered_[request] = final;
    execution.Respond(request, std::move(response));
    return base::OkStatus();
  }
  const bool fresh = std::ranges::find(answered_, true) == answered_.end();
  if (response.status.ok() && !fresh) return base::Internal("an answer for all after one for some");
  if (!fresh && std::ranges::find(answered_, false) == answered_.end() && ++useless_ > kUselessAnswersMax) {
    return base::Internal("answers without end to requests that have theirs");
  }
  std::ranges::fill(answered_, true);
  execution.RespondAll(std::move(response));
  return base::OkStatus();
}

base::Result<std::vector<core::InferTensor>> ChannelCaller::ToTensors(const core::Execution& execution,
                                                                      const PlacedAnswer& answer, bool may_be_empty) {
  std::vector<core::InferTensor> tensors;
  if (may_be_empty && answer.outputs.empty()) return tensors;
  if (answer.outputs.size() != execution.outputs.size()) {
    return std::unexpected(base::Internal("an answer of " + std::to_string(answer.outputs.size()) + " outputs, not " +
                                          std::to_string(execution.outputs.size())));
  }
  tensors.reserve(answer.outputs.size());
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    const core::TensorSpec& spec = model_->signature.outputs[execution.outputs[i]];
    if (spec.may_be_missing && answer.outputs[i].datatype == tensor::DataType::kInvalid) {
      if (answer.outputs[i].block != kNoBlock) return std::unexpected(base::Internal("memory of an output left out"));
      tensors.emplace_back();
      continue;
    }
    auto tensor = ToTensor(spec, answer.outputs[i]);
    if (!tensor) return std::unexpected(tensor.error().WithContext("output '" + spec.name + "'"));
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

base::Result<core::InferTensor> ChannelCaller::ToTensor(const core::TensorSpec& spec, const PlacedTensor& placed) {
  const std::span<std::byte> area = memory_->answer_area();
  const bool placeless = placed.block == kNoBlock;
  if (placeless != (placed.bytes == 0) || (!placeless && placed.block >= kBlocksMax) || placed.offset > area.size() ||
      placed.bytes > area.size() - placed.offset) {
    return std::unexpected(base::Internal(std::to_string(placed.bytes) + " bytes at " + std::to_string(placed.offset) +
                                          ", beyond what is shared"));
  }
  const auto datatype = static_cast<int>(placed.datatype);
  const bool known = datatype >= static_cast<int>(tensor::DataType::kBool) && placed.datatype <= tensor::kLastDataType;
  if (!known || (placed.datatype != spec.datatype && !spec.unchecked)) {
    return std::unexpected(base::Internal("datatype " + std::to_string(datatype) + ", not " +
                                          std::string(tensor::DataTypeName(spec.datatype))));
  }
  core::InferTensor tensor;
  tensor.datatype = placed.datatype;
  tensor.shape = placed.shape;
  if (!placeless) {
    std::byte* const data = area.data() + placed.offset;
    if (tensor.datatype == tensor::DataType::kBytes) {
      // BYTES contain lengths, which must not change after the check.
      tensor.data = base::BufferSlice(base::Buffer::CopyOf({reinterpret_cast<const char*>(data), placed.bytes}));
      Release(placed.block);
    } else {
      auto release = [memory = memory_, block = placed.block] {
        memory->header().released[block].store(1, std::memory_order_release);
      };
      tensor.data = base::BufferSlice(base::Buffer::Wrap(data, placed.bytes, std::move(release)));
    }
  }
  INFERD_RETURN_IF_ERROR(tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()));
  return tensor;
}

void ChannelCaller::Release(uint32_t block) {
  if (block < kBlocksMax) memory_->header().released[block].store(1, std::memory_order_release);
}

void ChannelCaller::PassCancellations(const core::Execution& execution) {
  for (size_t i = 0; i < std::min(answered_.size(), kCancelFlags); ++i) {
    if (answered_[i] || !execution.IsCancelled(i)) continue;
    memory_->header().cancelled[i].store(1, std::memory_order_relaxed);
    cancelled_ = std::max(cancelled_, i + 1);
  }
}

void ChannelCaller::ClearCancellations() {
  for (size_t i = 0; i < cancelled_; ++i) memory_->header().cancelled[i].store(0, std::memory_order_relaxed);
  cancelled_ = 0;
}

// From here on, the next call may be placed before this returns.
void ChannelCaller::Finish(core::Execution& execution) {
  {
    const base::MutexLock lock(mutex_);
    under_way_ = nullptr;
  }
  const std::span<std::byte> area = memory_->call_area();
  ChannelMemory::Trim(area, area.first(used_bytes_));
  ClearCancellations();
  hold_ = {};
  answered_.clear();
  idle_.store(true, std::memory_order_release);
  execution.Finish();
}

}  // namespace inferd::worker
