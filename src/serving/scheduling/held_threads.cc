#include "serving/scheduling/held_threads.h"

#include <string>
#include <utility>

#include "base/clock.h"

namespace inferd::scheduling {

namespace {
std::string Seconds(int64_t ns) { return std::to_string(ns / 1'000'000'000) + " s"; }
constexpr int64_t kSayNoneNs = 10'000'000'000;
}  // namespace

HeldThreads::HolderId HeldThreads::AddHolder(Holder holder) {
  const base::MutexLock lock(mutex_);
  holders_.emplace(next_holder_, std::move(holder));
  return next_holder_++;
}

void HeldThreads::RemoveHolder(HolderId id) {
  const base::MutexLock lock(mutex_);
  holders_.erase(id);
}

std::string HeldThreads::Holders() const {
  std::string text;
  const base::MutexLock lock(mutex_);
  for (const auto& [id, holder] : holders_) {
    const std::string held = holder();
    if (!held.empty()) text += (text.empty() ? "" : ", ") + held;
  }
  return text;
}

void HeldThreads::SayNone(const core::ModelId& model) {
  const int64_t now_ns = base::SystemClock().NowNs();
  int64_t said_ns = said_none_ns_.load(std::memory_order_relaxed);
  if (said_ns != 0 && now_ns - said_ns < kSayNoneNs) return;
  if (!said_none_ns_.compare_exchange_strong(said_ns, now_ns, std::memory_order_relaxed)) return;
  logger_.Error(
      "no thread can be started to execute a model: its requests are refused; see ulimit -u, pids.max, "
      "/proc/sys/kernel/threads-max and the memory limits",
      {{"model", model.name}, {"version", model.version}});
}

void HeldThreads::SayHeld(const core::ModelId& model, int64_t held_ns, bool moved) const {
  logger_.Warning(moved
                      ? "an execution does not end; another thread serves the connections of its thread, and from now "
                        "on the model runs on threads of its own, without this instance until the execution ends"
                      : "an execution holds a thread that serves connections; from now on the model runs on threads "
                        "of its own",
                  {{"model", model.name}, {"version", model.version}, {"held_for", Seconds(held_ns)}});
}

void HeldThreads::SayReleased(const core::ModelId& model, int64_t held_ns) const {
  logger_.Warning("an execution has let go of a thread that serves connections",
                  {{"model", model.name}, {"version", model.version}, {"held_for", Seconds(held_ns)}});
}

}  // namespace inferd::scheduling
