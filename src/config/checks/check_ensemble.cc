#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/checks/checks.h"
#include "config/ensemble_message.h"
#include "config/model/model_config.h"

// ensemble_scheduling: steps that can never run, and tensors without a use.

namespace inferd::config {
namespace {

constexpr int kStepsMax = 256;

class EnsembleCheck {
 public:
  explicit EnsembleCheck(CheckContext& context)
      : c_(context),
        place_(context.place.In("ensemble_scheduling")),
        steps_(context.config.ensemble_scheduling().step()),
        ensemble_(ToEnsemble(context.config.ensemble_scheduling())) {}

  void Run() {
    CheckCompany();
    if (steps_.empty()) return Report(place_.Here("must specify 'step' for ensemble '" + c_.model + "'"));
    if (steps_.size() > kStepsMax) {
      return Report(place_.At("step", "at most " + std::to_string(kStepsMax) + " steps are allowed for ensemble '" +
                                          c_.model + "', got " + std::to_string(steps_.size())));
    }
    const size_t before = c_.problems.size();
    for (int i = 0; i < steps_.size(); ++i) CheckStep(i);
    if (models_.size() > kDependenciesMax) {
      Report(place_.At("step", "at most " + std::to_string(kDependenciesMax) + " models are allowed for ensemble '" +
                                   c_.model + "', got " + std::to_string(models_.size())));
    }
    if (c_.problems.size() > before) return;
    CheckTensors();
    if (c_.problems.size() == before) CheckOrder();
  }

 private:
  using Step = inference::ModelEnsembling::Step;

  void Report(Problem problem) { c_.problems.push_back(std::move(problem)); }

  // Refuses fields that an ensemble cannot use.
  void CheckCompany() {
    const auto refuse = [this](bool written, std::string_view field, const std::string& text) {
      if (written) Report(c_.place.At(field, text));
    };
    refuse(c_.config.instance_group_size() > 0, "instance_group",
           "instance group should not be specified for ensemble '" + c_.model + "'");
    refuse(c_.config.has_optimization(), "optimization",
           "optimization should not be specified for ensemble '" + c_.model + "'");
    refuse(c_.config.model_warmup_size() > 0, "model_warmup",
           "model_warmup can not be specified for ensemble '" + c_.model + "'");
  }

  void CheckStep(int i) {
    const Step& step = steps_[i];
    const Place place = place_.In("step", i);
    const std::string where = " in step " + std::to_string(i) + " of ensemble '" + c_.model + "'";
    if (step.model_name().empty()) return Report(place.Here("must specify 'model_name'" + where));
    if (step.model_name() == c_.config.name()) {
      return Report(place.At("model_name", CallsItself(c_.model) + where));
    }
    if (step.model_version() < -1) {
      return Report(place.At("model_version", "a version must be 1 or more, or -1 for the latest, got " +
                                                  std::to_string(step.model_version()) + where));
    }
    if (!step.model_namespace().empty()) {
      return Report(place.At("model_namespace", "models have no namespaces here: 'model_namespace' must be left out"));
    }
    if (step.input_map().empty()) return Report(place.Here("must specify 'input_map'" + where));
    if (step.output_map().empty()) return Report(place.Here("must specify 'output_map'" + where));
    CheckStepOptions(c_, place, i);
    for (const auto& [output, tensor] : step.output_map()) {
      std::vector<int>& makers = made_[tensor];
      if (IsInput(tensor) || !std::ranges::all_of(makers, [&](int maker) { return Exclude(maker, i); })) {
        Report(place.At("output_map", "ensemble tensor '" + tensor +
                                          "' can appear in an output map only once for ensemble '" + c_.model +
                                          "' step " + std::to_string(i) +
                                          ", but where the steps have conditions that exclude each other"));
      }
      makers.push_back(i);
    }
    for (const auto& [input, tensor] : step.input_map()) used_.emplace(tensor, i);
    models_.insert(step.model_name());
    for (const auto& choice : step.inferd().choice()) models_.insert(choice.model_name());
  }

