#pragma once

#include <iosfwd>
#include <string_view>

#include "base/status.h"
#include "data/json/writer.h"

namespace inferd::ctl {

// Where a subcommand's result goes, and in which form: text to read, or one JSON value (RFC 8259) on lines of its own.
struct Output {
  std::ostream& stream;
  bool json = false;

  // The JSON value that `writer` has, indented.
  void Write(json::Writer& writer) const;
  // JSON that a server sent, indented. INTERNAL: it is not JSON, and nothing was written.
  base::Status WriteServerJson(std::string_view sent) const;
};

}  // namespace inferd::ctl
