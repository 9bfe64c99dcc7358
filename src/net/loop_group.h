#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/loop/loop.h"
#include "net/loop/loop_watch.h"

namespace inferd::net {

class EventLoop;

// The server's loop threads, and one spare loop on which no execution ever runs. The spare loop has the connections
// that must be answered even if the other loops are blocked (Server). Created where the server is composed. Must
// outlive every server, client and Reply on its loops. The threads run from construction to Stop(). Thread-safe, except
// Stop() and destruction, which are for the owner only.
class LoopGroup final {
 public:
  // If `loops` is 0, there is one per core, at most 8.
  explicit LoopGroup(size_t loops = 0);
  ~LoopGroup();
  LoopGroup(const LoopGroup&) = delete;
  LoopGroup& operator=(const LoopGroup&) = delete;

  size_t size() const { return loops_.size(); }
  // Loop::index() of each loop is below this; the spare loop's is size().
  size_t index_end() const { return loops_.size() + 1; }
  Loop& at(size_t index);

  // Ends the threads and joins them, including threads that loops were moved from. Must not be called on a loop thread.
  // Posted tasks that have not run are destroyed unrun, and so are tasks that are posted later.
  void Stop();

 private:
  friend class Server;

  LoopWatch watch_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::unique_ptr<EventLoop> spare_;
};

}  // namespace inferd::net
