#include "kserve/cluster/guard/destruction.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/difference.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {

namespace {

using kubernetes::ApiResult;
using kubernetes::Resource;
using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;

constexpr size_t kRevisionNumberDigits = 5;

const Value& PodTemplateOf(const Value& object) {
  static const Value kNone = Value::Map();
  const Value* const found = FieldAt(object, {"spec", "template"});
  return found == nullptr ? kNone : *found;
}

bool LacksSomething(const Value& live, const Value& wanted) {
  return !FindDifferences(PodTemplateOf(live), PodTemplateOf(wanted)).empty();
}

// True for the name of a revision of the component, and for the Service names of its tags.
bool IsRevisionName(std::string_view component, std::string_view name) {
  if (name.ends_with(component)) {
    name.remove_suffix(component.size());
    return name == "latest-" || name == "prev-";
  }
  if (!name.starts_with(component) || name.size() != component.size() + 1 + kRevisionNumberDigits) return false;
  name.remove_prefix(component.size());
  return name.front() == '-' && name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool WasWrittenByUs(const Value& live) {
  return !TextAt(live, {"metadata", "annotations", kWrittenAnnotation}).empty();
}

class DestructionFinder {
 public:
  DestructionFinder(const ObjectSet& set, kubernetes::Client& client, const std::stop_token& stop)
      : set_(set), client_(client), stop_(stop) {}

  ApiResult<Destruction> Find(std::span<const RevisedComponent> revised) {
    found_.before = {.by_us = true, .as_wanted = true};
    for (const Value& wanted : set_.wanted) {
      const Resource* const resource = WrittenResourceOf(wanted);
      if (resource == nullptr || (*resource != Deployments() && *resource != KnativeServices())) continue;
      const Value* const live = FindLive(set_.there, *resource, TextAt(wanted, {"metadata", "name"}));
      if (live == nullptr) continue;
      if (auto checked = CheckTemplate(*resource, wanted, *live); !checked.has_value()) {
        return std::unexpected(std::move(checked).error());
      }
    }
    for (const RevisedComponent& component : revised) {
      if (component.new_revision.empty()) continue;
      found_.rolled.push_back("Deployment \"" + component.new_revision + "\"");
      found_.before.as_wanted = false;
    }
    for (const LabelledObject& stray : StraysOf(set_)) {
      const std::string& name = TextAt(*stray.object, {"metadata", "name"});
      const bool goes_by_itself = std::ranges::any_of(
          revised, [&](const RevisedComponent& component) { return IsRevisionName(component.name, name); });
      const bool is_going = FieldAt(*stray.object, {"metadata", "deletionTimestamp"}) != nullptr;
      if (goes_by_itself || is_going) continue;
      found_.lost.push_back(stray.resource->kind + " \"" + name + "\"");
      found_.before.by_us &= WasWrittenByUs(*stray.object);
      found_.before.as_wanted = false;
    }
    return std::move(found_);
  }

 private:
  ApiResult<void> CheckTemplate(const Resource& resource, const Value& wanted, const Value& live) {
    // A foreign object is not touched. An object of an earlier owner is deleted together with that owner.
    const Claim claim = ClaimOf(live, set_.owner);
    if (claim == Claim::kForeign || claim == Claim::kEarlier) return {};
    if (FieldAt(live, {"metadata", "deletionTimestamp"}) != nullptr) return {};
    const Value object = ForWriting(wanted, set_.owner);
    const bool as_wanted = WasWritten(live, object);
    bool rolls = LacksSomething(live, object);
    if (!rolls && as_wanted) return {};
    if (!rolls) {
      const auto planned = client_.Apply(
          resource, object, {.field_manager = FieldManagerOf(set_.owner), .force = true, .dry_run = true}, stop_);
      const bool is_answered = planned.has_value() ||
                               (planned.error().code != 0 && planned.error().status != base::StatusCode::kUnavailable);
      if (!is_answered) return std::unexpected(planned.error());
      rolls = !planned.has_value() || LacksSomething(live, *planned) || LacksSomething(*planned, live);
    }
    if (!rolls) return {};
    found_.rolled.push_back(resource.kind + " \"" + TextAt(live, {"metadata", "name"}) + "\"");
    found_.before.by_us &= WasWrittenByUs(live);
    found_.before.as_wanted &= as_wanted;
    return {};
  }

  const ObjectSet& set_;
  kubernetes::Client& client_;
  const std::stop_token& stop_;
  Destruction found_;
};

void AppendList(std::string& text, std::string_view verb, const std::vector<std::string>& objects) {
  if (objects.empty()) return;
  if (!text.empty()) text += " and ";
  text += verb;
  for (size_t i = 0; i < objects.size(); ++i) text += (i == 0 ? " " : ", ") + objects[i];
}

}  // namespace

std::string Destruction::ToString() const {
  std::string text;
  AppendList(text, "starts new pods of", rolled);
  AppendList(text, "deletes", lost);
  return text;
}

ApiResult<Destruction> FindDestruction(const ObjectSet& set, std::span<const RevisedComponent> revised,
                                       kubernetes::Client& client, const std::stop_token& stop) {
  return DestructionFinder(set, client, stop).Find(revised);
}

}  // namespace inferd::cluster
