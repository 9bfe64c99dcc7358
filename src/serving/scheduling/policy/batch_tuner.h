#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "serving/scheduling/policy/wait_trial.h"

namespace inferd::scheduling {

// Chooses how long requests wait for others, and for how many rows, from measured service time and arrivals, so that
// an objective for the latency holds (inferd { batching: AUTO }). A model of the service time, a + b * rows, is fitted
// with forgetting; waiting is chosen only where it pays: never for a lone client, never past the objective. A pure
// function of what it is told; not thread-safe.
//
// The service time is kept per class of sizes (1, 2, 3-4, 5-8, ... rows), each a mean with forgetting whose samples are
// clipped to three deviations, so that neither an outlier nor a long time at one size spoils the line through them. As
// long as only one size was seen, larger batches are taken to save nothing.
//
// A request that waits for n rows is answered after delay + service(n) at the latest if an instance is idle, or one
// service later if none is; both must stay below kObjectiveShare of the objective, with the service time at its 99th
// percentile. Waiting pays if it saves kSavingMin of the time per row, against the batches that form without it: while
// instances are busy, and on threads that read many requests at once, which is measured where nobody waits. In all it
// must save more than the wake-ups cost that it takes, and at least 1 / kPaybackMax of the time in which further
// requests come: so the instances are busy with what is to be saved for a good part of their time. And clients must not
// send fewer rows for it, which is tried (WaitTrial). No more rows are waited for than were in flight at once lately:
// clients that wait for their answers send no more.
class BatchTuner final {
 public:
  static constexpr double kObjectiveShare = 0.9;
  static constexpr double kSavingMin = 0.2;
  static constexpr double kPaybackMax = 3;
  static constexpr int64_t kRecomputeNs = 5'000'000;
  static constexpr int64_t kExecutionsMin = 16;  // before the first choice

  // With `delay_ns` 0 an idle instance takes what is there. Executions may always have as many rows as the model
  // allows: `rows` is no limit.
  struct Choice {
    int64_t rows = 1;              // begin as soon as so many wait
    int64_t delay_ns = 0;          // or when the oldest has waited so long
    std::string_view explanation;  // static text, for the report
  };

  // `objective_ns`: what 99 of 100 requests should stay below, from Enqueue to answer.
  BatchTuner(int64_t objective_ns, int64_t rows_max, int instances = 1);

  // `in_flight`: requests that wait or run already.
  void RecordArrival(int64_t rows, int64_t in_flight);
  // `waited`: it was formed while choice() had a delay.
  void RecordExecution(int64_t rows, int64_t service_ns, bool waited);
  // Cheap: recomputed at most every kRecomputeNs of now_ns.
  const Choice& choice(int64_t now_ns);

  double rows_per_second() const { return rows_per_second_; }
  int64_t first_row_ns() const;    // a + b
  int64_t further_row_ns() const;  // b

 private:
  // Executions of 2^(k-1) < rows <= 2^k.
  struct SizeClass {
    double weight = 0;
    double rows = 0;
    double service_ns = 0;
    double deviation_ns = 0;  // mean absolute
    int64_t seen = 0;         // executions_ then
  };
  static constexpr size_t kSizeClasses = 24;

  void MeasureArrivals(int64_t now_ns);
  void FitLine();
  std::string_view Choose();
  double WeightNow(const SizeClass& size) const;
  double ServiceNs(double rows) const { return fixed_ns_ + row_ns_ * rows; }
  double LateServiceNs(double rows) const { return ServiceNs(rows) * (1 + late_share_); }
  double PerRowNs(double rows) const { return ServiceNs(rows) / rows; }
  // Until `rows` have come, on average, counted from the first.
  double CompanyNs(double rows) const { return (rows - 1) * 1e9 / rows_per_second_; }
  double RowsWithoutWaiting(double company) const;
  std::string_view ChooseRows(double without, double most);

  const double objective_ns_;  // the share that is used of it
  const int64_t rows_max_;
  const double instances_;
  Choice choice_;
  int64_t chosen_ns_ = 0;
  WaitTrial trial_;

  // Arrivals.
  double rows_per_second_ = 0;
  int64_t window_rows_ = 0;
  int64_t window_requests_ = 0;
  int64_t company_ = 0;         // the most requests in flight at once
  int64_t before_company_ = 0;  // in the window before
  int64_t company_requests_ = 0;
  int64_t company_started_ns_ = 0;
  double rows_per_request_ = 1;

  // Executions.
  int64_t executions_ = 0;
  double rows_unwaited_ = 0;  // mean of executions that were formed without waiting, with forgetting
  std::array<SizeClass, kSizeClasses> classes_{};
  bool sizes_differ_ = false;
  double fixed_ns_ = 0;    // a
  double row_ns_ = 0;      // b
  double late_share_ = 0;  // of the service time, what its 99th percentile is above its mean
};

}  // namespace inferd::scheduling
