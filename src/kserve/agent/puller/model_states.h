#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kserve/agent/puller/model_list.h"

namespace inferd::agent {

// What is to be done to a model next.
struct ModelStep {
  std::string name;
  std::optional<PulledModel> wanted;  // none: it is to go
  bool here = false;                  // its files are those wanted: only the model server does not have it yet
};

// Which models are wanted, which are here, and what is to be done: each model by itself, one step at a time, again
// after longer and longer pauses where it fails. Pure; not thread-safe. Time is an argument.
class ModelStates final {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `here`: the files that are there at the start; no model server has them yet.
  explicit ModelStates(const PulledModels& here);

  // All that are to be there from now on.
  void Want(const PulledModels& models);

  // The next step, which is under way until Done; nullopt: there is none now.
  std::optional<ModelStep> Begin(Time now);
  // `here`: the files that are there now; none: no file. `loaded`: the model server has them.
  void Done(const ModelStep& step, const std::optional<PulledModel>& here, bool loaded, Time now);
  // A model that the model server has had since before `time`; nullopt: there is none.
  std::optional<std::string> LoadedBefore(Time time) const;
  // Those of them that the model server does not `have` any more are to be loaded again; how many. `asked`: when it was
  // asked for what it has.
  size_t Compare(const std::function<bool(const std::string& name)>& have, Time asked, Time now);
  // When the next step may be due; nullopt: not before something changes.
  std::optional<Time> NextDue() const;

  size_t wanted() const;
  // Wanted, and as wanted at the model server.
  size_t ready() const;
  // Wanted models without a first try to bring them.
  size_t untried() const;

 private:
  struct State {
    std::optional<PulledModel> wanted, here;
    bool loaded = false;  // what is here
    Time loaded_at{};
    int losses = 0;  // in a row: loaded, and found to be gone
    bool under_way = false;
    bool tried = false;
    int failures = 0;  // in a row
    Time due{};

    bool loaded_before(Time time) const {
      return loaded && wanted.has_value() && settled() && !under_way && loaded_at < time;
    }
    bool settled() const { return wanted == here && (loaded || !wanted.has_value()); }
  };

  std::map<std::string, State> states_;
};

}  // namespace inferd::agent
