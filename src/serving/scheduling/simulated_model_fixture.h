#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "serving/scheduling/queue/queue_policy.h"
#include "serving/scheduling/queue/waiting_requests.h"
#include "serving/scheduling/scheduler_options.h"
#include "tests/support/fake_engine.h"

namespace inferd::scheduling {

// Random numbers that can be repeated from a seed.
class Dice final {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

// The behaviour of a property test's engine. Each row begins with a letter, which says if it is bad.
enum class SimulatedFault {
  kRandom,         // executions fail at random
  kPoison,         // an execution with a bad row fails
  kDropsRows,      // bad rows are missing in the output
  kFailsTogether,  // an execution of several requests fails
};
inline constexpr int64_t kSimulatedFaults = 4;

// The model of a property test: a random combination of scheduler settings, and the promises that follow from them.
class SimulatedModel final {
 public:
  // `resource` is a global resource of which each instance needs one.
  explicit SimulatedModel(Dice& dice, const char* resource = "R") {
    signature_.max_batch_size = 1 + dice.Below(8);
    signature_.accepts_larger_requests = dice.OneIn(3);
    signature_.splits_larger_requests = !signature_.accepts_larger_requests && dice.OneIn(2);
    instances_ = static_cast<int>(1 + dice.Below(3));
    if (dice.OneIn(3)) unfinished_max_ = static_cast<int>(1 + dice.Below(3));
    if (dice.OneIn(3)) executions_ahead_ = static_cast<int>(1 + dice.Below(2));
    returns_at_once_ = dice.OneIn(3);
    DrawQueues(dice);
    DrawPadding(dice);
    if (dice.OneIn(3)) config_.concurrency = {.min = 1, .max = static_cast<uint32_t>(1 + dice.Below(24))};
    config_.side_effect_free = !dice.OneIn(4);
    if (dice.OneIn(2)) fault_ = static_cast<SimulatedFault>(dice.Below(kSimulatedFaults));
    config_.eager_batching = dice.OneIn(3);
    config_.inline_execution = static_cast<config::InlineExecution>(dice.Below(3));
    config::InstanceGroup& group = config_.instance_groups.emplace_back();
    group.count = instances_;
    if (dice.OneIn(3)) group.resources = {{.name = resource, .global = true, .count = 1}};
    options_ = {.queue_size_max = static_cast<uint32_t>(1 + dice.Below(40)), .threads = false};
    if (dice.OneIn(8)) options_.delay_until_queued = 1 + dice.Below(4);
  }

  const config::ModelConfig& config() const { return config_; }
  const SchedulerOptions& options() const { return options_; }
  const core::ModelSignature& signature() const { return signature_; }
  int instances() const { return instances_; }
  // Returns the maximum of unfinished executions of an instance.
  int unfinished_max() const { return config_.instance_groups[0].resources.empty() ? unfinished_max_ : 1; }
  // Returns how many more it takes while executions are short. The engine does not know if they are.
  int executions_ahead() const { return executions_ahead_; }
  int executions_max() const {
    return unfinished_max() + (config_.instance_groups[0].resources.empty() ? executions_ahead_ : 0);
  }
  bool returns_at_once() const { return returns_at_once_; }
  SimulatedFault fault() const { return fault_; }
  // True if a request fails only because of itself or its client.
  bool tells_requests_apart() const { return fault_ != SimulatedFault::kRandom && config_.side_effect_free; }
  // True if batches are filled up. That ends once the model has returned wrong rows.
  bool fills_up() const { return fault_ != SimulatedFault::kDropsRows; }

  // Returns true if a row with this letter is bad.
  bool IsBad(char row) const {
    if (fault_ == SimulatedFault::kPoison) return row == 'a' || row == 'n';
    return fault_ == SimulatedFault::kDropsRows && row % 5 == 0;
  }
  // Returns true if any row is bad. Each row has `row_bytes` bytes.
  bool AnyIsBad(std::string_view rows, size_t row_bytes) const {
    for (size_t at = 0; at < rows.size(); at += row_bytes) {
      if (IsBad(rows[at])) return true;
    }
    return false;
  }
  std::string WithoutBad(std::string_view rows, size_t row_bytes) const {
    std::string good;
    for (size_t at = 0; at < rows.size(); at += row_bytes) {
      if (!IsBad(rows[at])) good += rows.substr(at, row_bytes);
    }
    return good;
  }
  int64_t rows_max() const { return signature_.max_batch_size; }

