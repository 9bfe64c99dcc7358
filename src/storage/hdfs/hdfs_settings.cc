#include "storage/hdfs/hdfs_settings.h"

#include <algorithm>
#include <string_view>

#include "base/text/ascii_case.h"
#include "storage/hdfs/hdfs_secret.h"
#include "storage/source/request_headers.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

constexpr size_t kNameNodesMax = 16;

// Normalizes "//a/b//" to "/a/b": one '/' between parts, none at the end.
std::string Normalized(std::string_view path) {
  std::string normalized;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) normalized.append("/").append(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return normalized.empty() ? "/" : normalized;
}

base::Result<std::vector<std::string>> ReadNameNodes(const HdfsSecret& secret) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, secret.Text("HDFS_NAMENODE"));
  std::vector<std::string> nodes;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    std::string node = text.substr(begin, end - begin);
    begin = end + 1;
    while (node.ends_with('/')) node.pop_back();
    const UriParts parts = SplitUri(node);
    if ((parts.scheme != "http" && parts.scheme != "https") || parts.host.empty() || !parts.query.empty()) {
      return std::unexpected(base::InvalidArgument("HDFS_NAMENODE: " + ShownUri(node) + " is no URL of HTTP"));
    }
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) return std::unexpected(base::InvalidArgument("HDFS_NAMENODE is not in " + secret.place()));
  if (nodes.size() > kNameNodesMax) {
    return std::unexpected(
        base::InvalidArgument("HDFS_NAMENODE has more than " + std::to_string(kNameNodesMax) + " URLs"));
  }
  return nodes;
}

base::Result<std::string> ReadPath(const std::string& uri, const HdfsSecret& secret) {
  const std::string behind_scheme = uri.substr(uri.find("://") + 3);
  INFERD_ASSIGN_OR_RETURN(const std::string root, secret.Text("HDFS_ROOTPATH"));
  if (root.empty() || behind_scheme.starts_with('/')) return Normalized(behind_scheme);
  if (!root.starts_with('/')) return std::unexpected(base::InvalidArgument("HDFS_ROOTPATH does not begin with a '/'"));
  return Normalized(root + "/" + behind_scheme);
}

base::Result<FetchClient::Options> ReadClientOptions(const HdfsSecret& secret) {
  FetchClient::Options options;
  INFERD_ASSIGN_OR_RETURN(const std::string skip_verify, secret.Text("TLS_SKIP_VERIFY"));
  options.verify_peer = !base::EqualWithoutCase(skip_verify, "true");
  INFERD_ASSIGN_OR_RETURN(options.authorities, secret.File("TLS_CA"));
  INFERD_ASSIGN_OR_RETURN(options.certificate, secret.File("TLS_CERT"));
  INFERD_ASSIGN_OR_RETURN(options.private_key, secret.File("TLS_KEY"));
  return options;
}

}  // namespace

base::Result<HdfsSettings> ReadHdfsSettings(const std::string& uri, const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(const HdfsSecret secret, HdfsSecret::Open(environment));
  INFERD_ASSIGN_OR_RETURN(const std::string principal, secret.Text("KERBEROS_PRINCIPAL"));
  if (!principal.empty()) {
    return std::unexpected(base::Unimplemented("KERBEROS_PRINCIPAL: Kerberos is not supported for " + ShownUri(uri)));
  }
  HdfsSettings settings;
  INFERD_ASSIGN_OR_RETURN(settings.name_nodes, ReadNameNodes(secret));
  INFERD_ASSIGN_OR_RETURN(settings.path, ReadPath(uri, secret));
  INFERD_ASSIGN_OR_RETURN(settings.user_proxy, secret.Text("USER_PROXY"));
  INFERD_ASSIGN_OR_RETURN(const std::string headers, secret.Text("HEADERS"));
  INFERD_ASSIGN_OR_RETURN(settings.headers, ReadRequestHeaders("HEADERS", headers));
  INFERD_ASSIGN_OR_RETURN(settings.client, ReadClientOptions(secret));
  return settings;
}

}  // namespace inferd::storage
