#pragma once

#include <vector>

#include "config/option_table/option_table.h"

// The groups of the option table that are in sources of their own.

namespace inferd::config {

std::vector<Option> EngineRows();
std::vector<Option> GrpcRows();
std::vector<Option> AccessRows();
std::vector<Option> ClientMemoryRows();
std::vector<Option> LazyLoadingRows();
std::vector<Option> SchedulingRows();

}  // namespace inferd::config
