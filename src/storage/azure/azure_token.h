#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/access_token.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// An identity for which Microsoft Entra issues tokens: a service principal with a secret or with a pod's token
// (workload identity), or the machine's identity (managed identity).
struct AzurePrincipal {
  enum class Proof { kSecret, kTokenFile, kMachine };
  Proof proof = Proof::kSecret;
  std::string client_id{};
  std::string secret{};      // kSecret; a secret
  std::string token_file{};  // kTokenFile
  std::string token_url{};   // the endpoint for tokens
};

// Finds the principal by KServe's rules: AZ_TENANT_ID, AZ_CLIENT_ID and AZ_CLIENT_SECRET, or else AZURE_TENANT_ID,
// AZURE_CLIENT_ID and AZURE_CLIENT_SECRET. Without a client there is no principal. With a tenant and a secret, it uses
// the secret; else with a tenant and AZURE_FEDERATED_TOKEN_FILE, that file; else the machine's identity, from
// AZURE_POD_IDENTITY_AUTHORITY_HOST (http://169.254.169.254). AZURE_AUTHORITY_HOST replaces
// https://login.microsoftonline.com. UNIMPLEMENTED if AZURE_CLIENT_CERTIFICATE_PATH or AZURE_USERNAME would have to be
// used.
base::Result<std::optional<AzurePrincipal>> FindAzurePrincipal(const Environment& environment);

// Returns a token for reading blobs. Blocks. Errors are FetchAnswer()'s, ReadAccessToken()'s, and those of reading the
// file.
base::Result<AccessToken> FetchAzureToken(const AzurePrincipal& principal, const FetchClient& client,
                                          const std::stop_token& stop);

// Returns "AADSTS7000215: Invalid client secret provided." from a refusal's JSON, or "" if it is none.
std::string ReadAzureTokenError(std::string_view json);

}  // namespace inferd::storage
