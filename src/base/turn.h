#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"

namespace inferd::base {

// What a thread that works in turns, an event loop's, says about the one it is in: it takes all that is ready and hands
// it on piece by piece. Their receiver may wait for the turn's end and then take them together, which costs no time:
// this thread would not have done anything else in between. So several executions of models run in a row, and then what
// is left to do for their answers: the code of each such step is fetched once for all of them. Bound to its thread.
//
//   Turn turn;
//   Turn::Scope here(turn);                      once per thread
//   for (;;) {
//     turn.continues() ? take what is ready : wait for it
//     turn.Begin();
//     for (...) { Turn::More more(turn, not the last); Handle(piece); }
//     turn.TakeLookAgain() ? take what is ready by now, and handle that
//     turn.End();
//   }
//
// Other threads can take a movable turn from a thread that does not come back from foreign code. The thread lends its
// turn for that time (Loan). A watch takes a turn that was lent for too long, and another thread continues it. The
// first thread learns of that when the foreign code returns: Current() is null there from then on. Only steps and tasks
// of End() can lend, since nothing below them on the stack uses what is bound to the thread.
class Turn final {
 public:
  // What the thread waits with between its turns.
  class Waits {
   public:
    // Turn::AwaitReadable.
    virtual bool AwaitReadable(int descriptor, Task ready) = 0;

   protected:
    ~Waits() = default;
  };

  // Looks after the turns that are lent. WatchLent() is called on the turn's thread, a few times per second at most.
  class Watch {
   public:
    virtual void WatchLent() = 0;

   protected:
    ~Watch() = default;
  };

  // The borrower of a turn. OnMoved() is called on the thread that continues the turn, before the first one learns of
  // it.
  class Borrower {
   public:
    virtual void OnMoved() = 0;

   protected:
    ~Borrower() = default;
  };

  // Work for the thread to do next, without memory of its own.
  struct Step {
    void (*run)(void* first, void* second) = nullptr;  // null: there is none
    void* first = nullptr;
    void* second = nullptr;
  };

  // `name`: the thread's, for reports. `executes` false: the thread is there for what is always quick, and no model
  // runs on it. `waits` null: it waits for nothing else. `executor` null: other threads have no way to it. `watch`
  // null: the turn is not movable.
  explicit Turn(std::string name = {}, bool executes = true, Waits* waits = nullptr, Executor* executor = nullptr,
                Watch* watch = nullptr)
      : name_(std::move(name)), executes_(executes), waits_(waits), executor_(executor), watch_(watch) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  const std::string& name() const { return name_; }
  bool executes() const { return executes_; }

  // The calling thread's; null: it does not work in turns.
  static Turn* Current() { return current_ == nullptr ? nullptr : &current_->turn_; }

  // While it lives, `turn` is its thread's.
  class Scope final {
   public:
    explicit Scope(Turn& turn);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // The calling thread's innermost one; null: the thread has none, or has lost it.
    static Scope* Current() { return current_; }
    Turn& turn() const { return turn_; }

    // True while the turn is lent. Any thread.
    bool lent() const { return lent_until_ns_.load(std::memory_order_relaxed) > 0; }
    // The watch: takes a turn that is still lent at `now_ns` and was lent for less time. Returns true if it did. Then
    // Return() follows, or Move() on the thread that continues the turn.
    bool Take(int64_t now_ns);
    void Return() { lent_until_ns_.store(taken_until_ns_, std::memory_order_release); }
    // The scope may be gone afterwards.
    void Move();

   private:
    friend class Turn;
    static constexpr int64_t kTaken = -1;
    static constexpr int64_t kMoved = -2;

    void Lend(int64_t until_ns) {
      loan_until_ns_ = until_ns;
      lent_until_ns_.store(until_ns, std::memory_order_release);
      if (!turn_.watched_.load(std::memory_order_relaxed)) turn_.AskForWatch();
    }
    bool TakeBack(int64_t until_ns) {
      loan_until_ns_ = 0;
      return lent_until_ns_.compare_exchange_strong(until_ns, 0, std::memory_order_acq_rel) || TakeBackLate();
    }
    bool TakeBackLate();

    Turn& turn_;
    Scope* const before_;
    Borrower* borrower_ = nullptr;
    int64_t loan_until_ns_ = 0;              // the thread's; 0: it has not lent its turn, or has taken it back
    std::atomic<int64_t> lent_until_ns_{0};  // 0: not lent; or one of the above
    int64_t taken_until_ns_ = 0;             // the watch's
    std::vector<Task> left_;                 // what the thread is in when it loses the turn
  };

