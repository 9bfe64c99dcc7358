#include "ctl/text/output.h"

#include <ostream>

#include "ctl/text/table.h"
#include "data/json/reader.h"

namespace inferd::ctl {

void Output::Write(json::Writer& writer) const { stream << PrettyJson(writer.TakeString()) << "\n"; }

base::Status Output::WriteServerJson(std::string_view sent) const {
  json::Reader reader(sent);
  base::Status status = reader.SkipValue();
  if (status.ok()) status = reader.Finish();
  if (!status.ok()) return base::Internal("the server's answer is malformed: " + status.message());
  stream << PrettyJson(sent) << "\n";
  return base::OkStatus();
}

}  // namespace inferd::ctl
