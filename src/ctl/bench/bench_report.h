#pragma once

#include "ctl/commands.h"
#include "net/client/load.h"

namespace inferd::ctl {

// What a load's measurement found: as text with a histogram of the latencies, or as a JSON object.
void WriteBenchReport(const BenchArguments& arguments, const net::LoadReport& report, const Output& out);

}  // namespace inferd::ctl
