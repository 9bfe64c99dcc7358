#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "serving/worker/parent/back_off.h"

namespace inferd::worker {

class SupervisedModel;

// The models of a worker process and its successors, and when each is due to be loaded:
//
//   coming --Loaded--> up --ProcessLost--> down --Loaded--> up
//   down --Failed--> down, due after a short pause
//   down --Ended: its load ended the process--> out, due after a long pause --Loaded--> up
//
// Not thread-safe.
class Roster final {
 public:
  using Clock = std::chrono::steady_clock;
  using Model = std::shared_ptr<SupervisedModel>;

  // The first and the longest pause of a model whose load has ended a process. The pause doubles each time.
  static constexpr std::chrono::seconds kOutFirst{10};
  static constexpr std::chrono::seconds kOutMost{3600};

  void Add(Model model) { rows_.push_back({.model = std::move(model)}); }
  void Remove(const Model& model);

  void Loaded(const Model& model);
  // Returns the pause.
  std::chrono::nanoseconds Failed(const Model& model, Clock::time_point now);
  void Ended(const Model& model, Clock::time_point now);
  void ProcessLost();

  // Returns the models for a new process to load: all except those that are coming, out, or already up. If there are no
  // others, the one model that is out and due first.
  std::vector<Model> ForNewProcess() const;
  // Returns the models that the running process must load now, and the time of the next one.
  std::vector<Model> Due(Clock::time_point now) const;
  Clock::time_point NextDue() const;

  bool empty() const { return rows_.empty(); }
  bool Has(const Model& model) const;
  // Returns true if any model must be loaded again after the process is lost.
  bool any_loaded() const;
  // Returns true if any model is loaded or being loaded, so that the process is needed.
  bool any_coming_or_up() const;

 private:
  struct Row {
    Model model;
    bool loaded = false;      // was loaded at least once
    bool up = false;          // is loaded now
    int ended_processes = 0;  // processes ended since it was up; out if above 0
    BackOff back_off = {};
    Clock::time_point due = {};
  };

  Row* Find(const Model& model);

  std::vector<Row> rows_;
};

}  // namespace inferd::worker
