#include "net/loop_group.h"

#include <algorithm>

#include "base/system/usable_cpus.h"
#include "net/event_loop.h"

namespace inferd::net {

LoopGroup::LoopGroup(size_t loops) {
  if (loops == 0) loops = static_cast<size_t>(std::min(base::UsableCpus(), 8));
  for (size_t i = 0; i < loops; ++i) loops_.push_back(std::make_unique<EventLoop>(i));
  spare_ = std::make_unique<EventLoop>(loops, "health", false);
}

LoopGroup::~LoopGroup() { Stop(); }

Loop& LoopGroup::at(size_t index) { return *loops_[index]; }

void LoopGroup::Stop() {
  for (auto& loop : loops_) loop->Stop();
  spare_->Stop();
}

}  // namespace inferd::net
