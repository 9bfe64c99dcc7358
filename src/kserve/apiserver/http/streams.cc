#include "kserve/apiserver/http/streams.h"

#include <atomic>
#include <utility>
#include <vector>

namespace inferd::apiserver {

namespace {

constexpr std::chrono::milliseconds kTick{200};

}  // namespace

Streams::~Streams() {
  if (subscription_ != 0) store_.Unsubscribe(subscription_);
}

void Streams::Begin() {
  // One posted task covers all changes until it runs.
  subscription_ = store_.Subscribe([weak = weak_from_this(), posted = posted_, &loop = loop_] {
    if (posted->exchange(true)) return;
    try {
      loop.Post([weak, posted] {
        posted->store(false);
        if (const auto self = weak.lock(); self != nullptr) self->PumpAll();
      });
    } catch (...) {
      posted->store(false);
      throw;
    }
  });
}

void Streams::Add(std::unique_ptr<Stream> stream) {
  const uint64_t id = next_++;
  Running& running = streams_[id];
  running.stream = std::move(stream);
  Stream& added = *running.stream;
  added.Start();
  if (!added.over()) {
    added.reply().OnPeerGone([weak = weak_from_this(), id] {
      if (const auto self = weak.lock(); self != nullptr) self->Remove(id);
    });
    running.timer = loop_.RunAfter(added.timeout(), [weak = weak_from_this(), id] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      const auto found = self->streams_.find(id);
      if (found == self->streams_.end()) return;
      found->second.timer = 0;
      found->second.stream->Finish();
      self->Remove(id);
    });
  }
  LookAfter(id);
  if (!std::exchange(ticking_, true)) TickAll();
}

void Streams::LookAfter(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Stream& looked_after = *found->second.stream;
  if (looked_after.over()) return Remove(id);
  if (!looked_after.full()) {
    if (looked_after.unfinished()) PumpLater(id, found->second);
    return;
  }
  looked_after.reply().OnWritable([weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto writable = self->streams_.find(id);
    if (writable == self->streams_.end()) return;
    writable->second.stream->Resume();
    writable->second.stream->Pump();
    self->LookAfter(id);
  });
}

void Streams::PumpLater(uint64_t id, Running& running) {
  if (std::exchange(running.posted, true)) return;
  loop_.Post([weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto found = self->streams_.find(id);
    if (found == self->streams_.end()) return;
    found->second.posted = false;
    if (!found->second.stream->full()) found->second.stream->Pump();
    self->LookAfter(id);
  });
}

void Streams::PumpAll() {
  std::vector<uint64_t> pumped;
  for (const auto& [id, running] : streams_) {
    Stream* const stream = running.stream.get();
    if (stream->full()) continue;
    stream->Pump();
    if (stream->full() || stream->over() || stream->unfinished()) pumped.push_back(id);
  }
  for (const uint64_t id : pumped) LookAfter(id);
}

void Streams::TickAll() {
  if (streams_.empty()) {
    ticking_ = false;
    return;
  }
  std::vector<uint64_t> ticked;
  for (const auto& [id, running] : streams_) {
    Stream* const stream = running.stream.get();
    if (stream->full()) continue;
    stream->Tick();
    if (stream->full() || stream->over()) ticked.push_back(id);
  }
  for (const uint64_t id : ticked) LookAfter(id);
  loop_.RunAfter(kTick, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self != nullptr) self->TickAll();
  });
}

void Streams::Remove(uint64_t id) {
  const auto removed = streams_.extract(id);
  if (!removed.empty() && removed.mapped().timer != 0) loop_.CancelTimer(removed.mapped().timer);
}

void Streams::Finish() {
  for (const auto& [id, running] : streams_) {
    running.stream->Finish();
    if (running.timer != 0) loop_.CancelTimer(running.timer);
  }
  streams_.clear();
}

}  // namespace inferd::apiserver
