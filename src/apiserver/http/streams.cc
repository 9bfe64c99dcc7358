#include "apiserver/http/streams.h"

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
  // One task stands for all changes until it runs.
  subscription_ = store_.Subscribe([weak = weak_from_this(), posted = posted_, &loop = loop_] {
    if (posted->exchange(true)) return;
    loop.Post([weak, posted] {
      posted->store(false);
      if (const auto self = weak.lock(); self != nullptr) self->PumpAll();
    });
  });
}

void Streams::Add(std::unique_ptr<Stream> stream) {
  const uint64_t id = next_++;
  Stream& added = *streams_.emplace(id, std::move(stream)).first->second;
  added.Start();
  if (!added.over()) {
    added.reply().OnPeerGone([weak = weak_from_this(), id] {
      if (const auto self = weak.lock(); self != nullptr) self->Remove(id);
    });
    loop_.RunAfter(added.timeout(), [weak = weak_from_this(), id] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      const auto found = self->streams_.find(id);
      if (found != self->streams_.end()) found->second->Finish();
      self->Remove(id);
    });
  }
  LookAfter(id);
  if (!std::exchange(ticking_, true)) TickAll();
}

void Streams::LookAfter(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  if (found->second->over()) return Remove(id);
  if (!found->second->full()) return;
  found->second->reply().OnWritable([weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto stream = self->streams_.find(id);
    if (stream == self->streams_.end()) return;
    stream->second->Resume();
    stream->second->Pump();
    self->LookAfter(id);
  });
}

void Streams::PumpAll() {
  std::vector<uint64_t> pumped;
  for (const auto& [id, stream] : streams_) {
    if (stream->full()) continue;
    stream->Pump();
    if (stream->full() || stream->over()) pumped.push_back(id);
  }
  for (const uint64_t id : pumped) LookAfter(id);
}

void Streams::TickAll() {
  if (streams_.empty()) {
    ticking_ = false;
    return;
  }
  std::vector<uint64_t> ticked;
  for (const auto& [id, stream] : streams_) {
    if (stream->full()) continue;
    stream->Tick();
    if (stream->full() || stream->over()) ticked.push_back(id);
  }
  for (const uint64_t id : ticked) LookAfter(id);
  loop_.RunAfter(kTick, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self != nullptr) self->TickAll();
  });
}

void Streams::Remove(uint64_t id) { streams_.erase(id); }

void Streams::Finish() {
  for (const auto& [id, stream] : streams_) stream->Finish();
  streams_.clear();
}

}  // namespace inferd::apiserver
