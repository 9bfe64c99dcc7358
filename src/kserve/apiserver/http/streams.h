#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "kserve/apiserver/http/stream.h"
#include "kserve/apiserver/store/object_store.h"
#include "net/loop/loop.h"

namespace inferd::apiserver {

// The streams of one loop. They are pumped when the store changes and when clients have read, and ticked by the clock.
// Create as a shared_ptr. Loop-bound, except for the constructor. Store and loop must outlive it.
class Streams final : public std::enable_shared_from_this<Streams> {
 public:
  static constexpr size_t kStreamsMax = 1000;

  Streams(apiserver::ObjectStore& store, net::Loop& loop) : store_(store), loop_(loop) {}
  ~Streams();

  // Call once after construction.
  void Begin();
  bool full() const { return streams_.size() >= kStreamsMax; }
  void Add(std::unique_ptr<Stream> stream);
  // Ends all streams.
  void Finish();

 private:
  struct Running {
    std::unique_ptr<Stream> stream;
    net::Loop::TimerId timer = 0;  // of its timeout; 0 for none
    bool posted = false;           // true if a task will pump it again
  };

  void PumpAll();
  void TickAll();
  // Call whenever a stream may have written.
  void LookAfter(uint64_t id);
  void PumpLater(uint64_t id, Running& running);
  void Remove(uint64_t id);

  apiserver::ObjectStore& store_;
  net::Loop& loop_;
  uint64_t subscription_ = 0;
  std::shared_ptr<std::atomic<bool>> posted_ = std::make_shared<std::atomic<bool>>(false);
  bool ticking_ = false;
  uint64_t next_ = 1;
  std::map<uint64_t, Running> streams_;
};

}  // namespace inferd::apiserver
