#include "serving/worker/child/hosted_execution.h"

#include <new>

namespace inferd::worker {

namespace {

constexpr int64_t kRingWaitNs = 100'000'000;

}  // namespace

HostedExecution::HostedExecution(std::shared_ptr<ChannelMemory> memory, uint64_t channel,
                                 std::shared_ptr<const BodyView> bodies)
    : memory_(std::move(memory)),
      channel_(channel),
      bodies_(std::move(bodies)),
      allocator_(std::make_shared<BlockAllocator>(memory_->header(), memory_->answer_area())) {}

base::Status HostedExecution::Begin() {
  ++begun_;
  finished_.store(false, std::memory_order_relaxed);
  refused_bytes_.store(0, std::memory_order_relaxed);
  const ChannelHeader& header = memory_->header();
  const std::span<std::byte> area = memory_->call_area();
  const uint64_t offset = header.call_offset;
  const uint64_t bytes = header.call_bytes;
  if (offset > area.size() || bytes > area.size() - offset) return base::Internal("a call beyond its area");
  const InputAreas areas = {.call = area,
                            .bodies = bodies_ == nullptr ? std::span<const std::byte>() : bodies_->area()};
  return ReadCall({reinterpret_cast<const char*>(area.data() + offset), bytes}, areas, *this, requests_);
}

void HostedExecution::Refuse(base::Status status) {
  RespondAll({std::move(status)});
  Finish();
}

void HostedExecution::WaitUntilFinished() { finished_.wait(false, std::memory_order_acquire); }

bool HostedExecution::IsCancelled(size_t i) const {
  return i < kCancelFlags && memory_->header().cancelled[i].load(std::memory_order_relaxed) != 0;
}

core::CallOrigin HostedExecution::Origin(uint64_t i) const {
  core::CallOrigin origin;
  origin.channel = channel_;
  origin.execution = begun_;
  origin.request = i;
  return origin;
}

base::Buffer HostedExecution::AllocateOutput(int /*output*/, size_t bytes, base::MemoryPlace /*wish*/) {
  const auto block = allocator_->Allocate(bytes);
  if (!block.has_value()) {
    refused_bytes_.store(bytes, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  return base::Buffer::Wrap(block->data, bytes, [allocator = allocator_, index = block->index, use = block->use] {
    allocator->Drop(index, use);
  });
}

base::Status HostedExecution::NoRoom(size_t bytes) const {
  return base::ResourceExhausted("an output of " + std::to_string(bytes) + " bytes does not fit what is free of the " +
                                 std::to_string(memory_->answer_area().size()) +
                                 " bytes that the model's worker process shares for outputs "
                                 "(inferd { worker { shared_memory_bytes } })");
}

PlacedTensor HostedExecution::Place(const core::InferTensor& tensor, base::Status* status) {
  PlacedTensor placed{.datatype = tensor.datatype, .shape = tensor.shape, .bytes = tensor.data.size()};
  if (tensor.data.empty()) return placed;
  const std::byte* data = tensor.data.data();
  auto block = allocator_->Find(tensor.data.bytes());
  if (!block.has_value()) {
    block = allocator_->Allocate(tensor.data.size());
    if (!block.has_value()) {
      *status = NoRoom(tensor.data.size());
      return placed;
    }
    std::memcpy(block->data, data, tensor.data.size());
    data = block->data;
  }
  placed.offset = static_cast<uint64_t>(data - memory_->answer_area().data());
  placed.block = block->index;
  allocator_->Give(block->index);
  return placed;
}

PlacedAnswer HostedExecution::Place(core::EngineResponse response) {
  base::Status& status = response.status;
  if (const size_t refused = refused_bytes_.load(std::memory_order_relaxed); !status.ok() && refused > 0) {
    status = NoRoom(refused);
  }
  PlacedAnswer answer;
  for (const core::InferTensor& tensor : response.outputs) answer.outputs.push_back(Place(tensor, &status));
  if (status.ok()) {
    answer.parameters = std::move(response.parameters);
    answer.reschedule = response.reschedule;
  } else {
    Release(answer);
    answer.outputs.clear();
  }
  answer.status = std::move(status);
  return answer;
}

void HostedExecution::Release(const PlacedAnswer& answer) {
  for (const PlacedTensor& placed : answer.outputs) {
    if (placed.block != kNoBlock) memory_->header().released[placed.block].store(1, std::memory_order_release);
  }
}

void HostedExecution::Send(AnswerKind kind, uint32_t request, core::EngineResponse response) {
  const PlacedAnswer answer = Place(std::move(response));
  base::MutexLock lock(mutex_);
  WriteAnswer(answer, writer_);
  AnswerEntry entry = {.kind = static_cast<uint32_t>(kind), .request = request, .block = kNoBlock};
  if (const auto block = allocator_->Allocate(writer_.text().size())) {
    std::memcpy(block->data, writer_.text().data(), writer_.text().size());
    allocator_->Give(block->index);
    entry.block = block->index;
    entry.offset = static_cast<uint64_t>(block->data - memory_->answer_area().data());
    entry.bytes = writer_.text().size();
  } else {
    Release(answer);
  }
  Post(entry);
}

void HostedExecution::Post(const AnswerEntry& entry) {
  ChannelHeader& header = memory_->header();
  for (;;) {
    const uint32_t taken = header.taken.rung.load(std::memory_order_acquire);
    if (posted_ - taken < kRingEntries) break;
    header.taken.Wait(taken, kRingWaitNs);
  }
  header.ring[posted_ % kRingEntries] = entry;
  ++posted_;
  // After an answer for all, only the end follows: wake the server once for both. The server looks by itself soon, in
  // case the engine is slow to finish.
  if (entry.kind == static_cast<uint32_t>(AnswerKind::kAll)) {
    header.answers.Count();
  } else {
    header.answers.Ring();
  }
}

void HostedExecution::Respond(size_t i, core::EngineResponse response) {
  const AnswerKind kind = response.final ? AnswerKind::kOneFinal : AnswerKind::kOne;
  Send(kind, static_cast<uint32_t>(i), std::move(response));
}

void HostedExecution::RespondAll(core::EngineResponse response) { Send(AnswerKind::kAll, 0, std::move(response)); }

// From here on, the server may place the next call. The channel's thread looks at it after this returns.
void HostedExecution::Finish() {
  {
    base::MutexLock lock(mutex_);
    Post({.kind = static_cast<uint32_t>(AnswerKind::kFinished), .request = 0, .block = kNoBlock});
  }
  finished_.store(true, std::memory_order_release);
  finished_.notify_all();
}

}  // namespace inferd::worker
