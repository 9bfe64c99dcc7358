#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::clustergateway {

// The load of a revision in one gateway, during the last second.
struct RevisionLoad {
  double concurrency = 0;  // average number of waiting and running requests
  double rate = 0;         // new requests per second
  size_t waiting = 0;      // requests that wait now

  RevisionLoad& operator+=(const RevisionLoad& other);
  bool operator==(const RevisionLoad&) const = default;
};

// The loads of revisions by their namespace and name. A revision without an entry has no requests.
using LoadMap = std::map<kubernetes::ObjectName, RevisionLoad>;

// The report of one gateway to the leader:
//
//   {"gateway":"inferd-gateway-5d9c-x2","revisions":[{"namespace":"a","name":"iris-predictor-default-00001",
//    "concurrency":1.500,"rate":3.000,"waiting":0}]}
struct LoadReport {
  std::string gateway;  // identity of the gateway
  LoadMap revisions;

  bool operator==(const LoadReport&) const = default;
};

std::string ToJson(const LoadReport& report);
// INVALID_ARGUMENT if the text is no report. A revision with negative or implausibly large numbers is ignored.
base::Result<LoadReport> ParseLoadReport(std::string_view json);

}  // namespace inferd::clustergateway
