#include "kserve/apiserver/http/log_follow.h"

#include <utility>

#include "kserve/apiserver/logs/log_times.h"

namespace inferd::apiserver {

namespace {

constexpr std::chrono::hours kTimeout{4};  // Kubernetes: streaming-connection-idle-timeout

}  // namespace

LogFollow::LogFollow(const LogSource& source, std::string namespace_name, std::string pod, LogPart first,
                     bool timestamps, net::Reply reply)
    : Stream(std::move(reply), kTimeout),
      source_(source),
      namespace_name_(std::move(namespace_name)),
      pod_(std::move(pod)),
      part_(std::move(first)),
      timestamps_(timestamps) {}

void LogFollow::Start() {
  net::HttpResponse head;
  head.content_type = "text/plain";
  reply().Start(std::move(head));
  Send();
}

void LogFollow::Tick() {
  auto part = source_.ReadLog(namespace_name_, pod_, part_.next);
  if (!part.has_value()) return End();
  part_ = *std::move(part);
  if (timestamps_) {
    part_.text = WithTimes(part_.text, part_.next - part_.text.size(), line_begins_, part_.moments);
  }
  Send();
}

void LogFollow::Send() {
  if (!part_.text.empty()) line_begins_ = part_.text.back() == '\n';
  Write(part_.text);
  if (part_.ended) End();
}

}  // namespace inferd::apiserver
