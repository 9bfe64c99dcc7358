#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// Where a model is in HDFS, and how it is asked for. Plain data.
struct HdfsSettings {
  std::vector<std::string> name_nodes;  // "http://name-node:9870", at least one
  std::string path;                     // of the model: begins with a '/', and ends with none but for the root itself
  std::string user_proxy;               // on whose behalf requests are; empty: the server's choice
  std::vector<std::pair<std::string, std::string>> headers;  // of every request; secrets
  FetchClient::Options client{};
};

// What "hdfs://<path>" and "webhdfs://<path>" mean: as in KServe, the URI has no host, and a secret says the rest. Its
// keys are files below /var/secrets/kserve-hdfscreds, or below HDFS_SECRET_DIR; or members of STORAGE_CONFIG and
// STORAGE_OVERRIDE_CONFIG, where their type is "hdfs" or "webhdfs", and then those that are files here are in Base64:
//
//   HDFS_NAMENODE                 the name node's URL; several, separated by ';', where one stands in for another
//   HDFS_ROOTPATH                 the folder that paths begin at, unless they begin with a '/'
//   USER_PROXY                    on whose behalf requests are
//   TLS_CERT, TLS_KEY, TLS_CA     files in PEM: a certificate and its key, and the authorities
//   TLS_SKIP_VERIFY               true: certificates are not looked at
//   HEADERS                       headers of every request, as a JSON object
//   N_THREADS                     not needed: all downloads are parallel
//
// INVALID_ARGUMENT: no name node, a root that does not begin with a '/', a bad text; UNIMPLEMENTED: KERBEROS_PRINCIPAL.
base::Result<HdfsSettings> ReadHdfsSettings(const std::string& uri, const Environment& environment);

}  // namespace inferd::storage
