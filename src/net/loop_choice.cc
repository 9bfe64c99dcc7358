#include "net/loop_choice.h"

namespace inferd::net {

size_t ChooseLoop(std::span<const LoopLoad> loops, size_t packed, int64_t held_ns) {
  const auto held = [held_ns](const LoopLoad& loop) { return loop.turn_ns > held_ns; };
  const LoopLoad* chosen = nullptr;
  for (const LoopLoad& loop : loops) {
    if (held(loop)) continue;
    if (loop.connections < packed) return static_cast<size_t>(&loop - loops.data());
    if (chosen == nullptr || loop.connections < chosen->connections) chosen = &loop;
  }
  if (chosen == nullptr) return loops.size();
  return static_cast<size_t>(chosen - loops.data());
}

}  // namespace inferd::net
