#pragma once

#include <chrono>

namespace inferd::base {

// Whether a file has one of `events` (as of poll(2); its end and errors are always among them) before the time is up.
// Blocks.
bool PollUntil(int descriptor, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace inferd::base
