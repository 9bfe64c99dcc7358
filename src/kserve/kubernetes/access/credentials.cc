#include "kserve/kubernetes/access/credentials.h"

#include <algorithm>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/base64.h"

namespace inferd::kubernetes {

namespace {

// A value takes precedence over its file, so the file is not read if the value is set.
base::Status ReadInto(const std::string& file, std::string& value) {
  if (file.empty() || !value.empty()) return {};
  INFERD_ASSIGN_OR_RETURN(value, base::ReadRegularFile(file, Credentials::kFileBytesMax));
  return {};
}

// True if the text can be a single word in a header.
bool IsWord(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string Basic(const std::string& username, const std::string& password) {
  const std::string both = username + ":" + password;
  std::string text(base::Base64Size(both.size()), '\0');
  base::EncodeBase64(both, text.data());
  return "Basic " + text;
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

base::Result<std::string> Bearer(std::string_view token) {
  token = Trimmed(token);
  if (!IsWord(token)) return std::unexpected(base::InvalidArgument("a token may have no white space"));
  return token.empty() ? std::string() : "Bearer " + std::string(token);
}

}  // namespace

Credentials::Credentials(ClusterAccess access, const base::Clock& clock, Plugin plugin)
    : access_(std::move(access)), clock_(clock), plugin_(std::move(plugin)) {}

base::Result<ExecCredential> Credentials::RunPlugin(const ClusterAccess& access) {
  return RunExecPlugin(access, kPluginTimeLimit);
}

bool Credentials::HasExpired(const ExecCredential& said) const {
  return said.expires_ns.has_value() && clock_.WallNs() >= *said.expires_ns;
}

bool Credentials::IsFresh(int64_t now_ns) const {
  if (!read_ || (said_.has_value() && HasExpired(*said_))) return false;
  return now_ns - read_ns_ < std::chrono::nanoseconds(kFileAgeMax).count();
}

base::Result<Identity> Credentials::Get() {
  const base::MutexLock lock(mutex_);
  const int64_t now_ns = clock_.NowNs();
  if (IsFresh(now_ns)) return identity_;
  auto read = Read();
  if (!read.has_value() && !read_) return read;
  read_ns_ = now_ns;
  if (read.has_value()) {
    identity_ = *std::move(read);
    read_ = true;
  }
  return identity_;
}

void Credentials::Refuse(const Identity& identity) {
  const base::MutexLock lock(mutex_);
  if (identity_ != identity) return;
  said_.reset();
  read_ns_ = clock_.NowNs() - std::chrono::nanoseconds(kFileAgeMax).count();
}

base::Result<Identity> Credentials::Read() {
  const UserAccess& user = access_.user;
  Identity identity{.authorization = {},
                    .authorities = access_.authorities,
                    .certificate = user.certificate,
                    .private_key = user.private_key};
  INFERD_RETURN_IF_ERROR(ReadInto(access_.authorities_file, identity.authorities));
  INFERD_RETURN_IF_ERROR(ReadInto(user.certificate_file, identity.certificate));
  INFERD_RETURN_IF_ERROR(ReadInto(user.private_key_file, identity.private_key));
  std::string token = user.token;
  INFERD_RETURN_IF_ERROR(ReadInto(user.token_file, token));
  INFERD_ASSIGN_OR_RETURN(identity.authorization, Bearer(token));
  if (identity.authorization.empty() && !user.username.empty()) {
    identity.authorization = Basic(user.username, user.password);
  }
  if (user.exec.has_value() && identity.authorization.empty()) INFERD_RETURN_IF_ERROR(ReadPlugin(identity));
  return identity;
}

base::Status Credentials::ReadPlugin(Identity& identity) {
  if (!said_.has_value() || HasExpired(*said_)) {
    INFERD_ASSIGN_OR_RETURN(said_, plugin_(access_));
  }
  const ExecCredential said = said_.value_or(ExecCredential());
  INFERD_ASSIGN_OR_RETURN(identity.authorization, Bearer(said.token));
  if (!said.certificate.empty()) {
    identity.certificate = said.certificate;
    identity.private_key = said.private_key;
  }
  return {};
}

}  // namespace inferd::kubernetes
