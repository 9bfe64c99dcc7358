#include "serving/repository/records/needs.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace inferd::repository {

namespace {

// Limits the text, as a reason contains the reasons of needed models, which may contain others.
constexpr size_t kReasonBytesMax = 500;

bool Matches(const config::Dependency& dependency, int64_t version) {
  return !dependency.version.has_value() || *dependency.version == version;
}

// Returns the newest version that satisfies the dependency. Null if none is ready.
const core::ModelVersion* FindReady(const ModelRecord* other, const config::Dependency& dependency) {
  const core::ModelVersion* found = nullptr;
  if (other == nullptr) return found;
  for (const auto& [version, harness] : other->versions) {
    if (Matches(dependency, version) && !harness.ending() && harness.serving() != nullptr) {
      found = harness.serving().get();
    }
  }
  return found;
}

bool IsReady(const ModelRecord* other, const config::Dependency& dependency) {
  return FindReady(other, dependency) != nullptr;
}

// Describes the signature that a calling model was made to fit.
std::string TextOf(const core::ModelSignature& signature) {
  std::string text = std::to_string(signature.max_batch_size) + (signature.decoupled ? " decoupled" : "");
  for (const auto* tensors : {&signature.inputs, &signature.outputs}) {
    text += tensors == &signature.inputs ? " in" : " out";
    for (const core::TensorSpec& tensor : *tensors) {
      text += ' ' + tensor.name + ':' + std::string(tensor::DataTypeName(tensor.datatype)) + tensor.shape.ToString();
      text += tensor.optional ? "?" : "";
    }
  }
  return text;
}

std::string WhyMissing(const ModelRecord* other, const config::Dependency& dependency) {
  if (other == nullptr) return "no repository has it";
  if (other->wanted.empty()) return other->problem.empty() ? "nothing has loaded it" : other->problem;
  for (auto it = other->versions.rbegin(); it != other->versions.rend(); ++it) {
    const auto& [version, harness] = *it;
    if (!Matches(dependency, version) || !other->wanted.contains(version) || !harness.failure().failed) continue;
    if (harness.failure().by_dependency && harness.reason().size() > kReasonBytesMax) {
      return "it depends on others that are not loaded";
    }
    return harness.reason();
  }
  return "that version is not one to be served";
}

// The reason for an ensemble.
std::string MissingInTritonsWords(const std::string& model, const ModelRecord* other,
                                  const config::Dependency& dependency) {
  const std::string why = WhyMissing(other, dependency);
  if (other == nullptr) {
    return "ensemble " + model + " contains models that are not available or ambiguous: " + dependency.model + ": " +
           why;
  }
  const std::string depends = "ensemble '" + model + "' depends on '" + dependency.model + "' ";
  if (dependency.version.has_value()) {
    return depends + "whose required version " + std::to_string(*dependency.version) + " is not loaded: " + why;
  }
  return depends + "which has no loaded version: " + why;
}

std::string Missing(const ModelRecord* other, const config::Dependency& dependency) {
  const std::string which =
      dependency.version.has_value() ? "version " + std::to_string(*dependency.version) + " of model '" : "model '";
  return "depends on " + which + dependency.model + "', which is not loaded: " + WhyMissing(other, dependency);
}

bool IsPending(const ModelRecord& other, const config::Dependency& dependency) {
  return std::ranges::any_of(other.versions, [&](const auto& entry) {
    return Matches(dependency, entry.first) && other.wanted.contains(entry.first) && entry.second.Pending();
  });
}

// Returns true if a wanted version rests and has not failed: it will be planned in this step.
bool WillBePlanned(const ModelRecord& other, const config::Dependency& dependency) {
  return std::ranges::any_of(other.wanted, [&](const auto& entry) {
    const auto& [version, target] = entry;
    if (!Matches(dependency, version)) return false;
    const auto known = other.versions.find(version);
    return known == other.versions.end() || !known->second.failure().With(target.content);
  });
}

// Returns the version that the dependency means, if it is loaded on demand. Null otherwise.
const int64_t* MeantBy(const ModelRecord& other, const config::Dependency& dependency, int64_t now_ns) {
  const int64_t* const meant =
      other.MeantOnDemand(dependency.version.has_value() ? std::to_string(*dependency.version) : "", now_ns);
  return meant != nullptr && other.LoadsOnDemand(*meant) ? meant : nullptr;
}

void JudgeAsleep(const ModelRecord& other, int64_t version, Needs& needs) {
  const auto known = other.versions.find(version);
  const bool failed = known != other.versions.end() && known->second.failure().failed;
  needs.state = failed ? NeedState::kMissing : NeedState::kComing;
  const bool demanded = known != other.versions.end() && known->second.demanded();
  if (!failed && !demanded) needs.asleep.push_back({other.name, version});
}

Needs JudgeOne(const ModelRecord* other, const config::Dependency& dependency, const std::string* triton_ensemble,
               int64_t now_ns) {
  Needs needs;
  if (IsReady(other, dependency)) return needs;
  needs.state = NeedState::kMissing;
  if (other != nullptr) {
    const int64_t* const meant = MeantBy(*other, dependency, now_ns);
    if (IsPending(*other, dependency) || other->changing) {
      needs.state = NeedState::kComing;
    } else if (meant != nullptr) {
      JudgeAsleep(*other, *meant, needs);
    } else if (WillBePlanned(*other, dependency)) {
      needs.state = NeedState::kComing;
    }
  }
  if (needs.state == NeedState::kComing) {
    needs.reason = "waits for model '" + dependency.model + "', which it depends on";
  } else {
    needs.reason = triton_ensemble == nullptr ? Missing(other, dependency)
                                              : MissingInTritonsWords(*triton_ensemble, other, dependency);
  }
  return needs;
}

// Returns the dependencies of the model's loads, for as long as the loads exist.
std::vector<config::Dependency> NeededByLoads(const ModelRecord& record) {
  std::vector<config::Dependency> needed = record.left_needs;
  for (const auto& [version, harness] : record.versions) {
    if (harness.serving() != nullptr) {
      const auto& serving = harness.serving()->config().dependencies;
      needed.insert(needed.end(), serving.begin(), serving.end());
    }
    if (harness.phase() == VersionHarness::Phase::kLoading) {
      needed.insert(needed.end(), record.dependencies.begin(), record.dependencies.end());
    }
  }
  return needed;
}

}  // namespace

