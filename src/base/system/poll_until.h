#pragma once

#include <chrono>

namespace inferd::base {

// Waits until a descriptor has one of `events` (poll(2); end of file and errors always count) or the deadline passes.
// Returns true if it has one.
bool PollUntil(int descriptor, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace inferd::base
