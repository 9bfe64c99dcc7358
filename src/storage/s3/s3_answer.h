#pragma once

#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// The body of an answer in XML, of at most kS3AnswerBytesMax bytes. An error's message begins with `name` and has the
// answer's code and message. Errors are FetchClient::Fetch's and StatusOfResponse's; RESOURCE_EXHAUSTED: it is larger.
base::Result<std::string> FetchS3Answer(const FetchClient& client, const FetchRequest& request, const std::string& name,
                                        const std::stop_token& stop);

}  // namespace inferd::storage
