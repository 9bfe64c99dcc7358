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

// The way in which a service lists the objects of a bucket. Plain data.
struct BucketListing {
  std::string name;   // its name in errors
  std::string path;   // of the model in the bucket, without a leading '/'; may be empty
  std::string model;  // the model's name in KServe's text if nothing was found
  std::function<base::Result<FetchRequest>(const std::string& token)> request;  // for the page with that token
  base::Result<ObjectPage> (*read_page)(std::string_view body);
  std::string (*read_error)(std::string_view body);  // FetchAnswer()'s `explain`
};

// Returns the files of the model at `path`, from all pages of the listing. NOT_FOUND, in KServe's words, if there is
// none. Other errors are FetchAnswer()'s, AllObjects()'s and those of the listing's functions.
base::Result<std::vector<RemoteFile>> ListModel(const FetchClient& client, const BucketListing& listing,
                                                const std::stop_token& stop);

// Returns the error of KServe's storage initializer, word for word.
base::Status NoModelFound(const std::string& model);

}  // namespace inferd::storage
