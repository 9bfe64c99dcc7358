#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

// The version of a model that a request means.

namespace inferd::trtis {

// Returns the version that `text` names, in core's form: decimal without leading zeros, or empty for the latest, which
// "" and any negative number denote. INVALID_ARGUMENT if it is not a number, or exceeds the protocol's 32 bits.
base::Result<std::string> ReadVersion(std::string_view text);
// Does the same for an int32, as releases 0.9 and 0.10 sent it.
base::Result<std::string> ReadVersion(int64_t number);

// Returns the error for an unknown model.
base::Status UnknownModel(std::string_view model);

// Returns the version that answers. NOT_FOUND if there is no such model or version, or, with the reason, if it does not
// serve.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher,
                                                                 const core::Catalog& catalog, std::string_view model,
                                                                 std::string_view version);

// Returns the number for responses. UNIMPLEMENTED if it exceeds 32 bits.
base::Result<uint32_t> VersionNumber(std::string_view version);

}  // namespace inferd::trtis
