#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// The location of a bucket, and the settings of requests for it. Plain data.
struct S3Settings {
  std::string bucket;
  std::string path;        // of the model in the bucket, without a leading '/'; may be empty
  std::string bucket_url;  // "https://bucket.s3.eu-west-1.amazonaws.com", "http://minio:9000/bucket"
  std::string region;
  bool anonymous = false;
  FetchClient::Options client{};
};

// Reads the settings for "s3://<bucket>/<path>" from the variables that KServe's controller sets, and that its storage
// initializer and Amazon's client for Python read:
//
//   AWS_ENDPOINT_URL, else S3_ENDPOINT with S3_USE_HTTPS (0: http)   another server than Amazon's
//   AWS_DEFAULT_REGION, else AWS_REGION                              us-east-1 without them
//   S3_USER_VIRTUAL_BUCKET, S3_USE_VIRTUAL_BUCKET                    true: the bucket stands in the host's name
//   S3_USE_ACCELERATE                                                true: Amazon's accelerated endpoint
//   awsAnonymousCredential                                           true: requests are not signed
//   S3_VERIFY_SSL                                                    0, false: certificates are not looked at
//   AWS_CA_BUNDLE                                                    a file of authorities in place of the system's
//
// At Amazon the bucket is in the host's name if possible, at other servers in the path. INVALID_ARGUMENT if there is no
// bucket, or the endpoint is invalid. FAILED_PRECONDITION if the file in AWS_CA_BUNDLE does not exist.
base::Result<S3Settings> ReadS3Settings(const std::string& uri, const Environment& environment);

}  // namespace inferd::storage
