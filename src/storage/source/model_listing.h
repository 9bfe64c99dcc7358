#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/source/source.h"
#include "storage/source/stored_object.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// How a service lists the objects of a bucket. Plain data.
struct BucketListing {
  std::string name;   // what errors call it
  std::string path;   // of the model in the bucket, without a '/' at its begin; may be empty
  std::string model;  // what KServe's words call a model of which nothing was found
  std::function<base::Result<FetchRequest>(const std::string& token)> request;  // for the page of that token
  base::Result<ObjectPage> (*read_page)(std::string_view body);
  std::string (*read_error)(std::string_view body);  // as FetchAnswer's `explain`
};

// The files of the model at `path`, from all pages of the listing. NOT_FOUND: there is none, in KServe's words. Other
// errors are FetchAnswer's, AllObjects's and those of the listing's functions.
base::Result<std::vector<RemoteFile>> ListModel(const FetchClient& client, const BucketListing& listing,
                                                const std::stop_token& stop);

// KServe's storage initializer, word for word.
base::Status NoModelFound(const std::string& model);

}  // namespace inferd::storage
