#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kserve/agent/puller/model_list.h"

namespace inferd::agent {

// The next action for a model.
struct ModelStep {
  std::string name;
  std::optional<PulledModel> wanted;  // nullopt if the model must be removed
  bool here = false;                  // the wanted files are here; only the model server must load them
};

// Decides the next actions from the wanted and the present models. Each model is independent, with one action at a
// time. After failures it waits with increasing pauses. Pure; not thread-safe. The time is an argument.
class ModelStates final {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `here` are the models whose files exist at the start. No model server has loaded them yet.
  explicit ModelStates(const PulledModels& here);

  // Sets the complete list of wanted models.
  void Want(const PulledModels& models);

  // Returns the next action, which is in progress until Done. Nullopt if none is due.
  std::optional<ModelStep> Begin(Time now);
  // Reports the result. `here` is the model whose files exist now, or nullopt. `loaded` is true if the model server has
  // loaded it.
  void Done(const ModelStep& step, const std::optional<PulledModel>& here, bool loaded, Time now);
  // Returns a model that was loaded before `time`. Nullopt if there is none.
  std::optional<std::string> LoadedBefore(Time time) const;
  // Compares with the models that the server reports. A model that was loaded before `asked` but is not in `have` is
  // loaded again. Returns their number. `asked` is the time of the request to the server.
  size_t Compare(const std::function<bool(const std::string& name)>& have, Time asked, Time now);
  // Returns when the next action may be due. Nullopt if only a change can make one due.
  std::optional<Time> NextDue() const;

  size_t wanted() const;
  // Returns the number of wanted models that the model server has loaded as wanted.
  size_t ready() const;
  // Returns the number of wanted models that were never tried.
  size_t untried() const;

 private:
  struct State {
    std::optional<PulledModel> wanted, here;
    bool loaded = false;  // the model server has loaded the files that are here
    Time loaded_at{};
    int losses = 0;  // in a row: loaded, but found missing later
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
