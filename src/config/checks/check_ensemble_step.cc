#include <cmath>
#include <set>
#include <string>

#include "config/checks/checks.h"
#include "config/model/model_config.h"

// inferd { } of an ensemble's step: conditions, defaults, choices and shadows.

namespace inferd::config {
namespace {

using StepOptions = inference::InferdStepOptions;

constexpr int kConditionsMax = 16;
constexpr int kCallsMax = 16;
constexpr uint32_t kWeightMax = 1'000'000;

class StepOptionsCheck {
 public:
  StepOptionsCheck(CheckContext& context, const Place& place, int step)
      : c_(context),
        step_(context.config.ensemble_scheduling().step(step)),
        options_(step_.inferd()),
        place_(place.In("inferd")),
        where_(" in step " + std::to_string(step) + " of ensemble '" + context.model + "'") {}

  void Run() {
    if (options_.when_size() > kConditionsMax) {
      return Report(
          place_.At("when", "at most " + std::to_string(kConditionsMax) + " conditions are allowed" + where_));
    }
    for (int i = 0; i < options_.when_size(); ++i) CheckCondition(options_.when(i), place_.In("when", i));
    for (int i = 0; i < options_.default__size(); ++i) CheckDefault(options_.default_(i), place_.In("default", i));
    CheckChoices();
    if (options_.shadow_size() > kCallsMax) {
      return Report(place_.At("shadow", "at most " + std::to_string(kCallsMax) + " shadows are allowed" + where_));
    }
    for (int i = 0; i < options_.shadow_size(); ++i) CheckShadow(options_.shadow(i), place_.In("shadow", i));
  }

 private:
  void Report(Problem problem) { c_.problems.push_back(std::move(problem)); }

  void CheckCondition(const StepOptions::Condition& condition, const Place& place) {
    if (condition.tensor().empty() && condition.parameter().empty()) {
      Report(place.Here("must specify 'tensor' or 'parameter' in a condition" + where_));
    }
    if (condition.test_case() == StepOptions::Condition::TEST_NOT_SET) {
      Report(place.Here("must specify one of 'equals', 'not_equals', 'less', 'greater' and 'present' in a condition" +
                        where_));
    }
    const auto number = [&](bool written, const char* field, double value) {
      if (written && std::isnan(value))
        Report(place.At(field, std::string("nothing is ") + field + " than NaN" + where_));
    };
    number(condition.has_less(), "less", condition.less());
    number(condition.has_greater(), "greater", condition.greater());
  }

  void CheckDefault(const StepOptions::Default& given, const Place& place) {
    if (!step_.output_map().contains(given.output())) {
      Report(place.At("output", "'" + given.output() + "' is no output in the output_map" + where_));
    } else if (!defaults_.insert(given.output()).second) {
      Report(place.At("output", "output '" + given.output() + "' has a default already" + where_));
    }
    if (given.source_case() == StepOptions::Default::SOURCE_NOT_SET || (given.has_tensor() && given.tensor().empty())) {
      Report(place.Here("must specify 'tensor' or 'value' in a default" + where_));
    }
    if (given.has_tensor() && given.dims_size() > 0) {
      Report(place.At("dims", "a default that is another tensor has that one's dims" + where_));
    }
    for (const int64_t dim : given.dims()) {
      if (dim < 1) return Report(place.At("dims", "a dimension of a default must be 1 or more" + where_));
    }
  }

  // Returns false if it has reported a problem.
  bool CheckModel(const std::string& model, int64_t version, const Place& place) {
    if (model.empty()) {
      Report(place.Here("must specify 'model_name'" + where_));
    } else if (model == c_.config.name()) {
      Report(place.At("model_name", CallsItself(c_.model) + where_));
    } else if (version < -1) {
      Report(place.At("model_version",
                      "a version must be 1 or more, or -1 for the latest, got " + std::to_string(version) + where_));
    } else {
      return true;
    }
    return false;
  }

  void CheckChoices() {
    if (options_.choice_size() > kCallsMax) {
      return Report(place_.At("choice", "at most " + std::to_string(kCallsMax) + " choices are allowed" + where_));
    }
    if (options_.has_weight() && options_.choice_size() == 0) {
      Report(place_.At("weight", "'weight' needs a 'choice' beside it" + where_));
    }
    uint64_t total = options_.has_weight() ? options_.weight() : 1;
    const auto bound = [&](uint32_t weight, const Place& place) {
      if (weight > kWeightMax) {
        Report(place.At("weight", "a weight is " + std::to_string(kWeightMax) + " at most" + where_));
      }
    };
    bound(options_.weight(), place_);
    for (int i = 0; i < options_.choice_size(); ++i) {
      const StepOptions::Choice& choice = options_.choice(i);
      const Place place = place_.In("choice", i);
      CheckModel(choice.model_name(), choice.model_version(), place);
      bound(choice.weight(), place);
      total += choice.weight();
    }
    if (total == 0) Report(place_.At("choice", "at least one weight must be 1 or more" + where_));
  }

  void CheckShadow(const StepOptions::Shadow& shadow, const Place& place) {
    if (!CheckModel(shadow.model_name(), shadow.model_version(), place)) return;
    if (shadow.has_percent() && (shadow.percent() == 0 || shadow.percent() > 100)) {
      Report(place.At("percent", "'percent' must be from 1 to 100, got " + std::to_string(shadow.percent()) + where_));
    }
  }

  CheckContext& c_;
  const inference::ModelEnsembling::Step& step_;
  const StepOptions& options_;
  const Place place_;
  const std::string where_;
  std::set<std::string> defaults_;  // outputs
};

}  // namespace

void CheckStepOptions(CheckContext& c, const Place& place, int step) { StepOptionsCheck(c, place, step).Run(); }

}  // namespace inferd::config
