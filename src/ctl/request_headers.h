#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// The command line's headers for every request.
struct HeaderArguments {
  std::vector<std::string> headers;  // "NAME: VALUE" each
  std::string token;                 // a bearer token; may be empty
  std::string token_file;            // a file with the token in its first line; may be empty
};

// Returns the headers. A token becomes "Authorization: Bearer TOKEN" (RFC 6750, 2.1). INVALID_ARGUMENT for a header
// without a name, invalid characters in a name or value, two tokens, or a token file without a token.
base::Result<HeaderList> MakeHeaders(const HeaderArguments& arguments);

}  // namespace inferd::ctl
