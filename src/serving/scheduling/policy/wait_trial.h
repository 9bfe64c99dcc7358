#pragma once

#include <cstdint>

namespace inferd::scheduling {

// Tries out if clients send fewer rows when their requests wait for others. Clients that wait for a response before
// they send the next request do so, unless larger batches make up for it. Nothing identifies such clients in advance.
//
//   watching --enough rows came without waiting--> trying --enough came with it, and as fast--> settled
//   trying --came slower--> barred --a pause, which doubles each time up to kPausesMax--> trying
//   settled --a long while--> watching, once more
//
// "Enough" is kRows and kNs; "a long while" is kSettled times that. Pure: depends only on what the calls pass in. Not
// thread-safe.
class WaitTrial final {
 public:
  static constexpr int64_t kRows = 512;
  static constexpr int64_t kNs = 250'000'000;
  static constexpr int64_t kSettled = 32;
  static constexpr int64_t kPausesMin = 4;
  static constexpr int64_t kPausesMax = 64;
  static constexpr double kSlowerMax = 0.97;  // of the rows per second without waiting

  enum class State { kWatching, kTrying, kSettled, kBarred };

  // Records that `rows` rows arrived in `elapsed_ns`. `waited` is true if there was a batch delay in that time.
  void Record(int64_t rows, int64_t elapsed_ns, bool waited);

  bool allows_waiting() const { return state_ == State::kTrying || state_ == State::kSettled; }
  State state() const { return state_; }

 private:
  struct Pace {
    int64_t rows = 0;
    int64_t ns = 0;

    bool Enough(int64_t times = 1) const { return rows >= times * kRows && ns >= times * kNs; }
    double PerNs() const { return static_cast<double>(rows) / static_cast<double>(ns); }
  };
  void Enter(State state);

  State state_ = State::kWatching;
  Pace waited_;    // since the state was entered
  Pace unwaited_;  // recent; in kBarred, since it was entered
  int64_t pauses_ = kPausesMin;
};

}  // namespace inferd::scheduling
