#pragma once

#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::config {

// Parses a message in protobuf's text format, with the positions of its fields. INVALID_ARGUMENT with up to ten errors,
// one per line as compilers print them: "<file>:<line>:<column>: <what>". For this room's sources.
base::Status ParseTextFormat(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                             google::protobuf::TextFormat::ParseInfoTree& places);

// Does the same for a message of which we know only some fields. Skips others, and adds a line for each to `unknown`:
// "<file>:<line>:<column>: <field> has no effect".
base::Status ParseKnownFields(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                              google::protobuf::TextFormat::ParseInfoTree& places, std::vector<std::string>& unknown);

}  // namespace inferd::config
