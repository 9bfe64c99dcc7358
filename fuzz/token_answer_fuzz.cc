// Fuzzes the answers and refusals of token services. The result must be a token within limits, or none.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "storage/azure/azure_token.h"
#include "storage/gs/gs_listing.h"
#include "storage/source/access_token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using inferd::fuzz::Require;
  namespace storage = inferd::storage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(storage::ReadAzureTokenError(text).size() <= 4096, "an error's text without a limit");
  Require(storage::ReadGsError(text).size() <= 4096, "an error's text without a limit");
  const auto token = storage::ReadAccessToken("name", text);
  if (!token.has_value()) {
    Require(token.error().message() == "name: the answer has no token", "a refusal that may tell what was in it");
    return 0;
  }
  Require(!token->text.empty(), "a token without a text");
  Require(token->lifetime >= std::chrono::seconds(0) && token->lifetime <= std::chrono::hours(24),
          "a life without end");
  return 0;
}
