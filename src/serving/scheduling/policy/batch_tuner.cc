#include "serving/scheduling/policy/batch_tuner.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace inferd::scheduling {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kRateMemoryNs = 0.5e9;
constexpr int64_t kCompanyWindowNs = 1'000'000'000;
constexpr int64_t kCompanyWindowRequests = 64;

constexpr double kForgetting = 1.0 / 16;  // per execution of a size class
constexpr double kWeightMax = 32;         // of a size class
constexpr double kWeightHalfLife = 4096;  // executions of other sizes
constexpr double kWeightMin = 2;          // below this, a class counts as unknown
constexpr double kClipDeviations = 3;     // also the assumed position of the 99th percentile
constexpr double kDeviationShareMin = 1.0 / 16;
constexpr double kSlack = 2;  // times the average time until the further requests arrive
constexpr double kGoodEnough = 1.05;
constexpr double kWaitCostNs = 50'000;  // cost of a waiting batch: a timer, and threads that wake up

constexpr std::string_view kMeasuring = "no delay: too few executions were measured so far";
constexpr std::string_view kLone = "no delay: requests come one after another, there is no company to wait for";
constexpr std::string_view kOneSize = "no delay: executions had one size only, so what company saves is not known";
constexpr std::string_view kTooTight = "no delay: the latency objective is too tight, executions alone take all of it";
constexpr std::string_view kTooRare = "no delay: requests come too rarely, company would come after the objective";
constexpr std::string_view kNoSaving = "no delay: larger batches would save little per row";
constexpr std::string_view kFormAlone = "no delay: batches form without it";
constexpr std::string_view kSlowCompany = "no delay: company takes longer to come than it saves the instances";
constexpr std::string_view kWatching = "no delay: for a while, to see what comes without it";
constexpr std::string_view kFewerRows = "no delay: clients sent fewer rows per second while they had to wait";
constexpr std::string_view kWaiting = "delay: larger batches cost less per row, and the latency objective leaves time";

}  // namespace

BatchTuner::BatchTuner(int64_t objective_ns, int64_t rows_max, int instances)
    : objective_ns_(static_cast<double>(objective_ns) * kObjectiveShare),
      rows_max_(std::max<int64_t>(rows_max, 1)),
      instances_(std::max(instances, 1)) {
  choice_ = {.rows = rows_max_, .delay_ns = 0, .explanation = kMeasuring};
}

int64_t BatchTuner::first_row_ns() const { return std::llround(ServiceNs(1)); }
int64_t BatchTuner::further_row_ns() const { return std::llround(row_ns_); }

void BatchTuner::RecordArrival(int64_t rows, int64_t in_flight) {
  window_rows_ += rows;
  ++window_requests_;
  ++company_requests_;
  company_ = std::max(company_, in_flight + 1);
}

void BatchTuner::RecordExecution(int64_t rows, int64_t service_ns, bool waited) {
  if (rows <= 0) return;
  ++executions_;
  if (!waited) {
    const double difference = static_cast<double>(rows) - rows_unwaited_;
    rows_unwaited_ = rows_unwaited_ == 0 ? static_cast<double>(rows) : rows_unwaited_ + difference * kForgetting;
  }
  SizeClass& size = classes_[std::min<size_t>(std::bit_width(static_cast<uint64_t>(rows - 1)), kSizeClasses - 1)];
  auto sample_ns = static_cast<double>(std::max<int64_t>(service_ns, 1));
  if (size.weight > 0) {
    const double deviation_ns = std::max(size.deviation_ns, size.service_ns * kDeviationShareMin);
    sample_ns = std::min(sample_ns, size.service_ns + kClipDeviations * deviation_ns);
  }
  size.weight = std::min(WeightNow(size) + 1, kWeightMax);
  size.seen = executions_;
  const double share = std::max(kForgetting, 1 / size.weight);
  const double difference_ns = sample_ns - size.service_ns;
  if (size.weight > 1) size.deviation_ns += share * (std::abs(difference_ns) - size.deviation_ns);
  size.service_ns += share * difference_ns;
  size.rows += share * (static_cast<double>(rows) - size.rows);
}

double BatchTuner::WeightNow(const SizeClass& size) const {
  return size.weight * std::exp2(-static_cast<double>(executions_ - size.seen) / kWeightHalfLife);
}

const BatchTuner::Choice& BatchTuner::choice(int64_t now_ns) {
  if (now_ns - chosen_ns_ < kRecomputeNs) return choice_;
  MeasureArrivals(now_ns);
  FitLine();
  choice_ = {.rows = rows_max_, .delay_ns = 0, .explanation = {}};
  choice_.explanation = Choose();
  chosen_ns_ = now_ns;
  return choice_;
}

