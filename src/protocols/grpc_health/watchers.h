#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "net/grpc/responder.h"
#include "protocols/grpc_health/state.h"

namespace inferd::grpc_health {

net::grpc::Message ResponseOf(State state);

// The Watch calls of one loop: each is told its service's state at once, and again when it has changed. A timer of the
// loop looks, while there are any. Loop-bound; held by shared_ptr, as the calls' tasks refer to it weakly.
class Watchers final : public std::enable_shared_from_this<Watchers> {
 public:
  explicit Watchers(std::shared_ptr<const Environment> environment);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  void Add(std::string service, net::grpc::Responder responder);
  // Tells each once more, and finishes it; those that come later, at once.
  void Close();

 private:
  struct Watcher {
    std::string service;
    net::grpc::Responder responder;
    std::optional<State> told = std::nullopt;
    bool writable = true;  // not while the client's window is shut: it gets what is true then
    bool cancelled = false;
  };

  void Look();
  void Tell(uint64_t id, Watcher& watcher);
  Watcher* Find(uint64_t id);

  const std::shared_ptr<const Environment> environment_;
  std::map<uint64_t, Watcher> watchers_;
  uint64_t next_id_ = 0;
  bool closed_ = false;
  net::Loop* loop_ = nullptr;  // known by the first call
  net::Loop::TimerId timer_ = 0;
};

}  // namespace inferd::grpc_health
