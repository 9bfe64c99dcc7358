#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "oip/grpc_service.pb.h"
#include "serving/core/model/catalog.h"

// The messages about the front-end's models. Pure.

namespace inferd::oip_grpc {

inference::ModelMetadataResponse ModelMetadataMessage(const core::ModelMetadata& metadata);

// `json` is the result of core::Catalog::ConfigJson(). INTERNAL if it is not a ModelConfig.
base::Result<inference::ModelConfigResponse> ModelConfigMessage(std::string_view json);

inference::ModelStatisticsResponse StatisticsMessage(std::span<const core::ModelStatistics> statistics);

inference::RepositoryIndexResponse IndexMessage(std::span<const core::IndexEntry> entries);

}  // namespace inferd::oip_grpc