  bool takes_larger_requests() const { return signature_.accepts_larger_requests || signature_.splits_larger_requests; }
  bool batches() const { return config_.dynamic_batching.has_value() && rows_max() > 1; }
  bool holds() const {
    return options_.delay_until_queued > 0 && config_.dynamic_batching.has_value() && config_.concurrency.max == 0;
  }
  bool answers_in_order() const {
    return config_.dynamic_batching.has_value() && config_.dynamic_batching->preserve_ordering;
  }
  // With several instances, one may start its execution later than another that was formed after it.
  bool executes_in_order() const {
    return (instances_ == 1 || config_.inline_execution == config::InlineExecution::kNever) && !DelaysSome();
  }
  bool bounds_queues() const { return !config_.side_effect_free; }  // a repeated request is always queued

  // Returns the level in which the request waits. 0 if it is refused.
  uint64_t LevelOf(const core::InferRequest& request) const {
    const auto level = PriorityLevel(config_, request.priority);
    if (!level.has_value()) return 0;
    return CheckTimeout(PolicyOf(config_, *level), request.timeout_us, "m").ok() ? *level : 0;
  }
  // Returns when the request, sent at `sent_ns`, leaves the queue of that level or moves behind all others. 0 if never.
  int64_t LateNs(const core::InferRequest& request, uint64_t level, int64_t sent_ns) const {
    return Earlier(request.deadline_ns, QueueTimeoutAt(PolicyOf(config_, level), request.timeout_us, sent_ns));
  }
  bool AllowsRows(int64_t rows) const {
    const auto& allowed = config_.allowed_batch_sizes;
    return allowed.empty() || rows > allowed.back() || std::ranges::binary_search(allowed, rows);
  }

 private:
  static config::QueuePolicy DrawPolicy(Dice& dice, bool may_delay) {
    config::QueuePolicy policy;
    if (dice.OneIn(2)) policy.queue_size_max = static_cast<uint32_t>(1 + dice.Below(12));
    if (dice.OneIn(2)) policy.default_timeout_us = static_cast<uint64_t>(1000 * dice.Below(30));
    policy.allow_timeout_override = dice.OneIn(2);
    if (may_delay && dice.OneIn(2)) policy.timeout_action = config::TimeoutAction::kDelay;
    return policy;
  }

  void DrawQueues(Dice& dice) {
    if (dice.OneIn(4)) {
      config_.queue_policy = DrawPolicy(dice, true);
      return;
    }
    config::DynamicBatching& batching = config_.dynamic_batching.emplace();
    batching.preserve_ordering = dice.OneIn(3);
    batching.max_queue_delay_us = dice.OneIn(2) ? static_cast<uint64_t>(1000 * dice.Below(10)) : 0;
    for (int64_t i = dice.Below(3); i > 0; --i) {
      batching.preferred_batch_sizes.push_back(static_cast<int32_t>(1 + dice.Below(rows_max())));
    }
    if (dice.OneIn(3)) config_.batching = config::BatchingMode::kAuto;
    batching.default_queue_policy = DrawPolicy(dice, !batching.preserve_ordering);
    if (batching.preserve_ordering || dice.OneIn(2)) return;
    batching.priority_levels = static_cast<uint64_t>(1 + dice.Below(3));
    batching.default_priority_level = 1;
    batching.priority_queue_policy[batching.priority_levels] = DrawPolicy(dice, true);
  }

  void DrawPadding(Dice& dice) {
    if (dice.OneIn(3)) {
      for (int64_t rows = 1 + dice.Below(rows_max()); rows <= rows_max(); rows += 1 + dice.Below(4)) {
        config_.allowed_batch_sizes.push_back(rows);
      }
    }
    if (!dice.OneIn(3)) return;
    config_.padding.push_back(
        {.input = "INPUT0", .dim = 0, .buckets = {2, 4}, .value = 0, .outputs = {{.name = "OUTPUT0", .dim = 0}}});
  }

  bool DelaysSome() const {
    const auto delays = [](const config::QueuePolicy& policy) {
      return policy.timeout_action == config::TimeoutAction::kDelay;
    };
    if (!config_.dynamic_batching.has_value()) return delays(config_.queue_policy);
    const auto& policies = config_.dynamic_batching->priority_queue_policy;
    return delays(config_.dynamic_batching->default_queue_policy) ||
           std::ranges::any_of(policies, [&](const auto& level) { return delays(level.second); });
  }

  config::ModelConfig config_;
  SchedulerOptions options_;
  core::ModelSignature signature_ = support::FakeEngine::DefaultSignature();
  SimulatedFault fault_ = SimulatedFault::kRandom;
  int instances_ = 1;
  int unfinished_max_ = 1;
  int executions_ahead_ = 0;
  bool returns_at_once_ = false;
};

}  // namespace inferd::scheduling
