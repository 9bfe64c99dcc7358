#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/loop/loop.h"
#include "net/loop/loop_watch.h"

namespace inferd::net {

class EventLoop;

// The server's loop threads, and one more that no execution ever runs on: it has the connections that are to be
// answered whatever holds the others (Server). Made where the server is composed; outlives every server, client and
// Reply on its loops. The threads run from construction to Stop. Thread-safe but for Stop and destruction, which are
// the owner's.
class LoopGroup final {
 public:
  // `loops` 0: one per core, at most 8.
  explicit LoopGroup(size_t loops = 0);
  ~LoopGroup();
  LoopGroup(const LoopGroup&) = delete;
  LoopGroup& operator=(const LoopGroup&) = delete;

  size_t size() const { return loops_.size(); }
  // Loop::index() of each is below; the spare loop's is size().
  size_t index_end() const { return loops_.size() + 1; }
  Loop& at(size_t index);

  // Ends the threads and joins them, those that loops were moved from included; not from a loop thread. What was posted
  // and has not run is destroyed unrun, as is all that is posted later.
  void Stop();

 private:
  friend class Server;

  LoopWatch watch_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::unique_ptr<EventLoop> spare_;
};

}  // namespace inferd::net
