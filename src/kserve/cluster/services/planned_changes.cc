#include "kserve/cluster/services/planned_changes.h"

#include <string_view>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/difference.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/gateway_decision.h"

namespace inferd::cluster {

namespace {

using kubernetes::ApiResult;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

// Removes the fields that change with every write.
Value Comparable(Value object) {
  object.Remove("status");
  Value* const metadata = object.Find("metadata");
  if (metadata == nullptr) return object;
  for (const char* field : {"resourceVersion", "uid", "generation", "creationTimestamp", "managedFields"}) {
    metadata->Remove(field);
  }
  if (Value* const annotations = metadata->Find("annotations")) annotations->Remove(kWrittenAnnotation);
  return object;
}

std::string PlaceOf(const Value& object) {
  return TextAt(object, {"kind"}) + " " + TextAt(object, {"metadata", "namespace"}) + "/" +
         TextAt(object, {"metadata", "name"});
}

class Planner {
 public:
  Planner(const ObjectSet& set, kubernetes::Client& client, const std::stop_token& stop)
      : set_(set), client_(client), stop_(stop) {}

  ApiResult<void> Plan(const std::optional<model::ResolutionFailure>& failure) {
    if (failure.has_value()) {
      Say('!', set_.owner, ": " + failure->reason + ": " + failure->Explain());
      return {};
    }
    for (const Value& object : set_.wanted) {
      const Resource* const resource = WrittenResourceOf(object);
      if (resource == nullptr) continue;
      if (auto planned = PlanWrite(*resource, object); !planned.has_value()) return planned;
    }
    for (const LabelledObject& stray : StraysOf(set_)) Say('-', *stray.object, "");
    return {};
  }

  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  ApiResult<void> PlanWrite(const Resource& resource, const Value& wanted) {
    Value object = ForWriting(wanted, set_.owner);
    auto live = client_.Get(resource, kubernetes::NameOf(object), stop_);
    if (!live.has_value() && !live.error().is_not_found()) return std::unexpected(live.error());
    if (live.has_value() && ClaimOf(*live, set_.owner) == Claim::kForeign) {
      Say('!', wanted, ": NotOwned: " + OwnerText(*live));
      return {};
    }
    // An owner that is not stored yet has no uid, so objects cannot refer to it.
    if (kubernetes::UidOf(set_.owner).empty()) object.MapAt("metadata").Remove("ownerReferences");
    const auto planned = client_.Apply(
        resource, object, {.field_manager = FieldManagerOf(set_.owner), .force = true, .dry_run = true}, stop_);
    if (!planned.has_value()) {
      if (planned.error().code == 0) return std::unexpected(planned.error());
      Say('!', wanted, ": " + planned.error().ToString());
    } else if (!live.has_value()) {
      Say('+', wanted, "");
    } else if (const auto changes = ChangesBetween(*live, *planned); !changes.empty()) {
      Say('~', wanted, "");
      for (const std::string& change : changes) lines_.push_back("    " + change);
    }
    return {};
  }

  void Say(char what, const Value& object, const std::string& more) {
    lines_.push_back(std::string(1, what) + " " + PlaceOf(object) + more);
  }

