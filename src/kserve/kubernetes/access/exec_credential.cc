#include "kserve/kubernetes/access/exec_credential.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/system/child_process.h"
#include "base/system/poll_until.h"
#include "base/text/base64.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/kubernetes/api/time_text.h"

namespace inferd::kubernetes {

namespace {

using manifest::Value;
using Deadline = std::chrono::steady_clock::time_point;

constexpr size_t kOutputBytesMax = 1 << 20;

std::string Base64(std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), '\0');
  base::EncodeBase64(bytes, text.data());
  return text;
}

// Returns the input of the plug-in, the value of $KUBERNETES_EXEC_INFO.
std::string ExecInfo(const ClusterAccess& access, const ExecPlugin& plugin) {
  Value spec = Value::Map({{"interactive", Value::Bool(false)}});
  if (plugin.provide_cluster_info) {
    Value cluster = Value::Map({{"server", Value::String(access.server)}});
    if (!access.server_name.empty()) cluster.Set("tls-server-name", Value::String(access.server_name));
    if (access.insecure) cluster.Set("insecure-skip-tls-verify", Value::Bool(true));
    if (!access.authorities.empty()) {
      cluster.Set("certificate-authority-data", Value::String(Base64(access.authorities)));
    }
    spec.Set("cluster", std::move(cluster));
  }
  return manifest::ToJson(Value::Map({{"apiVersion", Value::String(plugin.api_version)},
                                      {"kind", Value::String("ExecCredential")},
                                      {"spec", std::move(spec)}}));
}

// Reads until the end of the stream. Nullopt if the output is too large, or the deadline passes.
std::optional<std::string> ReadOutput(int fd, Deadline deadline) {
  std::string output;
  std::array<char, 16384> piece{};
  while (base::PollUntil(fd, POLLIN, deadline)) {
    const ssize_t got = read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return output;
    if (output.size() + static_cast<size_t>(got) > kOutputBytesMax) return std::nullopt;
    output.append(piece.data(), static_cast<size_t>(got));
  }
  return std::nullopt;
}

}  // namespace

base::Result<ExecCredential> ParseExecCredential(std::string_view text, std::string_view api_version) {
  const auto refuse = [](std::string why) {
    return std::unexpected(base::InvalidArgument("the credential plug-in prints no ExecCredential: " + std::move(why)));
  };
  auto documents = manifest::ReadJson(text, "", {.file_bytes_max = kOutputBytesMax});
  if (!documents.has_value() || documents->size() != 1) return refuse("it is no JSON");
  manifest::Problems problems;
  manifest::Fields root(documents->front(), "", problems);
  std::string kind;
  std::string version;
  root.Read("kind", kind);
  root.Read("apiVersion", version);
  if (problems.empty() && kind != "ExecCredential") root.Fail("kind", "must be ExecCredential");
  if (problems.empty() && version != api_version) root.Fail("apiVersion", "must be " + std::string(api_version));
  ExecCredential credential;
  std::string expires;
  if (auto status = root.Map("status")) {
    status->Read("token", credential.token);
    status->Read("clientCertificateData", credential.certificate);
    status->Read("clientKeyData", credential.private_key);
    status->Read("expirationTimestamp", expires);
    if (credential.token.find_first_of(" \r\n\t") != std::string::npos) {
      status->Fail("token", "may have no white space");
    }
    if (credential.certificate.empty() != credential.private_key.empty()) {
      status->Fail("clientCertificateData", "and clientKeyData stand together");
    }
    if (credential.token.empty() && credential.certificate.empty()) status->Fail("token", "is required");
    if (!expires.empty() && !(credential.expires_ns = ParseTime(expires)).has_value()) {
      status->Fail("expirationTimestamp", "must be a time of RFC 3339");
    }
  } else if (problems.empty()) {
    root.Fail("status", "is required");
  }
  if (!problems.empty()) return refuse(problems.front().path + ": " + problems.front().message);
  return credential;
}

base::Result<ExecCredential> RunExecPlugin(const ClusterAccess& access, std::chrono::seconds time_limit) {
  if (!access.user.exec.has_value())
    return std::unexpected(base::InvalidArgument("the user has no credential plug-in"));
  const ExecPlugin& plugin = *access.user.exec;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(base::ResourceExhausted("no pipe can be made"));
  const base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  base::ChildCommand command{.program = plugin.command,
                             .arguments = {plugin.command},
                             .apart = true,
                             .output = writing.get(),
                             .own_errors = true};
  command.arguments.insert(command.arguments.end(), plugin.arguments.begin(), plugin.arguments.end());
  for (const auto& [name, value] : plugin.environment) command.environment_changes.push_back(name + "=" + value);
  command.environment_changes.push_back("KUBERNETES_EXEC_INFO=" + ExecInfo(access, plugin));
  const std::string what = "the credential plug-in " + plugin.command;
  auto child = base::ChildProcess::Start(command);
  if (!child.has_value()) {
    return std::unexpected(base::Status(
        child.error().code(),
        what + ": " + child.error().message() + (plugin.install_hint.empty() ? "" : "\n") + plugin.install_hint));
  }
  writing.Close();
  const Deadline deadline = std::chrono::steady_clock::now() + time_limit;
  const auto output = ReadOutput(reading.get(), deadline);
  if (!output.has_value() || !child->EndsBefore(deadline)) {
    return std::unexpected(base::Unavailable(what + " does not end, or prints too much"));
  }
  const std::string end = child->WaitForEnd();
  if (child->exit_code() != 0) return std::unexpected(base::Unavailable(what + " " + end));
  return ParseExecCredential(*output, plugin.api_version);
}

}  // namespace inferd::kubernetes