Needs JudgeNeeds(const ModelRecords& records, const ModelRecord& record, int64_t now_ns, bool triton_words) {
  Needs needs;
  for (const config::Dependency& dependency : record.dependencies) {
    Needs one = JudgeOne(records.Find(dependency.model), dependency, triton_words ? &record.name : nullptr, now_ns);
    if (one.state == NeedState::kMet) continue;
    if (one.state == NeedState::kMissing || needs.state == NeedState::kMet) {
      needs.state = one.state;
      needs.reason = std::move(one.reason);
    }
    if (needs.state == NeedState::kMissing) break;
    needs.asleep.insert(needs.asleep.end(), one.asleep.begin(), one.asleep.end());
  }
  if (needs.state == NeedState::kMet) return needs;
  const std::string circle = records.dependencies().CircleOf(record.name);
  if (circle.empty()) return needs;
  // Triton names the model at which it finds the circle: one that the first needs.
  constexpr std::string_view kArrow = " -> ";
  const size_t next = circle.find(kArrow) + kArrow.size();
  const std::string ends =
      record.name + " -> ... -> " + circle.substr(next, circle.find(kArrow, next) - next) + " -> " + record.name;
  return {NeedState::kMissing,
          triton_words ? "circular dependency between ensembles: " + ends + " (" + circle + ")"
                       : "circular dependency between models: " + circle,
          {}};
}

std::string SignaturesNeeded(const ModelRecords& records, const ModelRecord& record) {
  std::string text;
  for (const config::Dependency& dependency : record.dependencies) {
    const core::ModelVersion* const ready = FindReady(records.Find(dependency.model), dependency);
    if (ready != nullptr) text += dependency.model + ' ' + TextOf(ready->signature()) + '\n';
  }
  return text;
}

std::vector<VersionView> ViewsWithNeeds(const ModelRecords& records, const ModelRecord& record, const Needs& needs) {
  std::vector<VersionView> views = record.Views();
  for (VersionView& view : views) {
    view.needs = needs.state;
    const auto& serving = record.versions.at(view.version).serving();
    view.forsaken = serving != nullptr &&
                    std::ranges::any_of(serving->config().dependencies, [&](const config::Dependency& dependency) {
                      return !IsReady(records.Find(dependency.model), dependency);
                    });
  }
  return views;
}

Dependencies::Names NamesNeeded(const ModelRecord& record) {
  Dependencies::Names names;
  const auto add = [&names](const std::vector<config::Dependency>& dependencies) {
    for (const config::Dependency& dependency : dependencies) names.insert(dependency.model);
  };
  if (!record.wanted.empty()) add(record.dependencies);
  add(NeededByLoads(record));
  return names;
}

bool IsNeeded(const ModelRecords& records, const ModelRecord& record, int64_t version,
              std::span<const int64_t> ending) {
  const auto another_serves = [&] {
    return std::ranges::any_of(record.versions, [&](const auto& entry) {
      return entry.first != version && entry.second.serving() != nullptr &&
             std::ranges::find(ending, entry.first) == ending.end();
    });
  };
  for (const std::string& name : records.dependencies().DependentsOf(record.name)) {
    const ModelRecord* const dependent = records.Find(name);
    if (dependent == nullptr || name == record.name) continue;
    for (const config::Dependency& dependency : NeededByLoads(*dependent)) {
      if (dependency.model != record.name || !Matches(dependency, version)) continue;
      if (dependency.version.has_value() || !another_serves()) return true;
    }
  }
  return false;
}

std::string LookToDependents(const ModelRecord& record) {
  std::string look = record.changing ? "changing" : "";
  look += record.wanted.empty() ? "|" + record.problem : "";
  for (const auto& [version, harness] : record.versions) {
    look += '|' + std::to_string(version);
    if (harness.serving() != nullptr) {
      look += (harness.ending() ? " ending " : " ready ") + TextOf(harness.serving()->signature());
    }
    if (harness.Pending()) look += " pending";
    if (!record.wanted.contains(version)) continue;
    look += record.LoadsOnDemand(version) && !harness.demanded() ? " asleep" : " wanted";
    if (harness.failure().failed) look += " failed: " + harness.reason();
  }
  return look;
}

std::vector<std::string> LoadedAlong(const ModelRecords& records, const std::string& model) {
  std::vector<std::string> along = {model};
  const auto goes = [&](const std::string& name) {
    const ModelRecord* const record = records.Find(name);
    return std::ranges::find(along, name) != along.end() || record == nullptr || record->wanted.empty();
  };
  for (size_t next = 0; next < along.size(); ++next) {
    const Dependencies::Names needed = records.dependencies().NeededBy(along[next]);
    for (const std::string& other : needed) {
      const ModelRecord* const record = records.Find(other);
      if (goes(other) || !record->loaded_along) continue;
      if (std::ranges::all_of(records.dependencies().DependentsOf(other), goes)) along.push_back(other);
    }
  }
  along.erase(along.begin());
  return along;
}

}  // namespace inferd::repository
