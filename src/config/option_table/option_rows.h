#pragma once

#include <vector>

#include "config/option_table/option_table.h"

// The groups of the option table that have their own source files.

namespace inferd::config {

std::vector<Option> EngineRows();
std::vector<Option> GrpcRows();
std::vector<Option> AccessRows();
std::vector<Option> ClientMemoryRows();
std::vector<Option> SchedulingRows();
std::vector<Option> LogRows();
std::vector<Option> PayloadLogRows();
std::vector<Option> TraceRows();

}  // namespace inferd::config
