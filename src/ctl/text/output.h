#pragma once

#include <iosfwd>
#include <string_view>

#include "base/status.h"
#include "data/json/writer.h"

namespace inferd::ctl {

// The destination and the form of a subcommand's result: text, or one JSON value (RFC 8259) on lines of its own.
struct Output {
  std::ostream& stream;
  bool json = false;

  // Writes the JSON value of `writer`, indented.
  void Write(json::Writer& writer) const;
  // Writes JSON from a server, indented. INTERNAL if it is invalid; then nothing is written.
  base::Status WriteServerJson(std::string_view sent) const;
};

}  // namespace inferd::ctl
