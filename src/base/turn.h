#pragma once

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

  // `name`: the thread's, for reports. `executes` false: the thread is there for what is always quick, and no model
  // runs on it. `waits` null: it waits for nothing else. `executor` null: other threads have no way to it.
  explicit Turn(std::string name = {}, bool executes = true, Waits* waits = nullptr, Executor* executor = nullptr)
      : name_(std::move(name)), executes_(executes), waits_(waits), executor_(executor) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  const std::string& name() const { return name_; }
  bool executes() const { return executes_; }

  // The calling thread's; null: it does not work in turns.
  static Turn* Current();

  // While it lives, `turn` is its thread's.
  class Scope final {
   public:
    explicit Scope(Turn& turn);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Turn* const before_;
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
  // Perhaps several times in a turn.
  void End();

 private:
  const std::string name_;
  const bool executes_;
  Waits* const waits_;
  Executor* const executor_;
  int more_ = 0;
  bool look_again_ = false;
  std::vector<Task> tasks_;
  std::vector<Task> next_;
  std::vector<Task> running_;
};

}  // namespace inferd::base
