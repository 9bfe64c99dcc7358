#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "serving/worker/parent/back_off.h"

namespace inferd::worker {

class SupervisedModel;

// The models of a worker process and of the next ones, and when each is to be loaded there:
//
//   coming --Loaded--> up --ProcessLost--> down --Loaded--> up
//   down --Failed--> down, due after a short pause
//   down --Ended: the process, while it loaded it--> out, due after a long one --Loaded--> up
//
// Not thread-safe.
class Roster final {
 public:
  using Clock = std::chrono::steady_clock;
  using Model = std::shared_ptr<SupervisedModel>;

  // Of a model that has ended a process: the first pause, which doubles, and the longest.
  static constexpr std::chrono::seconds kOutFirst{10};
  static constexpr std::chrono::seconds kOutMost{3600};

  void Add(Model model) { rows_.push_back({.model = std::move(model)}); }
  void Remove(const Model& model);

  void Loaded(const Model& model);
  // Returns the pause.
  std::chrono::nanoseconds Failed(const Model& model, Clock::time_point now);
  void Ended(const Model& model, Clock::time_point now);
  void ProcessLost();

  // What a new process is to load: all but those that are coming, out, or have come to it already; if there are no
  // others, whichever of those that are out is due first.
  std::vector<Model> ForNewProcess() const;
  // What the process that runs is to load now, and when it is to be asked again.
  std::vector<Model> Due(Clock::time_point now) const;
  Clock::time_point NextDue() const;

  bool empty() const { return rows_.empty(); }
  bool Has(const Model& model) const;
  // Whether any is to be restored, once the process is lost.
  bool any_loaded() const;
  // Whether any gives a process its use.
  bool any_coming_or_up() const;

 private:
  struct Row {
    Model model;
    bool loaded = false;      // once
    bool up = false;          // now
    int ended_processes = 0;  // since it was up; above 0: it is out
    BackOff back_off = {};
    Clock::time_point due = {};
  };

  Row* Find(const Model& model);

  std::vector<Row> rows_;
};

}  // namespace inferd::worker
