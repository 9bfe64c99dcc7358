#include "protocols/grpc_health/watchers.h"

#include <utility>

#include "health/health.pb.h"
#include "net/grpc/generated_message.h"

namespace inferd::grpc_health {

using ::grpc::health::v1::HealthCheckResponse;

net::grpc::Message ResponseOf(State state) {
  HealthCheckResponse response;
  switch (state) {
    case State::kServing: response.set_status(HealthCheckResponse::SERVING); break;
    case State::kNotServing: response.set_status(HealthCheckResponse::NOT_SERVING); break;
    case State::kUnknown: response.set_status(HealthCheckResponse::SERVICE_UNKNOWN); break;
  }
  return net::grpc::Encode(response);
}

Watchers::Watchers(std::shared_ptr<const Environment> environment) : environment_(std::move(environment)) {}

Watchers::~Watchers() {
  if (timer_ != 0) loop_->CancelTimer(timer_);
}

void Watchers::Add(std::string service, net::grpc::Responder responder) {
  if (watchers_.size() >= environment_->watchers_max) {
    return responder.Finish(base::ResourceExhausted("too many Watch calls are open"));
  }
  loop_ = &responder.loop();
  const uint64_t id = next_id_++;
  Watcher& watcher =
      watchers_.emplace(id, Watcher{.service = std::move(service), .responder = std::move(responder)}).first->second;
  watcher.responder.OnCancelled([self = weak_from_this(), id] {
    if (const auto watchers = self.lock()) {
      if (Watcher* cancelled = watchers->Find(id)) cancelled->cancelled = true;
    }
  });
  Tell(id, watcher);
  if (closed_) return Close();
  if (timer_ == 0) timer_ = loop_->RunAfter(environment_->look_every, [this] { Look(); });
}

void Watchers::Close() {
  closed_ = true;
  for (auto& [id, watcher] : watchers_) {
    Tell(id, watcher);
    watcher.responder.Finish(base::Unavailable("the server is shutting down"));
  }
  watchers_.clear();
}

void Watchers::Look() {
  std::erase_if(watchers_, [](const auto& entry) { return entry.second.cancelled; });
  for (auto& [id, watcher] : watchers_) Tell(id, watcher);
  timer_ = watchers_.empty() ? 0 : loop_->RunAfter(environment_->look_every, [this] { Look(); });
}

void Watchers::Tell(uint64_t id, Watcher& watcher) {
  if (!watcher.writable) return;
  const State state = StateOf(*environment_, watcher.service);
  if (watcher.told == state) return;
  watcher.told = state;
  watcher.writable = watcher.responder.Write(ResponseOf(state));
  if (watcher.writable) return;
  watcher.responder.OnWritable([self = weak_from_this(), id] {
    if (const auto watchers = self.lock()) {
      if (Watcher* waiting = watchers->Find(id)) waiting->writable = true;
    }
  });
}

Watchers::Watcher* Watchers::Find(uint64_t id) {
  const auto found = watchers_.find(id);
  return found == watchers_.end() ? nullptr : &found->second;
}

}  // namespace inferd::grpc_health
