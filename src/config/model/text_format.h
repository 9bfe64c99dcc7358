#pragma once

#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::config {

// Reads a message in protobuf's text format, and where its fields were written. INVALID_ARGUMENT: up to ten errors, a
// line each, as compilers print them: "<file>:<line>:<column>: <what>". For this room's sources.
base::Status ParseTextFormat(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                             google::protobuf::TextFormat::ParseInfoTree& places);

// The same of a message of which we have some fields: others are left out, and `unknown` gets a line for each,
// "<file>:<line>:<column>: <field> has no effect".
base::Status ParseKnownFields(std::string_view text, std::string_view file_name, google::protobuf::Message& message,
                              google::protobuf::TextFormat::ParseInfoTree& places, std::vector<std::string>& unknown);

}  // namespace inferd::config
