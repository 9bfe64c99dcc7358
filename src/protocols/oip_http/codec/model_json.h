#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serving/core/model/catalog.h"

// What the front-end says about the server and its models, as JSON text. Pure.

namespace inferd::oip_http {

// Predict V2, "Server Metadata Response JSON Object".
std::string ServerMetadataJson(std::string_view name, std::string_view version,
                               std::span<const std::string_view> extensions);

// Predict V2, "Model Metadata Response JSON Object".
std::string ModelMetadataJson(const core::ModelMetadata& metadata);

// Triton's statistics extension.
std::string StatisticsJson(std::span<const core::ModelStatistics> statistics);

// Triton's repository extension, "Index": state and reason stand where there is one.
std::string IndexJson(std::span<const core::IndexEntry> entries);

}  // namespace inferd::oip_http
