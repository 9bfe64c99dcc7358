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

// What one connection and its requests show and trust. Secrets.
struct Identity {
  std::string authorization;  // the header's value; empty: none
  std::string authorities;    // PEM; empty: the system's
  std::string certificate;    // PEM; empty: none
  std::string private_key;

  bool operator==(const Identity&) const = default;
};

// The identity of an access as it is now: files are read again once a minute, since Kubernetes rotates them, and a
// plug-in is run again when what it said has expired. Thread-safe; a call may block for as long as the plug-in takes.
class Credentials final {
 public:
  using Plugin = std::function<base::Result<ExecCredential>(const ClusterAccess&)>;

  static constexpr std::chrono::seconds kFileAgeMax{60};
  static constexpr std::chrono::seconds kPluginTimeLimit{60};
  static constexpr size_t kFileBytesMax = 1 << 20;

  // The clock outlives it.
  Credentials(ClusterAccess access, const base::Clock& clock, Plugin plugin = RunPlugin);

  // Where a file or the plug-in fails, what it gave before is kept as long as there is such. INVALID_ARGUMENT,
  // NOT_FOUND: a file is none; what RunExecPlugin says.
  base::Result<Identity> Get();
  // The server has refused this one (401): the next Get reads and runs everything anew, if that has not happened since.
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
  bool read_ GUARDED_BY(mutex_) = false;                   // whether there is one
  std::optional<ExecCredential> said_ GUARDED_BY(mutex_);  // by the plug-in
  int64_t read_ns_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::kubernetes
