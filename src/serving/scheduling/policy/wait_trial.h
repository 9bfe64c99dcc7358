#pragma once

#include <cstdint>

namespace inferd::scheduling {

// Whether clients send fewer rows when they are made to wait for others: those that wait for their answers before they
// send the next do, unless larger batches make up for it, and nothing tells them from others beforehand. So it is
// tried:
//
//   watching --enough rows came without waiting--> trying --enough came with it, and as fast--> settled
//   trying --came slower--> barred --a pause, which doubles each time up to kPausesMax--> trying
//   settled --a long while--> watching, once more
//
// What is enough is kRows and kNs; the settled while is kSettled times that. A pure function of what it is told; not
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

  // So many rows came in so long a time, in which there was a delay or was none.
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
  Pace unwaited_;  // of late; in kBarred since it was entered
  int64_t pauses_ = kPausesMin;
};

}  // namespace inferd::scheduling
