#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serving/core/model/model_id.h"
#include "serving/repository/records/model_records.h"

// Whether the models that a model depends on are there, out of the records; pure functions.

namespace inferd::repository {

struct Needs {
  NeedState state = NeedState::kMet;
  std::string reason;                 // not met: of which model, and why
  std::vector<core::ModelId> asleep;  // of kComing: what is loaded only when something demands it
};

// What the model's wanted versions need. Models that need each other in a circle are missing. `triton_words`: the
// reason is what Triton says of an ensemble, before what it does not.
Needs JudgeNeeds(const ModelRecords& records, const ModelRecord& record, int64_t now_ns, bool triton_words = false);

// The signatures of those that are met, as one text: VersionContent::needed.
std::string SignaturesNeeded(const ModelRecords& records, const ModelRecord& record);

// The record's views, with what each version needs.
std::vector<VersionView> ViewsWithNeeds(const ModelRecords& records, const ModelRecord& record, const Needs& needs);

// Names of what the model needs: for what is wanted of it, for what serves, and for requests that it still has.
Dependencies::Names NamesNeeded(const ModelRecord& record);

// Whether loads of other models, as long as they are there, need that version, and no other serves that will do. None
// of `ending` will.
bool IsNeeded(const ModelRecords& records, const ModelRecord& record, int64_t version, std::span<const int64_t> ending);

// How the model looks to those that need it.
std::string LookToDependents(const ModelRecord& record);

// What was loaded only because the model needs it, and nothing else needs, once it is not wanted any more.
std::vector<std::string> LoadedAlong(const ModelRecords& records, const std::string& model);

}  // namespace inferd::repository
