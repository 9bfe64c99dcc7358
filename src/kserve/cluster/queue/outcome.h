#pragma once

#include <chrono>
#include <optional>

namespace inferd::cluster {

// The result of reconciling an object.
struct Outcome {
  bool retry = false;                                 // something failed, and a retry may succeed
  std::optional<std::chrono::milliseconds> again_in;  // reconcile again after this time, even without a change
};

// The pause after the API server refused a write. Rights, quotas and webhooks may change meanwhile.
inline constexpr std::chrono::milliseconds kRefusedAgain{60'000};
// The pause while an object of Knative has a needed name. Knative deletes its objects soon after their Knative Service.
// They are not watched, so check again.
inline constexpr std::chrono::milliseconds kKnativeAgain{2'000};

}  // namespace inferd::cluster
