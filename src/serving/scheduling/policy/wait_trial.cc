#include "serving/scheduling/policy/wait_trial.h"

#include <algorithm>

namespace inferd::scheduling {

namespace {
// Over such a time, there were no requests.
constexpr int64_t kSilenceNs = 1'000'000'000;
}  // namespace

void WaitTrial::Record(int64_t rows, int64_t elapsed_ns, bool waited) {
  if (elapsed_ns >= kSilenceNs) return;
  Pace& pace = waited ? waited_ : unwaited_;
  pace.rows += rows;
  pace.ns += elapsed_ns;
  switch (state_) {
    case State::kWatching:
      if (unwaited_.Enough()) Enter(State::kTrying);
      return;
    case State::kTrying:
      // Keeps the pace without waiting recent, if requests do not wait for other reasons.
      if (unwaited_.Enough(2)) unwaited_ = {.rows = unwaited_.rows / 2, .ns = unwaited_.ns / 2};
      if (!waited_.Enough()) return;
      if (waited_.PerNs() >= kSlowerMax * unwaited_.PerNs()) {
        pauses_ = kPausesMin;
        return Enter(State::kSettled);
      }
      return Enter(State::kBarred);
    case State::kSettled:
      if (waited_.Enough(kSettled)) Enter(State::kWatching);
      return;
    case State::kBarred:
      if (!unwaited_.Enough(pauses_)) return;
      pauses_ = std::min(2 * pauses_, kPausesMax);
      Enter(State::kTrying);
      return;
  }
}

void WaitTrial::Enter(State state) {
  state_ = state;
  waited_ = {};
  if (state != State::kTrying) unwaited_ = {};
}

}  // namespace inferd::scheduling
