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

// The Watch calls of one loop. Each gets its service's state at once, and again when it changes. A timer of the loop
// checks, as long as there are any. Loop-bound. Held by shared_ptr, as the calls' tasks refer to it weakly.
class Watchers final : public std::enable_shared_from_this<Watchers> {
 public:
  explicit Watchers(std::shared_ptr<const Environment> environment);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  void Add(std::string service, net::grpc::Responder responder);
  // Sends the state to each once more and finishes it. Later calls are finished at once.
  void Close();

 private:
  struct Watcher {
    std::string service;
    net::grpc::Responder responder;
    std::optional<State> told = std::nullopt;
    bool writable = true;  // false while the client's window is closed; afterwards it gets the state of that time
    bool cancelled = false;
  };

  void Look();
  void Tell(uint64_t id, Watcher& watcher);
  Watcher* Find(uint64_t id);

  const std::shared_ptr<const Environment> environment_;
  std::map<uint64_t, Watcher> watchers_;
  uint64_t next_id_ = 0;
  bool closed_ = false;
  net::Loop* loop_ = nullptr;  // known from the first call on
  net::Loop::TimerId timer_ = 0;
};

}  // namespace inferd::grpc_health
