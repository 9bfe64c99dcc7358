#include "net/loop_group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/system/usable_cpus.h"
#include "net/event_loop.h"

namespace inferd::net {

LoopGroup::LoopGroup(size_t loops) {
  if (loops == 0) loops = static_cast<size_t>(std::min(base::UsableCpus(), 8));
  std::vector<LoopWatch::Subject*> watched;
  for (size_t i = 0; i < loops; ++i) {
    loops_.push_back(std::make_unique<EventLoop>(i, std::string(), true, &watch_));
    watched.push_back(loops_.back().get());
  }
  spare_ = std::make_unique<EventLoop>(loops, "health", false);
  watch_.Start(std::move(watched));
}

LoopGroup::~LoopGroup() { Stop(); }

Loop& LoopGroup::at(size_t index) { return *loops_[index]; }

void LoopGroup::Stop() {
  watch_.Stop();
  for (auto& loop : loops_) loop->Stop();
  spare_->Stop();
}

}  // namespace inferd::net
