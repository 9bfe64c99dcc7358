#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// What the command line says of headers that every request carries.
struct HeaderArguments {
  std::vector<std::string> headers;  // "NAME: VALUE" each
  std::string token;                 // a bearer token; empty: none
  std::string token_file;            // a file that has it in its first line; empty: none
};

// The headers; a token becomes "Authorization: Bearer TOKEN" (RFC 6750, 2.1). INVALID_ARGUMENT: a header without a
// name, a name or value with characters that no header may have, two tokens, or a file without one.
base::Result<HeaderList> MakeHeaders(const HeaderArguments& arguments);

}  // namespace inferd::ctl
