#include "net/http2/header_block.h"

#include <charconv>

#include "net/target.h"

namespace inferd::net::http2 {

namespace {

constexpr size_t kFieldOverhead = 32;  // RFC 9113, 6.5.2: SETTINGS_MAX_HEADER_LIST_SIZE
constexpr size_t kUsualBytes = 512;
constexpr size_t kUsualFields = 16;

}  // namespace

HeaderBlock::HeaderBlock() : text_(std::make_shared<std::string>()) {
  text_->reserve(kUsualBytes);
  fields_.reserve(kUsualFields);
}

void HeaderBlock::Add(std::string_view name, std::string_view value, const Limits& limits) {
  if (refusal_.status != 0) return;
  bytes_ += name.size() + value.size() + kFieldOverhead;
  if (bytes_ > limits.header_bytes_max) {
    refusal_ = {431, "request header too large"};
  } else if (fields_.size() >= limits.header_count_max) {
    refusal_ = {431, "too many request headers"};
  } else if (name == ":path" && value.size() > limits.target_bytes_max) {
    refusal_ = {414, "request target too long"};
  } else {
    fields_.push_back(Keep(name, value));
  }
}

HeaderBlock::Field HeaderBlock::Keep(std::string_view name, std::string_view value) {
  const Field field{text_->size(), name.size(), text_->size() + name.size(), value.size()};
  text_->append(name);
  text_->append(value);
  return field;
}

HeaderBlock::Refusal HeaderBlock::Finish(std::string_view peer, bool tls, RequestHead& head) {
  const Field peer_field = Keep("", peer);
  const Field host_name = Keep("host", "");
  head.http2 = true;
  head.tls = tls;
  head.peer = ValueOf(peer_field);
  std::string_view path;
  bool has_host = false;
  std::string_view authority;
  for (const Field& field : fields_) {
    const std::string_view name = NameOf(field);
    const std::string_view value = ValueOf(field);
    if (name == ":method") {
      head.method_text = value;
      head.method = MethodOf(value);
    } else if (name == ":path") {
      path = value;
    } else if (name == ":authority") {
      authority = value;
    } else if (!name.starts_with(':')) {
      has_host = has_host || name == "host";
      if (name == "content-length") {
        uint64_t length = 0;
        std::from_chars(value.data(), value.data() + value.size(), length);
        head.content_length = length;
      }
      head.headers.emplace_back(name, value);
    }
  }
  // What HTTP/1.1 calls Host.
  if (!has_host && !authority.empty()) head.headers.emplace_back(NameOf(host_name), authority);
  if (refusal_.status != 0) return std::move(refusal_);
  if (const base::Status status = ParseTarget(path, head); !status.ok()) return {400, status.message()};
  return {};
}

}  // namespace inferd::net::http2
