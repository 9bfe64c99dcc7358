#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::clustergateway {

// What a gateway measured of a revision's requests in the last second.
struct RevisionLoad {
  double concurrency = 0;  // requests that wait or are executed, on average
  double rate = 0;         // requests begun per second
  size_t waiting = 0;      // requests that wait now

  RevisionLoad& operator+=(const RevisionLoad& other);
  bool operator==(const RevisionLoad&) const = default;
};

// By the revision's namespace and name; one that is not there has no requests.
using LoadMap = std::map<kubernetes::ObjectName, RevisionLoad>;

// What one gateway tells the one that leads:
//
//   {"gateway":"inferd-gateway-5d9c-x2","revisions":[{"namespace":"a","name":"iris-predictor-default-00001",
//    "concurrency":1.500,"rate":3.000,"waiting":0}]}
struct LoadReport {
  std::string gateway;  // its identity
  LoadMap revisions;

  bool operator==(const LoadReport&) const = default;
};

std::string ToJson(const LoadReport& report);
// INVALID_ARGUMENT: it is none. Numbers that are negative, or too large to be true, are left out with their revision.
base::Result<LoadReport> ParseLoadReport(std::string_view json);

}  // namespace inferd::clustergateway
