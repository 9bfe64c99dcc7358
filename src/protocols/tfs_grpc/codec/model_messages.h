#pragma once

#include <span>
#include <string_view>

#include "serving/core/model/catalog.h"
#include "serving/core/model/model_signature.h"
#include "tfs/model_service.pb.h"

// The messages about the front-end's models. Pure.

namespace inferd::tfs_grpc {

// `version` is decimal.
tensorflow::serving::ModelSpec ModelSpecMessage(std::string_view model, std::string_view version,
                                                std::string_view signature);

// Returns all signatures of a model, by name.
tensorflow::serving::SignatureDefMap SignatureMessage(std::span<const core::ModelSignature* const> signatures);

tensorflow::serving::GetModelStatusResponse StatusMessage(std::span<const core::IndexEntry> versions);

}  // namespace inferd::tfs_grpc
