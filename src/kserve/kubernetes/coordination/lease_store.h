#pragma once

#include <utility>

#include "kserve/kubernetes/client/client.h"

namespace inferd::kubernetes {

// One Lease, wherever it is kept. Errors are those of Client.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual ApiResult<manifest::Value> Get() = 0;
  virtual ApiResult<manifest::Value> Create(const manifest::Value& lease) = 0;
  // A conflict if it has changed since its resourceVersion.
  virtual ApiResult<manifest::Value> Update(const manifest::Value& lease) = 0;
  virtual const ObjectName& name() const = 0;
};

// That of a cluster. The client outlives it; one with short limits of time and without further tries, as the election
// has tries of its own.
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
