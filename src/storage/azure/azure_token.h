#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/access_token.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// What Microsoft Entra gives tokens for: a service principal by its secret or by a pod's token (workload identity), or
// the identity of the machine (managed identity).
struct AzurePrincipal {
  enum class Proof { kSecret, kTokenFile, kMachine };
  Proof proof = Proof::kSecret;
  std::string client_id{};
  std::string secret{};      // kSecret; not to be shown
  std::string token_file{};  // kTokenFile
  std::string token_url{};   // which is asked
};

// By KServe's rules: AZ_TENANT_ID, AZ_CLIENT_ID and AZ_CLIENT_SECRET, and in their absence AZURE_TENANT_ID,
// AZURE_CLIENT_ID and AZURE_CLIENT_SECRET. Without a client there is no principal. With a tenant and a secret, that is
// its proof; else with a tenant and AZURE_FEDERATED_TOKEN_FILE, that file; else the machine's identity is asked for, at
// AZURE_POD_IDENTITY_AUTHORITY_HOST (http://169.254.169.254). AZURE_AUTHORITY_HOST: in place of
// https://login.microsoftonline.com. UNIMPLEMENTED: AZURE_CLIENT_CERTIFICATE_PATH is to be the proof, or
// AZURE_USERNAME.
base::Result<std::optional<AzurePrincipal>> FindAzurePrincipal(const Environment& environment);

// A token that reads blobs. Blocks. Errors are FetchAnswer's and ReadAccessToken's, and those of reading the file.
base::Result<AccessToken> FetchAzureToken(const AzurePrincipal& principal, const FetchClient& client,
                                          const std::stop_token& stop);

// "AADSTS7000215: Invalid client secret provided." of a refusal's JSON; empty: it is none.
std::string ReadAzureTokenError(std::string_view json);

}  // namespace inferd::storage
