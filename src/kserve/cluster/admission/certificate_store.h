#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// The storage of certificates and webhook configurations, as CertificateKeeper uses it. Thread-safe.
class CertificateStore {
 public:
  virtual ~CertificateStore() = default;
  // True if the existing objects have been listed.
  virtual bool synced() const = 0;
  // Returns the Secret. Null if there is none.
  virtual kubernetes::ObjectPointer secret() const = 0;
  // Returns the existing webhook configurations.
  virtual std::vector<kubernetes::ObjectPointer> configurations() const = 0;
  // Creates the Secret if it has no resourceVersion, else updates it. A conflict if it has changed since. Returns the
  // stored Secret.
  virtual kubernetes::ApiResult<manifest::Value> WriteSecret(const manifest::Value& secret) = 0;
  // Updates a configuration from `live` to `wanted`. A conflict if it has changed since.
  virtual kubernetes::ApiResult<manifest::Value> WriteConfiguration(const manifest::Value& live,
                                                                    const manifest::Value& wanted) = 0;
};

struct CertificatePlaces {
  kubernetes::ObjectName secret;
  std::string webhook_name;  // of both the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration
};

// The store in a cluster. It watches each of the three kinds with a thread of its own.
class ClusterCertificateStore final : public CertificateStore {
 public:
  // The client and the logger must outlive the store. `on_change` is called on any of the threads when an object has
  // changed.
  ClusterCertificateStore(kubernetes::Client& client, const CertificatePlaces& places, std::function<void()> on_change,
                          base::Logger& logger);

  bool synced() const override;
  // Adds the reasons why the known state may be out of date. Called by one thread.
  void AddDoubts(std::vector<Doubt>& doubts) const;
  kubernetes::ObjectPointer secret() const override;
  std::vector<kubernetes::ObjectPointer> configurations() const override;
  kubernetes::ApiResult<manifest::Value> WriteSecret(const manifest::Value& secret) override;
  kubernetes::ApiResult<manifest::Value> WriteConfiguration(const manifest::Value& live,
                                                            const manifest::Value& wanted) override;

 private:
  kubernetes::Client& client_;
  const kubernetes::ObjectName secret_name_;
  const std::function<void()> on_change_;
  FollowedResource secrets_;
  FollowedResource mutating_;
  FollowedResource validating_;
};

}  // namespace inferd::cluster
