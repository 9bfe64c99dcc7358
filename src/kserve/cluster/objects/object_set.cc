#include "kserve/cluster/objects/object_set.h"

#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {

using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

const Value* FindLive(const std::vector<LabelledObject>& there, const Resource& resource, const std::string& name) {
  for (const LabelledObject& each : there) {
    if (*each.resource == resource && TextAt(*each.object, {"metadata", "name"}) == name) return each.object.get();
  }
  return nullptr;
}

std::vector<const Value*> LiveOf(const std::vector<LabelledObject>& there, const Resource& resource) {
  std::vector<const Value*> live;
  for (const LabelledObject& each : there) {
    if (*each.resource == resource) live.push_back(each.object.get());
  }
  return live;
}

bool IsRoute(std::string_view kind) { return kind == "Ingress" || kind == "VirtualService" || kind == "HTTPRoute"; }

std::vector<LabelledObject> StraysOf(const ObjectSet& set) {
  std::set<std::pair<const Resource*, std::string>> wanted;
  for (const Value& object : set.wanted) {
    wanted.emplace(WrittenResourceOf(object), TextAt(object, {"metadata", "name"}));
  }
  std::vector<LabelledObject> strays;
  for (const LabelledObject& each : set.there) {
    const std::string& name = TextAt(*each.object, {"metadata", "name"});
    if (*each.resource == Pods() || wanted.contains({each.resource, name}) || set.kept.contains(name)) continue;
    if (set.goes && !set.goes(each)) continue;
    if (IsStray(*each.resource, *each.object, set.owner)) strays.push_back(each);
  }
  return strays;
}

SetResult BringAbout(const ObjectSet& set, ObjectWriter& writer, base::Logger& logger, const std::stop_token& stop) {
  SetResult result;
  const auto fail = [&](const Value& object, WriteFailure failure) {
    result.failures.push_back({.kind = TextAt(object, {"kind"}), .failure = std::move(failure)});
  };
  for (const Value& wanted : set.wanted) {
    const Resource* const resource = WrittenResourceOf(wanted);
    const Value* const before =
        resource == nullptr ? nullptr : FindLive(set.there, *resource, TextAt(wanted, {"metadata", "name"}));
    auto written = writer.Write(set.owner, wanted, before, stop);
    if (written.has_value()) {
      if (*written == Written::kApplied) result.applied.push_back(TextAt(wanted, {"kind"}));
      continue;
    }
    if (!stop.stop_requested()) {
      logger.Warning(written.error().message, {{"namespace", TextAt(set.owner, {"metadata", "namespace"})},
                                               {"kind", TextAt(set.owner, {"kind"})},
                                               {"name", TextAt(set.owner, {"metadata", "name"})},
                                               {"reason", written.error().reason}});
    }
    fail(wanted, std::move(written).error());
  }
  for (const LabelledObject& stray : StraysOf(set)) {
    auto deleted = writer.Delete(*stray.resource, *stray.object, stop);
    if (!deleted.has_value()) fail(*stray.object, std::move(deleted).error());
  }
  return result;
}

}  // namespace inferd::cluster