  const ObjectSet& set_;
  kubernetes::Client& client_;
  const std::stop_token& stop_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> ChangesBetween(const Value& before, const Value& after) {
  const Value old = Comparable(before);
  const Value made = Comparable(after);
  std::vector<std::string> lines;
  for (const Difference& each : FindDifferences(old, made)) {
    lines.push_back(each.path + ": " + (each.live.empty() ? "" : each.live + " ") + "-> " + each.wanted);
  }
  for (const Difference& each : FindDifferences(made, old)) {
    if (each.live.empty()) lines.push_back(each.path + ": " + each.wanted + " ->");
  }
  return lines;
}

ApiResult<std::vector<std::string>> PlanSet(const ObjectSet& set,
                                            const std::optional<model::ResolutionFailure>& failure,
                                            kubernetes::Client& client, const std::stop_token& stop) {
  Planner planner(set, client, stop);
  if (auto planned = planner.Plan(failure); !planned.has_value()) return std::unexpected(planned.error());
  return planner.Take();
}

std::string Forecast::Add(const Value& owner, const DecisionInputs& inputs, const Destruction& destruction,
                          bool is_edited) {
  // The forecast assumes a controller that has just started and remembers nothing.
  CauseMemory memory;
  if (is_edited) memory.NoteApplied(kubernetes::NameOf(owner), {});
  const ChangeCause cause = memory.CauseOf(owner, inputs, destruction.before);
  if (!cause.is_users) ++causes_[cause.about];
  return "> " + PlaceOf(owner) + " " + destruction.ToString() + ", because " + cause.about;
}

std::vector<std::string> Forecast::Lines(std::string_view kind, size_t owners, const PaceLimits& limits) const {
  std::vector<std::string> lines;
  for (const auto& [about, count] : causes_) {
    lines.push_back("> " + std::to_string(count) + " of " + std::to_string(owners) + " objects of kind " +
                    std::string(kind) + (count == 1 ? " changes" : " change") + " so because " + about + ": " +
                    std::to_string(FirstMinute(limits, owners)) + " in the first minute, then " +
                    std::to_string(limits.per_minute) + " a minute");
  }
  return lines;
}

ApiResult<std::vector<std::string>> PlanChange(const IntendedChange& change,
                                               const std::optional<model::ResolutionFailure>& failure, bool is_edited,
                                               kubernetes::Client& client, Forecast& forecast,
                                               const std::stop_token& stop) {
  auto lines = PlanSet(change.set, failure, client, stop);
  if (!lines.has_value() || failure.has_value()) return lines;
  const auto destruction = FindDestruction(change.set, change.revised, client, stop);
  if (!destruction.has_value()) return std::unexpected(destruction.error());
  if (!destruction->empty()) {
    const bool is_users = is_edited || EndsMove(change, *destruction);
    lines->push_back(forecast.Add(change.set.owner, change.inputs, *destruction, is_users));
  }
  return lines;
}

bool IsEdited(const Value* live, const Value& object) {
  return live != nullptr && !FindDifferences(*live, object).empty();
}

Value InPlaceOf(const Value* live, Value object) {
  if (live == nullptr) return object;
  Value& metadata = object.MapAt("metadata");
  metadata.Set("uid", Value::String(kubernetes::UidOf(*live)));
  if (const Value* const status = live->Find("status")) object.Set("status", *status);
  return object;
}

ApiResult<std::vector<std::string>> PlanChanges(const Value& service, const ClusterView& view,
                                                const ServiceReconciler& reconciler, kubernetes::Client& client,
                                                Forecast& forecast, const std::stop_token& stop) {
  const kubernetes::ObjectPointer live = view.FindService(kubernetes::NameOf(service));
  const Value whole = InPlaceOf(live.get(), service);
  const std::vector<LabelledObject> there = view.ObjectsOf(kubernetes::NameOf(whole));
  const auto decision = reconciler.DecideAbout(whole, there, stop);
  if (!decision.has_value()) return std::unexpected(decision.error());
  if (!decision->ours) return std::vector<std::string>();
  const ObjectSet set = {.owner = whole,
                         .wanted = decision->desired.objects,
                         .kept = decision->kept,
                         .there = there,
                         .goes = WhatGoes(*decision)};
  const std::vector<RevisedComponent> revised = RevisedOf(*decision, LiveOf(there, Deployments()));
  const IntendedChange change = {
      .set = set, .revised = revised, .inputs = decision->inputs, .is_move = decision->move.has_value()};
  return PlanChange(change, decision->failure, IsEdited(live.get(), service), client, forecast, stop);
}

}  // namespace inferd::cluster
