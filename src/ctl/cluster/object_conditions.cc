#include "ctl/cluster/object_conditions.h"

#include <set>
#include <utility>

#include "ctl/cluster/object_names.h"
#include "kserve/model/status/service_status.h"

namespace inferd::ctl {

bool HasCondition(const manifest::Value& object, const std::string& type, const std::string& wanted) {
  const manifest::Value* const status = object.Find("status");
  if (status == nullptr) return false;
  const std::string found = model::ConditionOf(*status, type);
  return !found.empty() && found == wanted;
}

std::string FalseConditions(const manifest::Value& object) {
  const manifest::Value* const status = object.Find("status");
  const manifest::Value* const conditions = status == nullptr ? nullptr : status->Find("conditions");
  if (conditions == nullptr) return "";
  std::string all;
  std::set<std::string> messages;
  for (const manifest::Value& condition : conditions->items()) {
    const std::string message = FieldText(condition, {"message"});
    if (FieldText(condition, {"status"}) != "False" || message.empty() || !messages.insert(message).second) continue;
    const std::string reason = FieldText(condition, {"reason"});
    if (!all.empty()) all += "; ";
    all += FieldText(condition, {"type"}) + " is False" + (reason.empty() ? "" : " (" + reason + ")") + ": " + message;
  }
  return all;
}

}  // namespace inferd::ctl
