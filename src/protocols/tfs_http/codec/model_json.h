#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serving/core/model/catalog.h"
#include "serving/core/model/model_signature.h"

// The front-end's JSON about models. Pure.

namespace inferd::tfs_http {

// KServe V1's part of a model's status: "name" and "ready".
struct Readiness {
  std::string_view name;
  bool ready = false;
};

// Writes {"model_version_status": [{"version": "1", "state": "AVAILABLE", "status": {"error_code", "error_message"}}]},
// preceded by `readiness` if there is one.
std::string StatusJson(std::span<const core::IndexEntry> versions, const Readiness* readiness);

// Writes {"name": "m", "ready": true}.
std::string ReadinessJson(const Readiness& readiness);

// Writes {"model_spec": .., "metadata": {"signature_def": {"signature_def": {"serving_default": .., ..}}}}.
std::string MetadataJson(std::string_view model, std::string_view version,
                         std::span<const core::ModelSignature* const> signatures);

}  // namespace inferd::tfs_http
