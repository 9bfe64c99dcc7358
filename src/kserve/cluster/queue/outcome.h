#pragma once

#include <chrono>
#include <optional>

namespace inferd::cluster {

// What becomes of an object that was looked at.
struct Outcome {
  bool retry = false;                                 // something failed that another try may mend
  std::optional<std::chrono::milliseconds> again_in;  // it is to be looked at again then, whether it changes or not
};

// What the server refuses may be mended by others: rights, quotas, webhooks.
inline constexpr std::chrono::milliseconds kRefusedAgain{60'000};

}  // namespace inferd::cluster
