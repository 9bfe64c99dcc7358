#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"

namespace inferd::base {

// One pass of a thread that works in turns, such as an event loop's. In a turn the thread takes everything that is
// ready and hands it on piece by piece. A receiver may collect the pieces until the turn ends and handle them together.
// That costs no time, since the thread would do nothing else in between. In this way several executions of models run
// in a row, followed by the work for their responses, and the code of each step is fetched once for all of them. Bound
// to its thread.
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
// Other threads can take a movable turn from a thread that is stuck in foreign code. The thread lends its turn while it
// runs foreign code (Loan). A watch takes a turn that was lent for too long, and another thread continues it. The first
// thread notices when the foreign code returns: from then on its Current() is null. Only steps and tasks of End() can
// lend, because nothing below them on the stack uses state that is bound to the thread.
class Turn final {
 public:
  // The thread's means of waiting between its turns.
  class Waits {
   public:
    // See Turn::AwaitReadable().
    virtual bool AwaitReadable(int descriptor, Task ready) = 0;

   protected:
    ~Waits() = default;
  };

  // Watches turns that are lent. WatchLent() is called on the turn's thread, a few times per second at most.
  class Watch {
   public:
    virtual void WatchLent() = 0;

   protected:
    ~Watch() = default;
  };

  // The borrower of a turn. OnMoved() is called on the thread that continues the turn, before the first thread notices
  // the move.
  class Borrower {
   public:
    virtual void OnMoved() = 0;

   protected:
    ~Borrower() = default;
  };

  // Work for the thread to do next, without a memory allocation.
  struct Step {
    void (*run)(void* first, void* second) = nullptr;  // null if there is no step
    void* first = nullptr;
    void* second = nullptr;
  };

  // `name` is the thread's, for reports. If `executes` is false, the thread does quick work only, and no model runs on
  // it. If `waits` is null, it cannot wait for descriptors. If `executor` is null, other threads cannot post to it. If
  // `watch` is null, the turn is not movable.
  explicit Turn(std::string name = {}, bool executes = true, Waits* waits = nullptr, Executor* executor = nullptr,
                Watch* watch = nullptr)
      : name_(std::move(name)), executes_(executes), waits_(waits), executor_(executor), watch_(watch) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  const std::string& name() const { return name_; }
  bool executes() const { return executes_; }

  // The calling thread's turn. Null if the thread does not work in turns.
  static Turn* Current() { return current_ == nullptr ? nullptr : &current_->turn_; }

  // Makes `turn` the calling thread's turn for the scope's lifetime.
  class Scope final {
   public:
    explicit Scope(Turn& turn);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // The calling thread's innermost scope. Null if the thread has none, or has lost it.
    static Scope* Current() { return current_; }
    Turn& turn() const { return turn_; }

    // True while the turn is lent. May be called on any thread.
    bool lent() const { return lent_until_ns_.load(std::memory_order_relaxed) > 0; }
    // For the watch: takes the turn if it is lent and its loan ended at `now_ns` or earlier. Returns true if it did.
    // Then the caller must call Return(), or Move() on the thread that continues the turn.
    bool Take(int64_t now_ns);
    void Return() { lent_until_ns_.store(taken_until_ns_, std::memory_order_release); }
    // Moves the turn to the calling thread. The scope may be gone afterwards.
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
    int64_t loan_until_ns_ = 0;              // on the thread itself; 0 if its turn is not lent, or was taken back
    std::atomic<int64_t> lent_until_ns_{0};  // 0 if not lent; or one of the constants above
    int64_t taken_until_ns_ = 0;             // used by the watch
    std::vector<Task> left_;                 // the tasks that the thread is in when it loses the turn
  };

  // Lends the calling thread's turn for the loan's lifetime, if the turn `is_lendable()`. After `until_ns` of the clock
  // (base::SystemClock) the watch may take it. Code that the thread calls meanwhile must not touch anything bound to
  // the turn, except inside a Recall.
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

  // Takes a lent turn back for its lifetime, then lends it again. Does nothing on a thread that has not lent its turn.
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

  // Announces, for its lifetime and if `more`, that further pieces follow the current one. Scopes nest: a connection
  // among many may have many requests. `turn` may be null.
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

  // Asks the thread to look for ready work once more, without waiting, before the turn ends. For receivers that would
  // rather collect more pieces first.
  void LookAgain() { look_again_ = true; }
  // Returns true, once, if another look was asked for.
  bool TakeLookAgain() { return std::exchange(look_again_, false); }

  // Runs `task` when the turn ends, in the order of the calls. Tasks that it adds meanwhile run then, too.
  void AtEnd(Task task) { tasks_.push_back(std::move(task)); }
  // Runs `task` at the end of the next turn. For work that has already kept this thread for long enough.
  void AtNextEnd(Task task) { next_.push_back(std::move(task)); }

  // Runs `ready` once, in a later turn, when the descriptor is readable or its other end is closed. It may run
  // spuriously, if the descriptor is awaited again or the thread ends first. Returns false if the thread cannot wait
  // for it.
  bool AwaitReadable(int descriptor, Task ready) {
    return waits_ != nullptr && waits_->AwaitReadable(descriptor, std::move(ready));
  }

  // Runs tasks in later turns of this thread. It outlives the requests that the thread hands over. May be null.
  Executor* executor() const { return executor_; }

  // True if the next turn has work already.
  bool continues() const { return !next_.empty(); }
  void Begin();
  // Runs the turn's tasks; may be called several times in a turn. Returns false if this thread has lost the turn and
  // must not touch it any more.
  bool End() { return (step_.run == nullptr && tasks_.empty() && running_.empty()) || EndWork(); }

  // True if other threads can take the turn.
  bool is_movable() const { return watch_ != nullptr; }
  // True if this thread may lend its turn now: it is in a step, or in a task of End().
  bool is_lendable() const { return in_step_; }
  // Sets a movable turn's step. It runs as soon as the thread is done with the current piece. No step may be set yet.
  void SetStep(Step step) { step_ = step; }
  bool has_step() const { return step_.run != nullptr; }
  // Runs the step, and further steps that it sets. Returns false like End().
  [[nodiscard]] bool RunStep() { return step_.run == nullptr || RunSteps(); }
  // For the watch: makes the next loan call WatchLent() again.
  void StopWatching() { watched_.store(false, std::memory_order_seq_cst); }

 private:
  void AskForWatch();
  bool RunSteps();
  bool EndWork();
  // Called on the thread that continues the turn. Returns the tasks that the thread which lost the turn is in.
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
  size_t begun_ = 0;  // number of running_ that have begun
};

// Prevents executions of models from starting on the calling thread for its lifetime. They start on their instances'
// own threads instead. For threads that an execution or an engine needs back.
class NoExecutions final {
 public:
  explicit NoExecutions(const char* name) : turn_(name, false), here_(turn_) {}
  NoExecutions(const NoExecutions&) = delete;
  NoExecutions& operator=(const NoExecutions&) = delete;

 private:
  Turn turn_;
  const Turn::Scope here_;
};

}  // namespace inferd::base
