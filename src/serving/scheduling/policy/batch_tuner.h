#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "serving/scheduling/policy/wait_trial.h"

namespace inferd::scheduling {

// Chooses how long requests wait for others, and for how many rows, from the measured service time and arrivals, so
// that an objective for the latency holds (inferd { batching: AUTO }). Fits a model of the service time, a + b * rows,
// in which old measurements lose weight. Chooses waiting only where it pays: never for a single client, never beyond
// the objective. Pure: depends only on what the calls pass in. Not thread-safe.
//
// The service time is kept per size class (1, 2, 3-4, 5-8, ... rows) as a decaying mean. Samples are clipped to three
// deviations, so that neither an outlier nor a long time with one size spoils the fitted line. As long as only one size
// was seen, larger batches are assumed to save nothing.
//
// A request that waits for n rows is answered after delay + service(n) at the latest if an instance is idle, or one
// service time later if none is. Both must stay below kObjectiveShare of the objective, with the service time at its
// 99th percentile. Waiting pays if it saves kSavingMin of the time per row, compared with the batches that form without
// it. Those form while instances are busy, and on threads that read many requests at once; they are measured while no
// request waits. In total, waiting must save more than its wake-ups cost, and at least 1 / kPaybackMax of the time in
// which further requests arrive: so there must be something to save during a good part of the instances' time. And
// clients must not send fewer rows because of it, which is tried (WaitTrial). The tuner never waits for more rows than
// were in flight at once lately, because clients that wait for their responses send no more.
class BatchTuner final {
 public:
  static constexpr double kObjectiveShare = 0.9;
  static constexpr double kSavingMin = 0.2;
  static constexpr double kPaybackMax = 3;
  static constexpr int64_t kRecomputeNs = 5'000'000;
  static constexpr int64_t kExecutionsMin = 16;  // before the first choice

  // If `delay_ns` is 0, an idle instance takes the requests that are there. `rows` is no limit: executions may always
  // have as many rows as the model allows.
  struct Choice {
    int64_t rows = 1;              // begin as soon as this many wait
    int64_t delay_ns = 0;          // or when the oldest has waited this long
    std::string_view explanation;  // static text, for the report
  };

  // `objective_ns` is the latency, from Enqueue to response, that 99 of 100 requests should stay below.
  BatchTuner(int64_t objective_ns, int64_t rows_max, int instances = 1);

  // Records a request. `in_flight` is the number of requests that already wait or run.
  void RecordArrival(int64_t rows, int64_t in_flight);
  // Records a finished execution. `waited` is true if choice() had a delay when it was formed.
  void RecordExecution(int64_t rows, int64_t service_ns, bool waited);
  // Returns the current choice. Cheap: recomputed at most every kRecomputeNs of now_ns.
  const Choice& choice(int64_t now_ns);

  double rows_per_second() const { return rows_per_second_; }
  int64_t first_row_ns() const;    // a + b
  int64_t further_row_ns() const;  // b

 private:
  // The executions with 2^(k-1) < rows <= 2^k.
  struct SizeClass {
    double weight = 0;
    double rows = 0;
    double service_ns = 0;
    double deviation_ns = 0;  // mean absolute
    int64_t seen = 0;         // executions_ at the last one
  };
  static constexpr size_t kSizeClasses = 24;

  void MeasureArrivals(int64_t now_ns);
  void FitLine();
  std::string_view Choose();
  double WeightNow(const SizeClass& size) const;
  double ServiceNs(double rows) const { return fixed_ns_ + row_ns_ * rows; }
  double LateServiceNs(double rows) const { return ServiceNs(rows) * (1 + late_share_); }
  double PerRowNs(double rows) const { return ServiceNs(rows) / rows; }
  // Returns the average time from the first row until `rows` have arrived.
  double CompanyNs(double rows) const { return (rows - 1) * 1e9 / rows_per_second_; }
  double RowsWithoutWaiting(double company) const;
  std::string_view ChooseRows(double without, double most);

  const double objective_ns_;  // the share of it that is used
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
  int64_t before_company_ = 0;  // in the previous window
  int64_t company_requests_ = 0;
  int64_t company_started_ns_ = 0;
  double rows_per_request_ = 1;

  // Executions.
  int64_t executions_ = 0;
  double rows_unwaited_ = 0;  // decaying mean of executions that were formed without waiting
  std::array<SizeClass, kSizeClasses> classes_{};
  bool sizes_differ_ = false;
  double fixed_ns_ = 0;    // a
  double row_ns_ = 0;      // b
  double late_share_ = 0;  // how far the 99th percentile of the service time is above its mean
};

}  // namespace inferd::scheduling
