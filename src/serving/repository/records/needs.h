#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serving/core/model/model_id.h"
#include "serving/repository/records/model_records.h"

// Dependencies between models, computed from the records by pure functions.

namespace inferd::repository {

struct Needs {
  NeedState state = NeedState::kMet;
  std::string reason;                 // if not met: the model that is missing, and why
  std::vector<core::ModelId> asleep;  // if kComing: versions that are loaded only on demand
};

// Judges the state of the models that `record`'s wanted versions need. Models in a circle are missing. `triton_words`:
// the reason is in Triton's words for an ensemble, followed by what Triton leaves out.
Needs JudgeNeeds(const ModelRecords& records, const ModelRecord& record, int64_t now_ns, bool triton_words = false);

// Returns the signatures of the needed models that are ready, as one text: VersionContent::needed.
std::string SignaturesNeeded(const ModelRecords& records, const ModelRecord& record);

// Returns the record's views, with the needs of each version.
std::vector<VersionView> ViewsWithNeeds(const ModelRecords& records, const ModelRecord& record, const Needs& needs);

// Returns the names of the models that `record` needs: for its wanted versions, its ready versions, and loads that
// still have requests.
Dependencies::Names NamesNeeded(const ModelRecord& record);

// Returns true if a present version of another model needs that version and no other version serves instead. The
// versions in `ending` do not count.
bool IsNeeded(const ModelRecords& records, const ModelRecord& record, int64_t version, std::span<const int64_t> ending);

// Returns how the model looks to the models that need it, as a text to compare.
std::string LookToDependents(const ModelRecord& record);

// Returns the models that were loaded only because `model` needs them and that nothing else needs, once `model` is not
// wanted any more.
std::vector<std::string> LoadedAlong(const ModelRecords& records, const std::string& model);

}  // namespace inferd::repository
