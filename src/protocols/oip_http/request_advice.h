#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::oip_http {

// Help for people whose request is wrong, appended to the error. It names models and tensors: use it only if clients
// may list models and read their metadata. It adds at most about 1 KiB, all of it printable.

// Appends to a NOT_FOUND the model that was probably meant, or the versions of the model: "... is not found (did you
// mean 'digits'?)". Returns other errors unchanged. Compares names of 1024 models at most.
base::Status WithModelAdvice(const base::Status& failure, const core::VersionName& asked, const core::Catalog& catalog);

// Appends the model's inputs to an INVALID_ARGUMENT for a request that could not be read: "...; model 'digits' takes
// 'image' FP32 [-1,64]". Returns other errors unchanged.
base::Status WithInputAdvice(const base::Status& failure, std::string_view model, const core::PinnedModel& pinned);

}  // namespace inferd::oip_http
