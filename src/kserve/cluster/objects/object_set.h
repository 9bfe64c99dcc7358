#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/cluster/objects/object_writer.h"

namespace inferd::cluster {

// The wanted and the live objects of an owner, which is an InferenceService or an InferenceGraph. Refers to them.
struct ObjectSet {
  const manifest::Value& owner;  // the owner's document
  std::span<const manifest::Value> wanted;
  const std::set<std::string>& kept;  // names of objects that stay unchanged
  const std::vector<LabelledObject>& there;
  // Returns true if an unwanted object may be deleted now. If empty, all of them may.
  std::function<bool(const LabelledObject&)> goes{};
};

// Returns the live object of that name. Null if there is none.
const manifest::Value* FindLive(const std::vector<LabelledObject>& there, const kubernetes::Resource& resource,
                                const std::string& name);

// All live objects of a kind.
std::vector<const manifest::Value*> LiveOf(const std::vector<LabelledObject>& there,
                                           const kubernetes::Resource& resource);

// Returns true if objects of that kind route requests from outside the cluster. The service works without them.
bool IsRoute(std::string_view kind);

// Returns the live objects that are not wanted any more and may be deleted now.
std::vector<LabelledObject> StraysOf(const ObjectSet& set);

// An object that could not be brought to its wanted state.
struct FailedWrite {
  std::string kind;
  WriteFailure failure;
};
struct SetResult {
  std::vector<std::string> applied;  // kinds of the objects that were applied
  std::vector<FailedWrite> failures;
};

// Writes the objects that differ, and deletes strays. Failures to write are logged, failures to delete are not. Blocks.
SetResult BringAbout(const ObjectSet& set, ObjectWriter& writer, base::Logger& logger, const std::stop_token& stop);

}  // namespace inferd::cluster
