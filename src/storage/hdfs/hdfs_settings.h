#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// The location of a model in HDFS, and the settings of requests for it. Plain data.
struct HdfsSettings {
  std::vector<std::string> name_nodes;  // "http://name-node:9870", at least one
  std::string path;                     // of the model: begins with '/', and ends without one, except for the root
  std::string user_proxy;               // the user on whose behalf requests are made; empty for the server's choice
  std::vector<std::pair<std::string, std::string>> headers;  // sent with every request; secrets
  FetchClient::Options client{};
};

// Reads the settings for "hdfs://<path>" or "webhdfs://<path>". As in KServe, the URI has no host; a secret has the
// other settings. Its keys are files below /var/secrets/kserve-hdfscreds or HDFS_SECRET_DIR. Or they are members of
// STORAGE_CONFIG and STORAGE_OVERRIDE_CONFIG, if their type is "hdfs" or "webhdfs"; then the keys that are files here
// are in Base64:
//
//   HDFS_NAMENODE                 the name node's URL; several, separated by ';', where one stands in for another
//   HDFS_ROOTPATH                 the folder that paths begin at, unless they begin with a '/'
//   USER_PROXY                    on whose behalf requests are
//   TLS_CERT, TLS_KEY, TLS_CA     files in PEM: a certificate and its key, and the authorities
//   TLS_SKIP_VERIFY               true: certificates are not looked at
//   HEADERS                       headers of every request, as a JSON object
//   N_THREADS                     not needed: all downloads are parallel
//
// INVALID_ARGUMENT if there is no name node, the root does not begin with '/', or a text is invalid. UNIMPLEMENTED for
// KERBEROS_PRINCIPAL.
base::Result<HdfsSettings> ReadHdfsSettings(const std::string& uri, const Environment& environment);

}  // namespace inferd::storage
