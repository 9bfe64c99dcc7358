#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serving/core/model/catalog.h"

// The front-end's JSON about the server and its models. Pure.

namespace inferd::oip_http {

// Writes Predict V2's "Server Metadata Response JSON Object".
std::string ServerMetadataJson(std::string_view name, std::string_view version,
                               std::span<const std::string_view> extensions);

// Writes Predict V2's "Model Metadata Response JSON Object".
std::string ModelMetadataJson(const core::ModelMetadata& metadata);

// Writes the statistics of Triton's statistics extension.
std::string StatisticsJson(std::span<const core::ModelStatistics> statistics);

// Writes the index of Triton's repository extension ("Index"). State and reason are written if there are any.
std::string IndexJson(std::span<const core::IndexEntry> entries);

}  // namespace inferd::oip_http
