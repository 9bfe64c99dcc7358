#pragma once

#include "ctl/bench/load/load.h"
#include "ctl/commands.h"

namespace inferd::ctl {

// What a load's measurement found: as text with a histogram of the latencies, or as a JSON object.
void WriteBenchReport(const BenchArguments& arguments, const ctl::LoadReport& report, const Output& out);

}  // namespace inferd::ctl
