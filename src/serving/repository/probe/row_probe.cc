#include "serving/repository/probe/row_probe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "serving/repository/probe/probe_rows.h"
#include "serving/repository/probe/row_compare.h"

namespace inferd::repository {

namespace {

constexpr uint64_t kSeed = 20261122;
constexpr int64_t kTimeFactor = 5;            // the first checks may take this multiple of time_max_ms
constexpr size_t kAllRowsBytesMax = 1 << 18;  // inputs of executions with many rows
constexpr size_t kPlansMax = 3;
constexpr size_t kErrorBytesMax = 200;
// The fillings of the rows beside one row, the most telling first. Copies of that row and reordered rows come in
// addition.
constexpr std::array<RowFill, 10> kNeighbours = {
    RowFill::kOther, RowFill::kInfinite,  RowFill::kZero, RowFill::kLarge,      RowFill::kNegative,
    RowFill::kNan,   RowFill::kAscending, RowFill::kHuge, RowFill::kDescending, RowFill::kOne};
// The fillings of rows that are executed together and alone. None has values so large that rounding decides the result.
constexpr std::array<RowFill, 6> kPlain = {RowFill::kRandom,    RowFill::kZero,  RowFill::kOne,
                                           RowFill::kAscending, RowFill::kOther, RowFill::kNegative};

std::string RowsWord(size_t count) { return std::to_string(count) + (count == 1 ? " row" : " rows"); }

// One probe of one model. Reports the first evidence against independence.
class Prober {
 public:
  Prober(const core::ModelSignature& signature, core::EngineInstance& instance, const RowProbeOptions& options,
         const base::Clock& clock)
      : signature_(signature),
        instance_(instance),
        options_(options),
        clock_(clock),
        began_ns_(clock.NowNs()),
        soft_ns_(began_ns_ + options.time_max_ms * 1'000'000),
        hard_ns_(began_ns_ + kTimeFactor * options.time_max_ms * 1'000'000) {}

  config::ProbeResult Find() {
    FindPlans();
    if (plans_.empty() && against_.empty()) against_ = WhyNoPlan();
    for (size_t i = 0; i < plans_.size() && Goes(); ++i) Check(plans_[i], i == 0);
    if (against_.empty() && lost_) against_ = "its engine was lost when it was executed";
    if (against_.empty() && !first_through_) {
      against_ = clock_.NowNs() < hard_ns_ ? "it refuses the rows that would show whether they influence each other"
                                           : "whether its rows influence each other takes too long to see";
    }
    const std::string cost = std::to_string(executions_) + " executions, " +
                             std::to_string((clock_.NowNs() - began_ns_) / 1'000'000) + " ms";
    if (!against_.empty()) return {.independent = false, .found = against_, .cost = cost};
    return {.independent = true,
            .found = "executions at load show that its rows do not influence each other",
            .cost = cost};
  }

 private:
  bool Goes() const { return against_.empty() && !lost_ && clock_.NowNs() < (first_through_ ? soft_ns_ : hard_ns_); }

  RowsAnswer Run(const std::vector<RowBytes>& rows) {
    ++executions_;
    RowsAnswer answer =
        ProbeExecution::Run(instance_, signature_, plan_->given, plan_->row_shapes, rows, clock_, hard_ns_);
    if (!answer.odd_output.empty()) against_ = answer.odd_output;
    if (answer.status.code() == base::StatusCode::kUnavailable) lost_ = true;
    return answer;
  }

  std::vector<RowBytes> Rows(size_t count, RowFill fill) {
    std::vector<RowBytes> rows;
    for (size_t i = 0; i < count; ++i) rows.push_back(MakeRow(signature_, *plan_, fill, random_));
    return rows;
  }

  // Finds plans that the model accepts for one row: the first, and others with other sizes or inputs.
  void FindPlans() {
    all_plans_ = ProbePlans(signature_, options_.execution_bytes_max / 3);
    for (const ProbePlan& plan : all_plans_) {
      if (!Goes() || plans_.size() == kPlansMax) return;
      const bool known = std::ranges::any_of(plans_, [&](const ProbePlan* other) {
        return other->row_shapes == plan.row_shapes && other->given == plan.given && other->low > 0;
      });
      if (known) continue;
      plan_ = &plan;
      const RowsAnswer answer = Run(Rows(1, RowFill::kRandom));
      if (answer.status.ok()) plans_.push_back(&plan);
      if (!answer.status.ok()) refusal_ = answer.status.message();
    }
  }

  std::string WhyNoPlan() const {
    if (all_plans_.empty()) return "one row is too large to see whether it influences others";
    return "no row that was tried is one that the model takes: " + refusal_.substr(0, kErrorBytesMax);
  }

  void Check(const ProbePlan* plan, bool first) {
    plan_ = plan;
    const size_t bytes = std::max<size_t>(plan->RowBytesOf(signature_), 1);
    CheckApart(Rows(3, RowFill::kRandom));
    CheckInfluence(3, 1, first ? kNeighbours.size() : 6);
    first_through_ = first_through_ || (Goes() && influences_ > 0);
    if (Goes() && bytes * (kPlain.size() + 1) <= options_.execution_bytes_max) CheckMixed();
    for (const auto& [count, row] : {std::pair<size_t, size_t>{2, 0}, {2, 1}, {5, 4}, {8, 0}}) {
      if (!Goes() || bytes * count > options_.execution_bytes_max) return;
      if (row == 0) CheckApart(Rows(count, RowFill::kRandom));
      if (Goes()) CheckInfluence(count, row, first ? kNeighbours.size() : 3);
    }
    const auto all = static_cast<size_t>(options_.rows_max);
    for (const size_t count : {size_t{17}, all}) {
      if (!Goes() || count > all || bytes * count > kAllRowsBytesMax) return;
      CheckApart(Rows(count, RowFill::kRandom));
      if (Goes()) CheckInfluence(count, count / 2, 4);
    }
  }

