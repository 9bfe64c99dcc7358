#include "kserve/agent/puller/model_states.h"

#include <algorithm>

namespace inferd::agent {

namespace {

constexpr std::chrono::milliseconds kFirstPause{500};
constexpr std::chrono::milliseconds kPauseMax{60'000};

std::chrono::milliseconds PauseAfter(int failures) {
  return std::min(kFirstPause * (1 << std::min(failures - 1, 10)), kPauseMax);
}

}  // namespace

ModelStates::ModelStates(const PulledModels& here) {
  for (const auto& [name, model] : here) states_[name].here = model;
}

void ModelStates::Want(const PulledModels& models) {
  for (auto& [name, state] : states_) {
    if (!models.contains(name)) state.wanted.reset();
  }
  for (const auto& [name, model] : models) {
    State& state = states_[name];
    if (state.wanted == model) continue;
    state.wanted = model;
    state.failures = 0;
    state.due = {};
  }
}

std::optional<ModelStep> ModelStates::Begin(Time now) {
  for (auto& [name, state] : states_) {
    if (state.settled() || state.under_way || state.due > now) continue;
    state.under_way = true;
    return ModelStep{.name = name, .wanted = state.wanted, .here = state.wanted == state.here};
  }
  return std::nullopt;
}

void ModelStates::Done(const ModelStep& step, const std::optional<PulledModel>& here, bool loaded, Time now) {
  State& state = states_.at(step.name);
  state.under_way = false;
  state.tried = true;
  state.here = here;
  state.loaded = loaded;
  state.loaded_at = now;
  const bool done = here == step.wanted && (loaded || !step.wanted.has_value());
  state.failures = done ? 0 : state.failures + 1;
  // If the wanted model has changed meanwhile, the new one is tried without a delay.
  const bool same = state.wanted == step.wanted;
  state.due = done || !same ? Time() : now + PauseAfter(state.failures);
  if (state.settled() && !state.wanted.has_value()) states_.erase(step.name);
}

std::optional<std::string> ModelStates::LoadedBefore(Time time) const {
  const auto found = std::ranges::find_if(states_, [&](const auto& entry) { return entry.second.loaded_before(time); });
  if (found == states_.end()) return std::nullopt;
  return found->first;
}

size_t ModelStates::Compare(const std::function<bool(const std::string& name)>& have, Time asked, Time now) {
  size_t lost = 0;
  for (auto& [name, state] : states_) {
    if (!state.loaded_before(asked)) continue;
    if (have(name)) {
      state.losses = 0;
      continue;
    }
    ++lost;
    state.loaded = false;
    // The first loss means that the server was restarted. If the server loses the model again and again, reloads are
    // delayed.
    state.due = state.losses == 0 ? Time() : now + PauseAfter(state.losses);
    ++state.losses;
  }
  return lost;
}

std::optional<ModelStates::Time> ModelStates::NextDue() const {
  std::optional<Time> next;
  for (const auto& [name, state] : states_) {
    if (state.settled() || state.under_way) continue;
    next = std::min(next.value_or(state.due), state.due);
  }
  return next;
}

size_t ModelStates::wanted() const {
  return static_cast<size_t>(
      std::ranges::count_if(states_, [](const auto& entry) { return entry.second.wanted.has_value(); }));
}

size_t ModelStates::ready() const {
  return static_cast<size_t>(std::ranges::count_if(
      states_, [](const auto& entry) { return entry.second.wanted.has_value() && entry.second.settled(); }));
}

size_t ModelStates::untried() const {
  return static_cast<size_t>(std::ranges::count_if(states_, [](const auto& entry) {
    const State& state = entry.second;
    return state.wanted.has_value() && !state.tried && state.wanted != state.here;
  }));
}

}  // namespace inferd::agent