  // Returns true if no request takes both steps.
  bool Exclude(int a, int b) const {
    const std::vector<EnsembleCondition>& others = ensemble_.steps[static_cast<size_t>(b)].when;
    return a != b && std::ranges::any_of(ensemble_.steps[static_cast<size_t>(a)].when, [&](const auto& condition) {
             return std::ranges::any_of(others, [&](const auto& other) { return Excludes(condition, other); });
           });
  }

  bool IsInput(const std::string& tensor) const {
    for (const auto& input : c_.config.input()) {
      if (input.name() == tensor) return true;
    }
    return false;
  }

  void CheckTensors() {
    for (int i = 0; i < steps_.size(); ++i) CheckOptionTensors(i);
    for (int i = 0; i < c_.config.input_size(); ++i) {
      const std::string& name = c_.config.input(i).name();
      if (!used_.contains(name)) {
        Report(c_.place.In("input", i)
                   .At("name", "ensemble input '" + name + "' for ensemble " + c_.model + "' is not used"));
      }
    }
    std::set<std::string> outputs;
    for (int i = 0; i < c_.config.output_size(); ++i) {
      const std::string& name = c_.config.output(i).name();
      outputs.insert(name);
      if (made_.contains(name)) continue;
      const Place place = c_.place.In("output", i);
      Report(used_.contains(name) && !IsInput(name)
                 ? place.At("name", "output '" + name + "' for ensemble '" + c_.model +
                                        "' is not written: steps take it, and none makes it")
                 : place.At("name", "ensemble output '" + name + "' for ensemble " + c_.model + "' is not used"));
    }
    for (const auto& [tensor, makers] : made_) {
      if (used_.contains(tensor) || outputs.contains(tensor)) continue;
      Report(place_.In("step", makers.front())
                 .At("output_map", "ensemble tensor '" + tensor + "' is unused in ensemble '" + c_.model + "'"));
    }
    for (const auto& [tensor, i] : used_) {
      if (made_.contains(tensor) || IsInput(tensor) || !Takes(steps_[i], tensor)) continue;
      if (outputs.contains(tensor)) continue;  // named above
      Report(place_.In("step", i).At("input_map", NotConnected(tensor) + ": ensemble tensor '" + tensor +
                                                      "' is used by step " + std::to_string(i) + " of ensemble '" +
                                                      c_.model + "', but no step makes it, and it is no input"));
    }
  }

  // Returns Triton's words for a tensor that steps take and none makes.
  std::string NotConnected(const std::string& tensor) {
    if (const int output = OutputOf(tensor); output < c_.config.output_size()) {
      return "output '" + c_.config.output(output).name() + "' for ensemble '" + c_.model +
             "' is not written: at least one of its depending tensors, '" + tensor + "', is not connected";
    }
    return "ensemble tensor '" + tensor + "' is unused in ensemble '" + c_.model + "'";
  }

  // Returns the index of the first output that is `tensor` or depends on it. The number of outputs if there is none.
  int OutputOf(const std::string& tensor) {
    if (leads_.empty()) FindLeads();
    const auto found = leads_.find(tensor);
    return found == leads_.end() ? c_.config.output_size() : found->second;
  }

  // Fills `leads_`. Visits each step once, because a configuration may have any number of tensors.
  void FindLeads() {
    std::vector<bool> seen(static_cast<size_t>(steps_.size()));
    for (int i = 0; i < c_.config.output_size(); ++i) {
      std::vector<std::string> open = {c_.config.output(i).name()};
      while (!open.empty()) {
        const std::string tensor = std::move(open.back());
        open.pop_back();
        if (!leads_.emplace(tensor, i).second) continue;
        const auto made = made_.find(tensor);
        if (made == made_.end()) continue;
        for (const int maker : made->second) {
          if (seen[static_cast<size_t>(maker)]) continue;
          seen[static_cast<size_t>(maker)] = true;
          for (const auto& [input, taken] : steps_[maker].input_map()) open.push_back(taken);
        }
      }
    }
  }

  static bool Takes(const Step& step, const std::string& tensor) {
    return std::ranges::any_of(step.input_map(), [&](const auto& entry) { return entry.second == tensor; });
  }