  // Lends the calling thread's turn while it lives, if the turn `is_lendable()`, until the clock (base::SystemClock)
  // says `until_ns`. From then on the watch may take it. What the thread calls meanwhile must not touch what is bound
  // to the turn, except inside a Recall.
  class Loan final {
   public:
    Loan(Scope* scope, int64_t until_ns, Borrower& borrower) : scope_(scope), until_ns_(until_ns) {
      if (scope_ == nullptr) return;
      scope_->borrower_ = &borrower;
      scope_->Lend(until_ns);
    }
    ~Loan() {
      if (scope_ != nullptr) scope_->TakeBack(until_ns_);
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

   private:
    Scope* const scope_;
    const int64_t until_ns_;
  };

  // Takes a lent turn back while it lives, and lends it again. Does nothing on a thread that has lent nothing.
  class Recall final {
   public:
    Recall() : scope_(Scope::Current()) {
      if (scope_ == nullptr) return;
      until_ns_ = scope_->loan_until_ns_;
      if (until_ns_ == 0 || !scope_->TakeBack(until_ns_)) scope_ = nullptr;
    }
    ~Recall() {
      if (scope_ != nullptr) scope_->Lend(until_ns_);
    }
    Recall(const Recall&) = delete;
    Recall& operator=(const Recall&) = delete;

   private:
    Scope* scope_;
    int64_t until_ns_ = 0;
  };

  // While it lives, and if `more`, pieces are known to follow the one at hand. Scopes nest: a connection that is one of
  // many may have many requests. `turn` may be null.
  class More final {
   public:
    More(Turn* turn, bool more) : turn_(more ? turn : nullptr) {
      if (turn_ != nullptr) ++turn_->more_;
    }
    ~More() {
      if (turn_ != nullptr) --turn_->more_;
    }
    More(const More&) = delete;
    More& operator=(const More&) = delete;

   private:
    Turn* const turn_;
  };
  bool more() const { return more_ > 0; }

  // For a receiver that waits for the end and would rather have more pieces first: the thread looks once more for what
  // is ready, without waiting for it.
  void LookAgain() { look_again_ = true; }
  // Whether that was asked for; once.
  bool TakeLookAgain() { return std::exchange(look_again_, false); }

  // Runs `task` when the turn ends, in order of calling; what it asks for in its turn runs then, too.
  void AtEnd(Task task) { tasks_.push_back(std::move(task)); }
  // At the end of the next one: for work that has kept this thread for long enough.
  void AtNextEnd(Task task) { next_.push_back(std::move(task)); }

  // Runs `ready` in a later turn, once, when the descriptor has something to be read or its other end is gone; perhaps
  // for nothing, where it is asked for again, or the thread ends before that. False: the thread cannot wait for it.
  bool AwaitReadable(int descriptor, Task ready) {
    return waits_ != nullptr && waits_->AwaitReadable(descriptor, std::move(ready));
  }

  // Runs tasks in later turns of this thread. It outlives the requests that the thread hands on. May be null.
  Executor* executor() const { return executor_; }

  // Whether the next turn has work, whatever comes.
  bool continues() const { return !next_.empty(); }
  void Begin();
  // Perhaps several times in a turn. False: this thread has lost the turn, and touches it no more.
  bool End() { return (step_.run == nullptr && tasks_.empty() && running_.empty()) || EndWork(); }

  // True if other threads can take the turn.
  bool is_movable() const { return watch_ != nullptr; }
  // True if this thread may lend its turn now: it is in a step, or in a task of End().
  bool is_lendable() const { return in_step_; }
  // For a movable turn: `step` runs as soon as the thread is done with the piece at hand. There must be none yet.
  void SetStep(Step step) { step_ = step; }
  bool has_step() const { return step_.run != nullptr; }
  // Runs the step, and those that it sets. False as End().
  [[nodiscard]] bool RunStep() { return step_.run == nullptr || RunSteps(); }
  // The watch: WatchLent() is called for the next loan.
  void StopWatching() { watched_.store(false, std::memory_order_seq_cst); }

 private:
  void AskForWatch();
  bool RunSteps();
  bool EndWork();
  // On the thread that continues the turn: returns what the thread that lost it is in.
  std::vector<Task> Leave();

  static inline constinit thread_local Scope* current_ = nullptr;

  const std::string name_;
  const bool executes_;
  Waits* const waits_;
  Executor* const executor_;
  Watch* const watch_;
  std::atomic<bool> watched_{false};
  int more_ = 0;
  bool look_again_ = false;
  bool in_step_ = false;
  Step step_;
  std::vector<Task> tasks_;
  std::vector<Task> next_;
  std::vector<Task> running_;
  size_t begun_ = 0;  // of running_
};

}  // namespace inferd::base
