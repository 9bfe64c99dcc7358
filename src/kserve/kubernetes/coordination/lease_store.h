#pragma once

#include <utility>

#include "kserve/kubernetes/client/client.h"

namespace inferd::kubernetes {

// The storage of one Lease. Its errors are those of Client.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual ApiResult<manifest::Value> Get() = 0;
  virtual ApiResult<manifest::Value> Create(const manifest::Value& lease) = 0;
  // A conflict if the Lease has changed since its resourceVersion.
  virtual ApiResult<manifest::Value> Update(const manifest::Value& lease) = 0;
  virtual const ObjectName& name() const = 0;
};

// The store in a cluster. The client must outlive it. It should have short time limits and no retries, because the
// election retries by itself.
class ClusterLease final : public LeaseStore {
 public:
  ClusterLease(Client& client, ObjectName name) : client_(client), name_(std::move(name)) {}

  ApiResult<manifest::Value> Get() override { return client_.Get(LeaseResource(), name_); }
  ApiResult<manifest::Value> Create(const manifest::Value& lease) override {
    return client_.Create(LeaseResource(), lease);
  }
  ApiResult<manifest::Value> Update(const manifest::Value& lease) override {
    return client_.Update(LeaseResource(), lease);
  }
  const ObjectName& name() const override { return name_; }

 private:
  Client& client_;
  const ObjectName name_;
};

}  // namespace inferd::kubernetes
