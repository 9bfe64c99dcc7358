#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace inferd::net {

struct LoopLoad {
  size_t connections = 0;
  int64_t turn_ns = 0;  // how long it has been at what it is doing; 0: it waits
};

// Which loop gets a new connection: the first that has fewer than `packed`, or else the one with the fewest; but none
// whose turn has lasted longer than `held_ns`. loops.size() if that holds for all.
//
// A loop that serves several connections finds the next request waiting when it has answered one, where loops with one
// connection each go to sleep and are woken for every request; with four connections that is a third of what a small
// request costs (docs/performance.md). Many connections spread over all loops. Long work is not meant to run on a loop,
// so that packed connections wait for each other's short work alone. A model that has been quick and then hangs does
// hold one (docs/batching.md), and connections that come then are to find another.
size_t ChooseLoop(std::span<const LoopLoad> loops, size_t packed, int64_t held_ns);

}  // namespace inferd::net
