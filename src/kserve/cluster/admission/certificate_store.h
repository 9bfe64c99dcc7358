#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// Where certificates are kept, and told of, as a CertificateKeeper sees it. Thread-safe.
class CertificateStore {
 public:
  virtual ~CertificateStore() = default;
  // Whether what there is is known.
  virtual bool synced() const = 0;
  // The Secret; null: there is none.
  virtual kubernetes::ObjectPointer secret() const = 0;
  // The configurations of webhooks that are there.
  virtual std::vector<kubernetes::ObjectPointer> configurations() const = 0;
  // Made if it has no resourceVersion, else a conflict if it has changed since. Returns what is kept then.
  virtual kubernetes::ApiResult<manifest::Value> WriteSecret(const manifest::Value& secret) = 0;
  // Changes what is live to what is wanted; a conflict if it has changed since.
  virtual kubernetes::ApiResult<manifest::Value> WriteConfiguration(const manifest::Value& live,
                                                                    const manifest::Value& wanted) = 0;
};

struct CertificatePlaces {
  kubernetes::ObjectName secret;
  std::string webhook_name;  // of the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration
};

// That of a cluster, which it follows: with a thread for each of the three kinds.
class ClusterCertificateStore final : public CertificateStore {
 public:
  // The client and the logger outlive it. `on_change` is called on any of the threads, whenever one of the objects has
  // changed.
  ClusterCertificateStore(kubernetes::Client& client, const CertificatePlaces& places, std::function<void()> on_change,
                          base::Logger& logger);

  bool synced() const override;
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
