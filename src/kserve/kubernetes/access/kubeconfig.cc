#include "kserve/kubernetes/access/kubeconfig.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/base64.h"
#include "data/manifest/fields.h"
#include "data/manifest/read.h"

namespace inferd::kubernetes {

namespace {

using manifest::Fields;
using manifest::Problems;
using manifest::Value;

constexpr size_t kFileBytesMax = 4 << 20;
constexpr std::string_view kExecGroup = "client.authentication.k8s.io/";

// Resolves a path relative to the kubeconfig's folder.
std::string Resolved(const std::string& file, const std::string& folder) {
  return file.empty() || file.starts_with('/') || folder.empty() ? file : folder + "/" + file;
}

void RefuseFields(Fields& fields, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (fields.Find(key) != nullptr) fields.Fail(key, "is not supported");
  }
}

void ReadPem(Fields& fields, std::string_view key, std::string& pem) {
  std::string text;
  fields.Read(key, text);
  if (text.empty()) return;
  const auto size = base::DecodeLenientBase64(text, text.data());
  if (size.has_value()) text.resize(*size);
  if (!size.has_value() || !text.contains("-----BEGIN ")) return fields.Fail(key, "must be PEM in base64");
  pem = std::move(text);
}

// Extensions of other programs may have any type.
std::string ReadUnixSocket(Fields& cluster) {
  std::string path;
  const Value* const list = cluster.Find("extensions");
  if (list == nullptr || !list->is(manifest::Kind::kList)) return path;
  for (const Value& entry : list->items()) {
    const Value* const name = entry.Find("name");
    const Value* const extension = entry.Find("extension");
    if (name == nullptr || extension == nullptr || name->text() != kLocalExtension) continue;
    const Value* const socket = extension->Find(kSocketField);
    if (socket != nullptr && socket->text().starts_with('/')) path = socket->text();
  }
  return path;
}

ClusterAccess ReadCluster(Fields& fields, const std::string& folder) {
  ClusterAccess cluster;
  RefuseFields(fields, {"proxy-url"});
  fields.Read("server", cluster.server);
  const std::string_view server = cluster.server;
  const bool schemed = server.starts_with("https://") || server.starts_with("http://");
  if (!schemed || server.find_first_of(" ?#@\r\n\t") != std::string_view::npos) {
    fields.Fail("server", "must be a URL of https or http without user and parameters");
  }
  while (cluster.server.ends_with('/')) cluster.server.pop_back();
  ReadPem(fields, "certificate-authority-data", cluster.authorities);
  fields.Read("certificate-authority", cluster.authorities_file);
  cluster.authorities_file = Resolved(cluster.authorities_file, folder);
  fields.Read("insecure-skip-tls-verify", cluster.insecure);
  fields.Read("tls-server-name", cluster.server_name);
  if (cluster.server_name.find_first_of("/:@?# \r\n\t") != std::string::npos) {
    fields.Fail("tls-server-name", "must be a name");
  }
  cluster.unix_socket = ReadUnixSocket(fields);
  if (cluster.insecure && (!cluster.authorities.empty() || !cluster.authorities_file.empty())) {
    fields.Fail("insecure-skip-tls-verify", "may not be with certificate authorities");
  }
  return cluster;
}

ExecPlugin ReadExec(Fields fields, const std::string& folder) {
  ExecPlugin plugin;
  fields.Read("apiVersion", plugin.api_version);
  if (plugin.api_version != std::string(kExecGroup) + "v1" &&
      plugin.api_version != std::string(kExecGroup) + "v1beta1") {
    fields.Fail("apiVersion", "must be client.authentication.k8s.io/v1 or v1beta1");
  }
  fields.Read("command", plugin.command);
  if (plugin.command.empty()) fields.Fail("command", "is required");
  if (plugin.command.contains('/')) plugin.command = Resolved(plugin.command, folder);
  fields.Read("args", plugin.arguments);
  for (Fields& variable : fields.Maps("env")) {
    std::string name;
    std::string value;
    variable.Read("name", name);
    variable.Read("value", value);
    if (name.empty() || name.contains('=') || name.contains('\0') || value.contains('\0')) {
      variable.Fail("name", "must be a variable's name");
    }
    plugin.environment.emplace_back(std::move(name), std::move(value));
  }
  fields.Read("provideClusterInfo", plugin.provide_cluster_info);
  fields.Read("installHint", plugin.install_hint);
  std::string mode;
  fields.Read("interactiveMode", mode);
  if (mode == "Always") fields.Fail("interactiveMode", "is not supported: there is no terminal to ask at");
  return plugin;
}

UserAccess ReadUser(Fields& fields, const std::string& folder) {
  UserAccess user;
  RefuseFields(fields, {"auth-provider", "as", "as-uid", "as-groups", "as-user-extra"});
  fields.Read("token", user.token);
  if (user.token.find_first_of(" \r\n\t") != std::string::npos) fields.Fail("token", "may have no white space");
  fields.Read("tokenFile", user.token_file);
  fields.Read("username", user.username);
  fields.Read("password", user.password);
  ReadPem(fields, "client-certificate-data", user.certificate);
  fields.Read("client-certificate", user.certificate_file);
  ReadPem(fields, "client-key-data", user.private_key);
  fields.Read("client-key", user.private_key_file);
  for (std::string* file : {&user.token_file, &user.certificate_file, &user.private_key_file}) {
    *file = Resolved(*file, folder);
  }
  const bool certified = !user.certificate.empty() || !user.certificate_file.empty();
  const bool keyed = !user.private_key.empty() || !user.private_key_file.empty();
  if (certified != keyed) fields.Fail("client-certificate", "and client-key stand together");
  if (auto exec = fields.Map("exec")) user.exec = ReadExec(*exec, folder);
  return user;
}

// Calls `read(name, fields)` for each entry {name: N, KEY: {...}} of a list. An entry with the name of an earlier one
// is ignored.
template <typename Read>
void ReadNamed(Fields& root, std::string_view list, std::string_view key, Read read) {
  for (Fields& entry : root.Maps(list)) {
    std::string name;
    entry.Read("name", name);
    if (name.empty()) entry.Fail("name", "is required");
    auto fields = entry.Map(key);
    if (!fields.has_value() && entry.Find(key) == nullptr && key == "user") {
      // kubectl writes a user without credentials as `user: {}`, or not at all.
      static const Value nothing = Value::Map();
      fields.emplace(nothing, entry.path(), entry.problems());
    }
    if (fields.has_value()) read(name, *fields);
  }
}

Kubeconfig ReadRoot(Fields& root, const std::string& folder) {
  Kubeconfig config;
  std::string kind = "Config";
  root.Read("kind", kind);
  if (kind != "Config") root.Fail("kind", "must be Config");
  root.Read("current-context", config.current_context);
  ReadNamed(root, "clusters", "cluster",
            [&](const std::string& name, Fields& f) { config.clusters.emplace(name, ReadCluster(f, folder)); });
  ReadNamed(root, "users", "user",
            [&](const std::string& name, Fields& f) { config.users.emplace(name, ReadUser(f, folder)); });
  ReadNamed(root, "contexts", "context", [&](const std::string& name, Fields& f) {
    Kubeconfig::Context context;
    f.Read("cluster", context.cluster);
    f.Read("user", context.user);
    f.Read("namespace", context.namespace_name);
    config.contexts.emplace(name, std::move(context));
  });
  return config;
}

}  // namespace