void BatchTuner::MeasureArrivals(int64_t now_ns) {
  const auto elapsed_ns = static_cast<double>(now_ns - chosen_ns_);
  const double rate = static_cast<double>(window_rows_) * kNsPerSecond / elapsed_ns;
  trial_.Record(window_rows_, now_ns - chosen_ns_, choice_.delay_ns > 0);
  if (chosen_ns_ > 0) rows_per_second_ += (rate - rows_per_second_) * -std::expm1(-elapsed_ns / kRateMemoryNs);
  if (window_requests_ > 0) {
    const double rows = static_cast<double>(window_rows_) / static_cast<double>(window_requests_);
    rows_per_request_ += (rows - rows_per_request_) * kForgetting;
  }
  window_rows_ = window_requests_ = 0;

  if (now_ns - company_started_ns_ < kCompanyWindowNs && company_requests_ < kCompanyWindowRequests) return;
  before_company_ = company_;
  company_ = company_requests_ = 0;
  company_started_ns_ = now_ns;
}

// Fits by least squares over the size classes, each weighted by the inverse square of its service time: errors count
// relatively, so that small batches matter as much as large ones.
void BatchTuner::FitLine() {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, late = 0;
  int sizes = 0;
  for (const SizeClass& size : classes_) {
    const double known = WeightNow(size);
    if (known <= 0 || known < std::min<double>(kWeightMin, static_cast<double>(executions_))) continue;
    ++sizes;
    const double weight = known / (size.service_ns * size.service_ns);
    w += weight;
    wx += weight * size.rows;
    wy += weight * size.service_ns;
    wxx += weight * size.rows * size.rows;
    wxy += weight * size.rows * size.service_ns;
    late = std::max(late, kClipDeviations * size.deviation_ns / size.service_ns);
  }
  sizes_differ_ = sizes > 1;
  if (sizes == 0) return;
  late_share_ = late;
  const double spread = w * wxx - wx * wx;
  row_ns_ = sizes_differ_ && spread > 0 ? (w * wxy - wx * wy) / spread : wy / wx;
  if (row_ns_ < 0) row_ns_ = 0;
  fixed_ns_ = (wy - row_ns_ * wx) / w;
  if (fixed_ns_ >= 0) return;
  fixed_ns_ = 0;
  row_ns_ = wxy / wxx;
}

// While an execution of n rows runs, n more arrive: n = rate * (a + b * n). Clients that wait for their responses
// divide between the instances and the queue. Threads that read many requests at once form larger batches, as measured.
double BatchTuner::RowsWithoutWaiting(double company) const {
  const double rate = rows_per_second_ / kNsPerSecond / instances_;
  const double left = 1 - rate * row_ns_;
  const double rows = left > 0 ? rate * fixed_ns_ / left : static_cast<double>(rows_max_);
  const double queued = std::min({rows, company / (instances_ + 1), static_cast<double>(rows_max_)});
  return std::max({queued, std::min(rows_unwaited_, company), 1.0});
}

std::string_view BatchTuner::Choose() {
  if (executions_ < kExecutionsMin) return kMeasuring;
  const int64_t in_flight = std::max(company_, before_company_);
  if (in_flight < 2) return kLone;
  if (2 * LateServiceNs(1) >= objective_ns_) return kTooTight;
  if (!sizes_differ_) return kOneSize;

  const double company = static_cast<double>(in_flight) * rows_per_request_;
  return ChooseRows(RowsWithoutWaiting(company), std::min(company, static_cast<double>(rows_max_)));
}

// `without` is the rows of batches that form without waiting. `most` is the maximum that arrives or fits.
std::string_view BatchTuner::ChooseRows(double without, double most) {
  const double wanted_ns = PerRowNs(without) * (1 - kSavingMin);
  const auto saved_ns = [&](double rows) { return (PerRowNs(without) - PerRowNs(rows)) * rows; };
  const auto saves = [&](double rows) { return PerRowNs(rows) <= wanted_ns && saved_ns(rows) >= kWaitCostNs; };
  if (!saves(most)) return without >= 2 ? kFormAlone : kNoSaving;

  double best = 0;
  std::string_view why_not = kTooRare;
  for (double rows = std::min(2.0, most);; rows = std::min(rows * 2, most)) {
    if (saves(rows) && (best == 0 || PerRowNs(rows) * kGoodEnough < PerRowNs(best))) {
      const bool too_tight = 2 * LateServiceNs(rows) > objective_ns_;
      if (best == 0) why_not = too_tight ? kTooTight : kTooRare;
      if (too_tight || CompanyNs(rows) > objective_ns_ - LateServiceNs(rows)) break;
      if (CompanyNs(rows) * instances_ <= kPaybackMax * saved_ns(rows)) best = rows;
      why_not = kSlowCompany;
    }
    if (rows >= most) break;
  }
  if (best == 0) return why_not;
  if (!trial_.allows_waiting()) return trial_.state() == WaitTrial::State::kBarred ? kFewerRows : kWatching;
  choice_.rows = std::llround(std::floor(best));
  choice_.delay_ns = std::llround(std::min(kSlack * CompanyNs(best), objective_ns_ - LateServiceNs(best)));
  return kWaiting;
}

}  // namespace inferd::scheduling
