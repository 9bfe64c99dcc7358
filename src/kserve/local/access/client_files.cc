#include "kserve/local/access/client_files.h"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text/base64.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/access/kubeconfig.h"
#include "kserve/local/access/private_file.h"

namespace inferd::local {

namespace {

using manifest::Text;
using manifest::Value;

constexpr uint16_t kLongestPort = 65'535;

bool HoldsSocket(const std::string& folder) {
  return kubernetes::LocalFilesIn(folder, kLongestPort).socket.size() < sizeof(sockaddr_un::sun_path);
}

std::string Base64(std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), '\0');
  base::EncodeBase64(bytes, text.data());
  return text;
}

// Returns a list with one entry {name: N, KEY: value}.
Value Named(const std::string& name, std::string_view key, Value value) {
  Value entry = Value::Map({{"name", Text(name)}});
  entry.Set(key, std::move(value));
  return Value::List({std::move(entry)});
}

bool IsPlainInShell(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("/._-+@%:,=").find(c) != std::string_view::npos;
}

}  // namespace

std::string MakeClientFolder(const std::string& state_folder, const storage::Environment& environment) {
  std::error_code error;
  // Only the system may create the runtime folder.
  const std::filesystem::path runtime = environment("XDG_RUNTIME_DIR");
  for (const std::string& folder : kubernetes::LocalFolders(environment)) {
    if (std::filesystem::path(folder).parent_path() == runtime && !std::filesystem::exists(runtime, error)) continue;
    if (HoldsSocket(folder) && MakePrivateFolder(folder)) return folder;
  }
  const auto absolute = std::filesystem::absolute(state_folder, error);
  return error ? state_folder : absolute.string();
}

std::string KubeconfigText(const std::string& place, const std::string& socket, const ApiKeys& keys) {
  const std::string name = "inferd-" + place.substr(place.rfind(':') + 1);
  Value extension = Value::Map();
  extension.Set(kubernetes::kSocketField, Text(socket));
  const Value cluster =
      Value::Map({{"server", Text("https://" + place)},
                  {"certificate-authority-data", Text(Base64(keys.authority))},
                  {"extensions", Named(std::string(kubernetes::kLocalExtension), "extension", std::move(extension))}});
  const Value context = Value::Map({{"cluster", Text(name)}, {"user", Text(name)}, {"namespace", Text("default")}});
  return manifest::ToYaml(Value::Map({{"apiVersion", Text("v1")},
                                      {"kind", Text("Config")},
                                      {"clusters", Named(name, "cluster", cluster)},
                                      {"users", Named(name, "user", Value::Map({{"token", Text(keys.token)}}))},
                                      {"contexts", Named(name, "context", context)},
                                      {"current-context", Text(name)}}));
}

std::string ExportLine(const std::string& kubeconfig) {
  std::string quoted = kubeconfig;
  if (!std::ranges::all_of(kubeconfig, IsPlainInShell)) {
    quoted = "'";
    for (const char c : kubeconfig) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    quoted += "'";
  }
  return "export KUBECONFIG=" + quoted;
}

KubeconfigFile::~KubeconfigFile() {
  if (!removed_.empty()) unlink(removed_.c_str());
}

base::Status KubeconfigFile::Write(const std::string& path, const std::string& text, bool temporary) {
  INFERD_RETURN_IF_ERROR(WritePrivateFile(path, text));
  if (temporary) removed_ = path;
  return base::OkStatus();
}

}  // namespace inferd::local
