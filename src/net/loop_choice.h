#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace inferd::net {

struct LoopLoad {
  size_t connections = 0;
  int64_t turn_ns = 0;  // duration of its current turn; 0 if it waits
};

// Chooses the loop for a new connection: the first that has fewer than `packed` connections, or else the one with the
// fewest. Skips loops whose turn has lasted longer than `held_ns`. Returns loops.size() if that excludes all.
//
// A loop with several connections finds the next request waiting when it has answered one. Loops with one connection
// each go to sleep and are woken for every request; with four connections that is a third of the cost of a small
// request (docs/performance.md). Many connections spread over all loops. Loops are not meant to run long work, so
// packed connections wait only for each other's short work. A model that was quick and then hangs does block a loop
// (docs/batching.md); new connections must then get another loop.
size_t ChooseLoop(std::span<const LoopLoad> loops, size_t packed, int64_t held_ns);

}  // namespace inferd::net
