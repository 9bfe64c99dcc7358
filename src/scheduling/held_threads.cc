#include "scheduling/held_threads.h"

#include <string>

namespace inferd::scheduling {

namespace {
std::string Seconds(int64_t ns) { return std::to_string(ns / 1'000'000'000) + " s"; }
}  // namespace

void HeldThreads::SayHeld(const core::ModelId& model, int64_t held_ns) const {
  logger_.Warning(
      "an execution holds a thread that serves connections; inline_execution: NEVER runs the model elsewhere",
      {{"model", model.name}, {"version", std::to_string(model.version)}, {"held_for", Seconds(held_ns)}});
}

void HeldThreads::SayReleased(const core::ModelId& model, int64_t held_ns) const {
  logger_.Warning("an execution has let go of a thread that serves connections",
                  {{"model", model.name}, {"version", std::to_string(model.version)}, {"held_for", Seconds(held_ns)}});
}

}  // namespace inferd::scheduling
