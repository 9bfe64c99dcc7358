#pragma once

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

// What is to be there for an owner, an InferenceService or an InferenceGraph, and what is. Refers to both.
struct ObjectSet {
  const manifest::Value& owner;  // its document
  std::span<const manifest::Value> wanted;
  const std::set<std::string>& kept;  // names of objects that stay as they are
  const std::vector<LabelledObject>& there;
};

// The live object of that name; null: there is none.
const manifest::Value* FindLive(const std::vector<LabelledObject>& there, const kubernetes::Resource& resource,
                                const std::string& name);

// All live objects of a kind.
std::vector<const manifest::Value*> LiveOf(const std::vector<LabelledObject>& there,
                                           const kubernetes::Resource& resource);

// Whether objects of that kind lead requests from outside the cluster: without them it runs all the same.
bool IsRoute(std::string_view kind);

// Live objects that are not wanted any more, and are to go.
std::vector<LabelledObject> StraysOf(const ObjectSet& set);

// An object that is not as it is wanted.
struct FailedWrite {
  std::string kind;
  WriteFailure failure;
};
struct SetResult {
  std::vector<std::string> applied;  // kinds of objects that were
  std::vector<FailedWrite> failures;
};

// Writes what differs, and removes strays. Failures are logged, but for those of removals. Blocks.
SetResult BringAbout(const ObjectSet& set, ObjectWriter& writer, base::Logger& logger, const std::stop_token& stop);

}  // namespace inferd::cluster