  // Checks the tensors that conditions and defaults name.
  void CheckOptionTensors(int i) {
    const inference::InferdStepOptions& options = steps_[i].inferd();
    const Place place = place_.In("step", i).In("inferd");
    const auto check = [&](const std::string& tensor, const Place& in) {
      if (tensor.empty()) return;
      used_.emplace(tensor, i);
      if (made_.contains(tensor) || IsInput(tensor)) return;
      Report(in.At("tensor", "no step makes ensemble tensor '" + tensor + "', and it is no input, in step " +
                                 std::to_string(i) + " of ensemble '" + c_.model + "'"));
    };
    for (int j = 0; j < options.when_size(); ++j) check(options.when(j).tensor(), place.In("when", j));
    for (int j = 0; j < options.default__size(); ++j) {
      check(options.default_(j).tensor(), place.In("default", j));
      const auto output = steps_[i].output_map().find(options.default_(j).output());
      if (output == steps_[i].output_map().end() || made_[output->second].size() == 1) continue;
      Report(place.In("default", j)
                 .At("output", "ensemble tensor '" + output->second +
                                   "' comes of several steps, of which none has a "
                                   "default, in step " +
                                   std::to_string(i) + " of ensemble '" + c_.model + "'"));
    }
  }

  // Finds steps that wait for each other and so never run.
  void CheckOrder() {
    std::vector<bool> taken(static_cast<size_t>(steps_.size()));
    for (bool moved = true; moved;) {
      moved = false;
      for (int i = 0; i < steps_.size(); ++i) {
        if (taken[static_cast<size_t>(i)] || !MayBeTaken(steps_[i], taken)) continue;
        moved = taken[static_cast<size_t>(i)] = true;
      }
    }
    for (int i = 0; i < steps_.size(); ++i) {
      if (taken[static_cast<size_t>(i)]) continue;
      return Report(place_.In("step", i).Here(NeverTaken(steps_[i]) + "circular dependency: step " + std::to_string(i) +
                                              " of ensemble '" + c_.model + "' waits for what comes of it"));
    }
  }

  // Returns Triton's words for a step that is never taken, as it waits for itself.
  std::string NeverTaken(const Step& step) {
    int first = c_.config.output_size();
    for (const auto& [name, tensor] : step.output_map()) first = std::min(first, OutputOf(tensor));
    if (first < c_.config.output_size()) {
      return "output '" + c_.config.output(first).name() + "' for ensemble '" + c_.model + "' is not written: ";
    }
    return "ensemble tensor '" + step.output_map().begin()->second + "' is unused in ensemble '" + c_.model + "': ";
  }

  bool MayBeTaken(const Step& step, const std::vector<bool>& taken) const {
    const auto is_made = [&](const std::string& tensor) {
      const auto made = made_.find(tensor);
      return made == made_.end() ||
             std::ranges::all_of(made->second, [&](int i) { return taken[static_cast<size_t>(i)]; });
    };
    const auto is_made_for = [&](const auto& option) { return is_made(option.tensor()); };
    return std::ranges::all_of(step.input_map(), [&](const auto& entry) { return is_made(entry.second); }) &&
           std::ranges::all_of(step.inferd().when(), is_made_for) &&
           std::ranges::all_of(step.inferd().default_(), is_made_for);
  }

  CheckContext& c_;
  const Place place_;
  const google::protobuf::RepeatedPtrField<Step>& steps_;
  const Ensemble ensemble_;
  std::set<std::string> models_;
  std::map<std::string, std::vector<int>> made_;  // ensemble tensors, and the steps that make them
  std::map<std::string, int> used_;               // ... and the first step that takes them
  std::map<std::string, int> leads_;              // tensors, and the first output that depends on each; FindLeads()
};

}  // namespace

void CheckEnsemble(CheckContext& c) {
  const bool scheduled = c.config.has_ensemble_scheduling();
  const bool platform = c.config.platform() == kEnsembleEngine;
  if (platform && !scheduled) {
    c.problems.push_back(c.place.At(
        "platform", "ensemble scheduling must be set for ensemble " + c.model + " whose platform is ensemble"));
  } else if (!platform && scheduled) {
    c.problems.push_back(c.place.At("ensemble_scheduling", "ensemble scheduling cannot be set for model '" + c.model +
                                                               "' whose platform is not ensemble"));
  } else if (scheduled) {
    EnsembleCheck(c).Run();
  }
}

}  // namespace inferd::config
