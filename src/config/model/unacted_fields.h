#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_document.h"

namespace inferd::config {

// A field of a model's configuration that is parsed, kept and shown, but has no effect in the server. Fields whose
// neglect would change responses are not listed here: FindProblems() refuses them.
struct UnactedField {
  std::string_view path;      // without indices ("instance_group.gpus"); a message's path covers all its fields
  std::string_view reason;    // without a full stop; the name of a named list element follows it
  bool up_to_engine = false;  // a foreign engine receives the field and may act on it; ours do not
};

// Returns all of them. A unit test requires that each field of the message is acted on, refused, for clients only, or
// listed here.
std::span<const UnactedField> UnactedFields();

// Describes the fields that `document` sets to a non-default value, as "<file>:<line>:<column>: <field>: not acted on:
// <reason>", by line: the first ten, and the number of the others. `engine` is the model's engine, and `gpus` are its
// GPUs.
std::vector<std::string> DescribeUnactedFields(const ModelConfigDocument& document, std::string_view engine,
                                               const EngineGpus& gpus = {});

}  // namespace inferd::config
