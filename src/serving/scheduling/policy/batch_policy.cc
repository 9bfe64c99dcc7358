#include "serving/scheduling/policy/batch_policy.h"

#include <algorithm>

namespace inferd::scheduling {

namespace {

using core::BatchReason;

BatchDecision Begin(int64_t rows, BatchReason reason) { return {.begin = true, .rows = rows, .reason = reason}; }

// Returns the largest preferred size up to `rows`. 0 if there is none.
int64_t PreferredRows(const BatchRules& rules, int64_t rows) {
  const auto above = std::ranges::upper_bound(rules.preferred_rows, rows);
  return above == rules.preferred_rows.begin() ? 0 : *std::prev(above);
}

// Decides by rows and times, without the limit on requests.
BatchDecision DecideByRows(const BatchRules& rules, const WaitingSummary& waiting, int64_t now_ns, int64_t service_ns) {
  if (waiting.alone) {
    const BatchReason reason = rules.batching ? BatchReason::kFull : BatchReason::kNotBatching;
    return Begin(waiting.rows, waiting.retry ? BatchReason::kRetry : reason);
  }
  // The largest preferred size counts even if more rows wait. With a delay, an execution waits for exactly a preferred
  // size, as in Triton. Otherwise the requests that fit run at once.
  const bool exact = rules.delay_ns > 0 && !rules.preferred_rows.empty();
  const bool by_requests = exact && waiting.preferred_rows >= 0;
  // Once the delay is over, the execution takes every request that fits.
  const int64_t delay_over_ns = waiting.oldest_ns + rules.delay_ns;
  const bool delay_over = rules.delay_ns > 0 && delay_over_ns <= now_ns;
  const int64_t preferred = by_requests ? waiting.preferred_rows : PreferredRows(rules, waiting.rows);
  if (preferred > 0 && (!delay_over || preferred == waiting.rows)) {
    return Begin(preferred, preferred == rules.rows_max ? BatchReason::kFull : BatchReason::kPreferredSize);
  }
  if (exact && !delay_over && waiting.rows > rules.preferred_rows.back()) {
    return Begin(rules.preferred_rows.back(), BatchReason::kFull);
  }
  if (waiting.rows >= rules.rows_max) return Begin(rules.rows_max, BatchReason::kFull);
  const int64_t rows = waiting.rows;
  if (rules.enough_rows > 0 && rows >= rules.enough_rows) return Begin(rows, BatchReason::kPreferredSize);
  if (waiting.other_kind) return Begin(rows, BatchReason::kOtherKind);
  if (rules.delay_ns == 0) return Begin(rows, BatchReason::kNoneWaiting);
  if (delay_over) return Begin(rows, BatchReason::kDelayOver);
  if (waiting.expires_ns == 0 || waiting.expires_ns - service_ns >= delay_over_ns) {
    return {.wait_until_ns = delay_over_ns};
  }
  if (waiting.expires_ns - service_ns <= now_ns) return Begin(rows, BatchReason::kDeadline);
  return {.wait_until_ns = waiting.expires_ns - service_ns};
}

}  // namespace

BatchRules MakeBatchRules(const config::ModelConfig& config, const core::ModelSignature& signature,
                          int64_t delay_until_queued) {
  BatchRules rules;
  const bool asked_for = config.dynamic_batching.has_value() || config.batching == config::BatchingMode::kAuto;
  const bool dynamic = asked_for && config.batching != config::BatchingMode::kOff;
  if (dynamic) rules.hold_until_requests = delay_until_queued;
  rules.batching = dynamic && signature.max_batch_size > 1;
  if (!rules.batching) return rules;
  rules.rows_max = signature.max_batch_size;
  if (!config.dynamic_batching.has_value()) return rules;
  const config::DynamicBatching& batching = *config.dynamic_batching;
  for (const int32_t rows : batching.preferred_batch_sizes) {
    if (rows > 0 && rows <= rules.rows_max) rules.preferred_rows.push_back(rows);
  }
  std::ranges::sort(rules.preferred_rows);
  // Limits the delay to avoid an overflow. Nobody notices the difference.
  constexpr uint64_t kDelayUsMax = 1'000'000'000'000;
  rules.delay_ns = static_cast<int64_t>(std::min(batching.max_queue_delay_us, kDelayUsMax)) * 1000;
  return rules;
}

BatchDecision DecideBatch(const BatchRules& rules, const WaitingSummary& waiting, int64_t now_ns, int64_t service_ns) {
  if (waiting.requests == 0 || waiting.requests < rules.hold_until_requests) return {};
  BatchDecision decision = DecideByRows(rules, waiting, now_ns, service_ns);
  if (rules.requests_max == 0 || waiting.alone || waiting.sharing < rules.requests_max) return decision;
  if (decision.begin && waiting.sharing == rules.requests_max) return decision;
  decision = Begin(std::min(waiting.rows, rules.rows_max), BatchReason::kCautious);
  decision.requests = rules.requests_max;
  return decision;
}

}  // namespace inferd::scheduling
