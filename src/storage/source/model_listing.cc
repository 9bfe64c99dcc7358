#include "storage/source/model_listing.h"

#include "storage/source/answer.h"

namespace inferd::storage {

base::Result<std::vector<RemoteFile>> ListModel(const FetchClient& client, const BucketListing& listing,
                                                const std::stop_token& stop) {
  const auto fetch_page = [&](const std::string& token) -> base::Result<ObjectPage> {
    INFERD_ASSIGN_OR_RETURN(const FetchRequest request, listing.request(token));
    INFERD_ASSIGN_OR_RETURN(const std::string answer,
                            FetchAnswer(client, request, listing.name, listing.read_error, stop));
    auto page = listing.read_page(answer);
    if (!page.has_value()) return std::unexpected(page.error().WithContext(listing.name));
    return page;
  };
  INFERD_ASSIGN_OR_RETURN(const std::vector<StoredObject> objects, AllObjects(listing.name, fetch_page));
  std::vector<RemoteFile> files = FilesOfModel(objects, listing.path);
  if (files.empty()) return std::unexpected(NoModelFound(listing.model));
  return files;
}

base::Status NoModelFound(const std::string& model) {
  return base::NotFound("Failed to fetch model. No model found in " + model + ".");
}

}  // namespace inferd::storage
