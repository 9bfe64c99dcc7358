#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/azure/azure_signing.h"
#include "storage/azure/azure_token.h"
#include "storage/source/access_token.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// The location of a container. Plain data.
struct AzureLocation {
  std::string account;
  std::string container_url;  // "https://account.blob.core.windows.net/container"
  std::string path;           // of the model in the container; may be empty
  std::string signature;      // the URI's parameters: a shared access signature, which is a secret; may be empty
};

// Parses "https://<account>.blob.core.windows.net/<container>/<path>?<signature>". AZURE_STORAGE_BLOB_ENDPOINT names
// another server than Microsoft's, with the account in its path. INVALID_ARGUMENT if there is no container.
base::Result<AzureLocation> ReadAzureLocation(const std::string& uri, const Environment& environment);

// A model in a container of Azure's Blob Storage. Requests carry the URI's shared access signature if it has one, else
// a token of the principal that FindAzurePrincipal() finds. Otherwise they are signed with the account's key in
// AZURE_STORAGE_ACCESS_KEY or, without a key, anonymous.
class AzureSource final : public Source {
 public:
  // Errors are ReadAzureLocation()'s and FindAzurePrincipal()'s.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override { return location_.container_url; }
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  AzureSource(std::string name, AzureLocation location, std::optional<AzurePrincipal> principal, std::string key);
  base::Result<FetchRequest> Request(std::string url, const std::optional<ByteRange>& range,
                                     const std::stop_token& stop);

  const std::string name_;  // the URI without secrets
  const AzureLocation location_;
  const std::optional<AzurePrincipal> principal_;
  const AzureAccountKey key_;  // its key may be empty
  const FetchClient client_{FetchClient::Options{}};
  TokenKeeper token_;
};

}  // namespace inferd::storage
