#include "storage/azure/azure_token.h"

#include <string_view>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/percent.h"
#include "base/text/printable.h"
#include "data/json/read.h"
#include "storage/source/answer.h"
#include "storage/source/form_field.h"

namespace inferd::storage {

namespace {

constexpr size_t kFederatedTokenBytesMax = 64 << 10;
constexpr size_t kRefusalBytesMax = 512;
constexpr std::string_view kResource = "https://storage.azure.com/";
constexpr std::string_view kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

std::string HostUrl(std::string host, std::string_view usual) {
  if (host.empty()) return std::string(usual);
  if (host.find("://") == std::string::npos) host.insert(0, "https://");
  while (host.ends_with('/')) host.pop_back();
  return host;
}

base::Result<FetchRequest> TokenRequest(const AzurePrincipal& principal) {
  using Proof = AzurePrincipal::Proof;
  if (principal.proof == Proof::kMachine) {
    FetchRequest request{.url = principal.token_url + "?api-version=2018-02-01" + FormField("resource", kResource) +
                                FormField("client_id", principal.client_id)};
    request.headers = {{"Metadata", "true"}};
    return request;
  }
  FetchRequest request{.method = "POST", .url = principal.token_url};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = "grant_type=client_credentials" + FormField("scope", std::string(kResource) + ".default") +
                 FormField("client_id", principal.client_id);
  if (principal.proof == Proof::kSecret) {
    request.body += FormField("client_secret", principal.secret);
    return request;
  }
  // The file is read each time, because its token is replaced before it expires.
  INFERD_ASSIGN_OR_RETURN(const std::string assertion,
                          base::ReadRegularFile(principal.token_file, kFederatedTokenBytesMax));
  request.body += FormField("client_assertion_type", kAssertionType) + FormField("client_assertion", assertion);
  return request;
}

}  // namespace

base::Result<std::optional<AzurePrincipal>> FindAzurePrincipal(const Environment& environment) {
  const auto either = [&](const std::string& name) {
    std::string value = environment("AZ_" + name);
    return value.empty() ? environment("AZURE_" + name) : value;
  };
  AzurePrincipal principal{.client_id = either("CLIENT_ID")};
  if (principal.client_id.empty()) return std::nullopt;
  const std::string tenant = either("TENANT_ID");
  principal.secret = either("CLIENT_SECRET");
  principal.token_file = environment("AZURE_FEDERATED_TOKEN_FILE");
  const bool has_tenant = !tenant.empty();
  if (has_tenant && principal.secret.empty()) {
    for (const char* name : {"AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_USERNAME"}) {
      if (environment(name).empty()) continue;
      return std::unexpected(base::Unimplemented(std::string(name) +
                                                 " is not supported: a service principal proves "
                                                 "itself by AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE"));
    }
  }
  if (!has_tenant || (principal.secret.empty() && principal.token_file.empty())) {
    principal.proof = AzurePrincipal::Proof::kMachine;
    principal.token_url = HostUrl(environment("AZURE_POD_IDENTITY_AUTHORITY_HOST"), "http://169.254.169.254") +
                          "/metadata/identity/oauth2/token";
    return principal;
  }
  if (principal.secret.empty()) principal.proof = AzurePrincipal::Proof::kTokenFile;
  principal.token_url = HostUrl(environment("AZURE_AUTHORITY_HOST"), "https://login.microsoftonline.com") + "/" +
                        base::PercentEncoded(tenant, false) + "/oauth2/v2.0/token";
  return principal;
}

base::Result<AccessToken> FetchAzureToken(const AzurePrincipal& principal, const FetchClient& client,
                                          const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const FetchRequest request, TokenRequest(principal));
  const std::string name = "client " + base::QuotedName(principal.client_id);
  INFERD_ASSIGN_OR_RETURN(const std::string answer, FetchAnswer(client, request, name, ReadAzureTokenError, stop));
  return ReadAccessToken(name, answer);
}

std::string ReadAzureTokenError(std::string_view text) {
  std::string description;
  const base::Status read =
      json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> base::Status {
        return key == "error_description" ? json::ReadText(reader, description) : reader.SkipValue();
      });
  if (!read.ok()) return {};
  return base::Printable(description.substr(0, description.find_first_of("\r\n")), kRefusalBytesMax);
}

}  // namespace inferd::storage