  // Checks an execution of rows with different fillings.
  void CheckMixed() {
    std::vector<RowBytes> rows;
    for (const RowFill fill : kPlain) rows.push_back(MakeRow(signature_, *plan_, fill, random_));
    rows.push_back(rows.front());
    CheckApart(rows);
  }

  // Executes the rows together, each alone, and in the opposite order.
  void CheckApart(const std::vector<RowBytes>& rows) {
    const RowsAnswer together = Run(rows);
    if (!against_.empty()) return;
    for (size_t i = 0; i < rows.size() && Goes(); ++i) {
      if (i >= 7 && i + 3 < rows.size()) continue;
      const RowsAnswer alone = Run({rows[i]});
      if (!against_.empty()) return;
      if (alone.status.ok() != together.status.ok()) {
        if (!together.status.ok()) return AgainstTogether(rows, together);
        if (!Goes()) return;
        against_ =
            "a row fails alone that is executed with others: " + alone.status.message().substr(0, kErrorBytesMax);
        return;
      }
      if (!alone.status.ok()) return;
      const int output = FirstDifference(signature_, alone, 0, together, i, RowEquality::kRounded);
      if (output >= 0) return Against(output, "changes when " + RowsWord(rows.size()) + " are executed together");
    }
    if (!together.status.ok() || !Goes()) return;
    const RowsAnswer turned = Run({rows.rbegin(), rows.rend()});
    for (size_t i = 0; i < rows.size() && against_.empty() && turned.status.ok(); ++i) {
      const int output = FirstDifference(signature_, together, i, turned, rows.size() - 1 - i, RowEquality::kRounded);
      if (output >= 0) return Against(output, "changes with the order of " + RowsWord(rows.size()));
    }
  }

  // An execution failed although one of its rows alone did not: another row may have failed.
  void AgainstTogether(const std::vector<RowBytes>& rows, const RowsAnswer& together) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!Goes() || !Run({rows[i]}).status.ok()) return;
    }
    against_ = "an execution of " + RowsWord(rows.size()) +
               " fails that are executed alone: " + together.status.message().substr(0, kErrorBytesMax);
  }

  // Changes the rows beside `row`, and compares its answer.
  void CheckInfluence(size_t count, size_t row, size_t fills) {
    std::vector<RowBytes> rows = Rows(count, RowFill::kRandom);
    const RowsAnswer base = Run(rows);
    if (!against_.empty() || !base.status.ok()) return;
    const auto compare = [&](const std::vector<RowBytes>& others, std::string_view what) {
      const RowsAnswer answer = Run(others);
      if (!against_.empty() || !answer.status.ok()) return;
      ++influences_;
      const int output = FirstDifference(signature_, base, row, answer, row, RowEquality::kExact);
      if (output >= 0) Against(output, "changes with the rows beside it (" + std::string(what) + ")");
    };
    const auto with = [&](auto make) {
      std::vector<RowBytes> others = rows;
      for (size_t i = 0; i < count; ++i) {
        if (i != row) others[i] = make(i);
      }
      return others;
    };
    for (size_t i = 0; i < fills && Goes(); ++i) {
      const RowFill fill = kNeighbours[i];
      compare(with([&](size_t) { return MakeRow(signature_, *plan_, fill, random_); }), RowFillName(fill));
    }
    if (Goes()) compare(with([&](size_t) { return rows[row]; }), "equal rows");
    if (Goes() && count > 2) {
      compare(with([&](size_t i) { return rows[i == (row == 0 ? 1 : 0) ? count - 1 : i]; }), "repeated rows");
    }
  }

  void Against(int output, const std::string& how) {
    against_ = "output '" + signature_.outputs[output].name + "' of a row " + how;
  }

  const core::ModelSignature& signature_;
  core::EngineInstance& instance_;
  const RowProbeOptions& options_;
  const base::Clock& clock_;
  const int64_t began_ns_;
  const int64_t soft_ns_;
  const int64_t hard_ns_;
  std::mt19937_64 random_{kSeed};
  std::vector<ProbePlan> all_plans_;
  std::vector<const ProbePlan*> plans_;
  const ProbePlan* plan_ = nullptr;
  std::string refusal_;
  std::string against_;
  bool lost_ = false;
  bool first_through_ = false;
  int64_t executions_ = 0;
  int64_t influences_ = 0;
};

}  // namespace

config::ProbeResult ProbeRows(core::EngineModel& model, const RowProbeOptions& options, const base::Clock& clock) {
  const core::ModelSignature signature = model.signature().Shown();
  if (signature.sequences) return {.found = "it keeps state between requests"};
  if (signature.decoupled) return {.found = "it may answer a request any number of times"};
  auto instance = model.CreateInstance({});
  if (!instance.has_value()) return {.found = "there is no instance to execute it: " + instance.error().message()};
  return Prober(signature, **instance, options, clock).Find();
}

}  // namespace inferd::repository