base::Result<Kubeconfig> ReadKubeconfig(std::string_view text, const std::string& path) {
  INFERD_ASSIGN_OR_RETURN(const auto documents, manifest::Read(text, path, {.file_bytes_max = kFileBytesMax}));
  if (documents.empty()) return Kubeconfig();
  if (documents.size() > 1) return std::unexpected(base::InvalidArgument(path + ": has more than one document"));
  Problems problems;
  Fields root(documents.front(), "", problems);
  const size_t slash = path.rfind('/');
  Kubeconfig config = ReadRoot(root, slash == std::string::npos ? "" : path.substr(0, slash));
  if (!problems.empty()) return std::unexpected(base::InvalidArgument(problems.front().ToString(path)));
  return config;
}

base::Result<Kubeconfig> ReadKubeconfigFiles(const std::vector<std::string>& paths) {
  Kubeconfig all;
  bool found = false;
  for (const std::string& path : paths) {
    auto text = base::ReadRegularFile(path, kFileBytesMax);
    if (!text.has_value() && text.error().code() == base::StatusCode::kNotFound) continue;
    if (!text.has_value()) return std::unexpected(text.error());
    INFERD_ASSIGN_OR_RETURN(Kubeconfig config, ReadKubeconfig(*text, path));
    found = true;
    all.clusters.merge(config.clusters);
    all.users.merge(config.users);
    all.contexts.merge(config.contexts);
    if (all.current_context.empty()) all.current_context = std::move(config.current_context);
  }
  if (!found) return std::unexpected(base::NotFound(paths.front() + ": there is no such kubeconfig"));
  return all;
}

base::Result<ClusterAccess> ResolveContext(const Kubeconfig& config, const std::string& context) {
  const std::string& name = context.empty() ? config.current_context : context;
  if (name.empty()) return std::unexpected(base::InvalidArgument("the kubeconfig has no current-context"));
  const auto found = config.contexts.find(name);
  if (found == config.contexts.end()) {
    return std::unexpected(base::InvalidArgument("the kubeconfig has no context \"" + name + "\""));
  }
  const auto cluster = config.clusters.find(found->second.cluster);
  if (cluster == config.clusters.end()) {
    return std::unexpected(base::InvalidArgument("context \"" + name + "\" names the cluster \"" +
                                                 found->second.cluster + "\", which the kubeconfig does not have"));
  }
  ClusterAccess access = cluster->second;
  access.namespace_name = found->second.namespace_name;
  if (found->second.user.empty()) return access;
  const auto user = config.users.find(found->second.user);
  if (user == config.users.end()) {
    return std::unexpected(base::InvalidArgument("context \"" + name + "\" names the user \"" + found->second.user +
                                                 "\", which the kubeconfig does not have"));
  }
  access.user = user->second;
  return access;
}

}  // namespace inferd::kubernetes
