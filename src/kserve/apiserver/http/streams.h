#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "kserve/apiserver/http/stream.h"
#include "kserve/apiserver/store/object_store.h"
#include "net/loop/loop.h"

namespace inferd::apiserver {

// The streams of one loop: pumped when the store changes, when clients take what was written, and by the clock. Made as
// shared; loop-bound but for construction. Store and loop outlive it.
class Streams final : public std::enable_shared_from_this<Streams> {
 public:
  static constexpr size_t kStreamsMax = 1000;

  Streams(apiserver::ObjectStore& store, net::Loop& loop) : store_(store), loop_(loop) {}
  ~Streams();

  // Call once, behind construction.
  void Begin();
  bool full() const { return streams_.size() >= kStreamsMax; }
  void Add(std::unique_ptr<Stream> stream);
  // Ends all.
  void Finish();

 private:
  struct Running {
    std::unique_ptr<Stream> stream;
    net::Loop::TimerId timer = 0;  // of the end of its time; 0: none
    bool posted = false;           // it is unfinished, and to be pumped
  };

  void PumpAll();
  void TickAll();
  // Once something may have been written to it.
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
