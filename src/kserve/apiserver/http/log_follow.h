#pragma once

#include <string>

#include "kserve/apiserver/http/stream.h"
#include "kserve/apiserver/logs/log_source.h"

namespace inferd::apiserver {

// A pod's log as it is written (GET .../log?follow=true): what there is, and then what comes, until the pod has ended.
// Loop-bound; the source outlives it.
class LogFollow final : public Stream {
 public:
  // `first` is sent, and then what comes behind it, with times before its lines if `timestamps`.
  LogFollow(const LogSource& source, std::string namespace_name, std::string pod, LogPart first, bool timestamps,
            net::Reply reply);

  void Start() override;
  void Pump() override {}
  void Tick() override;

 private:
  void Send();

  const LogSource& source_;
  const std::string namespace_name_;
  const std::string pod_;
  LogPart part_;  // that is sent next
  const bool timestamps_;
  bool line_begins_ = true;  // what was sent last has ended its line
};

}  // namespace inferd::apiserver
