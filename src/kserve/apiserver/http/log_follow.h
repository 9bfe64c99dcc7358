#pragma once

#include <string>

#include "kserve/apiserver/http/stream.h"
#include "kserve/apiserver/logs/log_source.h"

namespace inferd::apiserver {

// Sends a pod's log while it is written (GET .../log?follow=true): the existing text, then new text, until the pod
// ends. Loop-bound. The source must outlive it.
class LogFollow final : public Stream {
 public:
  // Sends `first`, then the text after it. With `timestamps`, each line begins with its time.
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
  LogPart part_;  // to be sent next
  const bool timestamps_;
  bool line_begins_ = true;  // true if the text sent last ended its line
};

}  // namespace inferd::apiserver
