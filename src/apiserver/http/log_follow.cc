#include "apiserver/http/log_follow.h"

#include <utility>

namespace inferd::apiserver {

namespace {

constexpr std::chrono::hours kTimeout{4};  // Kubernetes: streaming-connection-idle-timeout

}  // namespace

LogFollow::LogFollow(const LogSource& source, std::string namespace_name, std::string pod, uint64_t offset,
                     net::Reply reply)
    : Stream(std::move(reply), kTimeout),
      source_(source),
      namespace_name_(std::move(namespace_name)),
      pod_(std::move(pod)),
      offset_(offset) {}

void LogFollow::Start() {
  net::HttpResponse head;
  head.content_type = "text/plain";
  reply().Start(std::move(head));
  Tick();
}

void LogFollow::Tick() {
  const auto part = source_.ReadLog(namespace_name_, pod_, offset_);
  if (!part.has_value()) return End();
  offset_ = part->next;
  Write(part->text);
  if (part->ended) End();
}

}  // namespace inferd::apiserver
