#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

// Which version of a model a request means.

namespace inferd::trtis {

// The version that `text` names, as core has it: decimal without leading zeros, or empty for the latest, which "" and
// any negative number mean. INVALID_ARGUMENT: no number, or one beyond the 32 bits that the protocol has.
base::Result<std::string> ReadVersion(std::string_view text);
// So too, of an int32 as releases 0.9 and 0.10 sent it.
base::Result<std::string> ReadVersion(int64_t number);

// Of a model that there is not.
base::Status UnknownModel(std::string_view model);

// The version that answers. NOT_FOUND: there is no such model, or no such version of it, or it does not serve, with its
// reason.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher,
                                                                 const core::Catalog& catalog, std::string_view model,
                                                                 std::string_view version);

// As answers have it. UNIMPLEMENTED: it is beyond 32 bits.
base::Result<uint32_t> VersionNumber(std::string_view version);

}  // namespace inferd::trtis
