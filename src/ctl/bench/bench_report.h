#pragma once

#include "ctl/bench/load/load.h"
#include "ctl/commands.h"

namespace inferd::ctl {

// Writes the result of a load: text with a histogram of latencies, or a JSON object.
void WriteBenchReport(const BenchArguments& arguments, const ctl::LoadReport& report, const Output& out);

}  // namespace inferd::ctl
