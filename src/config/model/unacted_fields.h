#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_document.h"

namespace inferd::config {

// A field of a model's configuration that is parsed, kept and shown, and that changes nothing in the server. Fields
// whose neglect would change answers are not among these: FindProblems refuses them.
struct UnactedField {
  std::string_view path;      // without indices ("instance_group.gpus"); that of a message stands for all in it
  std::string_view reason;    // without a full stop; of an element of a list that has a name, the name follows
  bool up_to_engine = false;  // an engine from elsewhere gets the field, and may act on it: only ours do not
};

// All of them. The unit test demands that each field of the message is acted on, refused, for clients only, or here.
std::span<const UnactedField> UnactedFields();

// Those that `document` sets to something else than their default, as "<file>:<line>:<column>: <field>: not acted on:
// <reason>", by line: the first ten, and how many more there are. `engine`: which one the model is for, and what
// GPUs it has.
std::vector<std::string> DescribeUnactedFields(const ModelConfigDocument& document, std::string_view engine,
                                               const EngineGpus& gpus = {});

}  // namespace inferd::config
