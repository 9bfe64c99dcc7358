#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"
#include "kserve/kubernetes/access/exec_credential.h"

namespace inferd::kubernetes {

// The credentials and trust of one connection and its requests. Secret.
struct Identity {
  std::string authorization;  // value of the header; empty if none
  std::string authorities;    // PEM; the system's if empty
  std::string certificate;    // PEM; empty if none
  std::string private_key;

  bool operator==(const Identity&) const = default;
};

// The current identity of an access. It reads files again once a minute, since Kubernetes rotates them, and runs a
// plug-in again when its credential has expired. Thread-safe. A call may block for as long as the plug-in runs.
class Credentials final {
 public:
  using Plugin = std::function<base::Result<ExecCredential>(const ClusterAccess&)>;

  static constexpr std::chrono::seconds kFileAgeMax{60};
  static constexpr std::chrono::seconds kPluginTimeLimit{60};
  static constexpr size_t kFileBytesMax = 1 << 20;

  // The clock must outlive this.
  Credentials(ClusterAccess access, const base::Clock& clock, Plugin plugin = RunPlugin);

  // Returns the current identity. If a file or the plug-in fails, the previous identity is returned, if there is one.
  // INVALID_ARGUMENT or NOT_FOUND if a file is invalid or missing; otherwise the errors of RunExecPlugin.
  base::Result<Identity> Get();
  // Reports that the server refused the identity (401). Unless it has changed since, the next Get reads all files and
  // runs the plug-in again.
  void Refuse(const Identity& identity);

  const ClusterAccess& access() const { return access_; }

 private:
  static base::Result<ExecCredential> RunPlugin(const ClusterAccess& access);
  base::Result<Identity> Read() REQUIRES(mutex_);
  base::Status ReadPlugin(Identity& identity) REQUIRES(mutex_);
  bool IsFresh(int64_t now_ns) const REQUIRES(mutex_);
  bool HasExpired(const ExecCredential& said) const;

  const ClusterAccess access_;
  const base::Clock& clock_;
  const Plugin plugin_;
  base::Mutex mutex_;
  Identity identity_ GUARDED_BY(mutex_);
  bool read_ GUARDED_BY(mutex_) = false;                   // true if identity_ is set
  std::optional<ExecCredential> said_ GUARDED_BY(mutex_);  // by the plug-in
  int64_t read_ns_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::kubernetes
