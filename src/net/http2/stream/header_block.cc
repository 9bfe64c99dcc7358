#include "net/http2/stream/header_block.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <forward_list>
#include <span>
#include <utility>
#include <vector>

#include "net/http/host.h"
#include "net/http/target.h"

namespace inferd::net::http2 {

namespace {

constexpr size_t kFieldOverhead = 32;  // RFC 9113, 6.5.2: SETTINGS_MAX_HEADER_LIST_SIZE
constexpr size_t kUsualBytes = 512;

}  // namespace

// Stores texts at stable addresses, since views of them are taken at once.
struct HeaderBlock::Store {
  std::string_view Keep(std::string_view text) {
    if (text.size() > room.size()) room = more.emplace_front(std::max(text.size(), kUsualBytes));
    char* const at = room.data();
    room = room.subspan(text.copy(at, text.size()));
    return {at, text.size()};
  }

  std::array<char, kUsualBytes> usual;
  std::forward_list<std::vector<char>> more;
  std::span<char> room{usual};
};

HeaderBlock::HeaderBlock(const Limits& limits, RequestHead& head)
    : limits_(limits), head_(head), store_(std::make_shared_for_overwrite<Store>()) {}

void HeaderBlock::Add(std::string_view name, std::string_view value) {
  if (refusal_.status != 0) return;
  bytes_ += name.size() + value.size() + kFieldOverhead;
  if (bytes_ > limits_.header_bytes_max) {
    refusal_ = {431, "request header too large"};
  } else if (++count_ > limits_.header_count_max) {
    refusal_ = {431, "too many request headers"};
  } else if (name == ":path" && value.size() > limits_.target_bytes_max) {
    refusal_ = {414, "request target too long"};
  } else if (name.starts_with(':')) {
    AddPseudo(name, store_->Keep(value));
  } else {
    AddField(store_->Keep(name), store_->Keep(value));
  }
}

void HeaderBlock::AddPseudo(std::string_view name, std::string_view value) {
  if (name == ":method") {
    head_.method_text = value;
    head_.method = MethodOf(value);
  } else if (name == ":path") {
    path_ = value;
  } else if (name == ":authority") {
    authority_ = value;
  }
}

void HeaderBlock::AddField(std::string_view name, std::string_view value) {
  head_.headers.emplace_back(name, value);
  if (name == "host") {
    has_host_ = true;
  } else if (name == "content-length") {
    uint64_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    head_.content_length = length;
  } else if (name == "x-request-id") {
    head_.TakeRequestId(value);
  }
}

void HeaderBlock::CompareHost() {
  constexpr uint16_t kHttpPort = 80;
  constexpr uint16_t kHttpsPort = 443;
  if (authority_.empty() || refusal_.status != 0) return;
  for (auto& [name, value] : head_.headers) {
    if (name != "host") continue;
    if (!IsSameHost(value, authority_, head_.tls ? kHttpsPort : kHttpPort)) {
      refusal_ = {400, "Host header differs from :authority"};
    }
    value = authority_;
  }
}

HeaderBlock::Refusal HeaderBlock::Finish(const ConnectionEnds& ends, bool tls) {
  head_.http2 = true;
  head_.tls = tls;
  head_.peer = store_->Keep(ends.peer);
  head_.local = store_->Keep(ends.local);
  if (has_host_) {
    CompareHost();
  } else if (!authority_.empty()) {
    head_.headers.emplace_back("host", authority_);  // it is Host in HTTP/1.1
  }
  if (refusal_.status != 0) return std::move(refusal_);
  if (const base::Status status = ParseTarget(path_, head_); !status.ok()) return {400, status.message()};
  return {};
}

}  // namespace inferd::net::http2
