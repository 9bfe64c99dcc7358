#include "net/spoken_session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "net/connection.h"
#include "net/http/net_metrics.h"
#include "net/http2/session.h"

namespace inferd::net {

void SpokenSession::Begin(bool http2) {
  if (http2) {
    session_ = http2::MakeSession(connection_);
  } else {
    session_ = std::make_unique<http1::Session>(connection_, this);
  }
}

void SpokenSession::OnWritten(size_t bytes) {
  const size_t retired = std::min(bytes, retired_output_bytes_);
  retired_output_bytes_ -= retired;
  if (bytes > retired) session_->OnWritten(bytes - retired);
}

void SpokenSession::AnnounceDrain() {
  announced_ = true;
  if (connection_.open()) session_->AnnounceDrain();
}

void SpokenSession::BeginDrain() {
  draining_ = true;
  if (connection_.open()) session_->BeginDrain();
}

void SpokenSession::TellOfDrain() {
  if (announced_) session_->AnnounceDrain();
  if (draining_) session_->BeginDrain();
}

// The old session is still on the stack. At the end of the turn it is destroyed, and the new one gets its bytes.
// Pending output of the old session may lie in its own memory, so it is copied.
void SpokenSession::HandOver(std::unique_ptr<Session> session, std::span<const std::byte> bytes) {
  session_->TakeOutput(output_.pieces(), SIZE_MAX);
  retired_output_bytes_ = output_.Own();
  handed_over_.assign(bytes.begin(), bytes.end());
  retired_ = std::exchange(session_, std::move(session));
  connection_.event_loop().AtEndOfTurn([this] { FinishHandOver(); });
}

void SpokenSession::FinishHandOver() {
  if (!connection_.open()) return;
  retired_.reset();
  const std::vector<std::byte> bytes = std::exchange(handed_over_, {});
  for (size_t done = 0; done < bytes.size() && connection_.open();) {
    const std::span<std::byte> space = session_->PrepareRead();
    const size_t count = std::min(space.size(), bytes.size() - done);
    if (count == 0) return connection_.Close();
    std::memcpy(space.data(), bytes.data() + done, count);
    session_->OnRead(count);
    done += count;
  }
  if (connection_.open()) TellOfDrain();
  if (connection_.open() && connection_.eof()) session_->OnEof();
}

void SpokenSession::OnHttp2Preface(std::span<const std::byte> bytes) {
  HandOver(http2::MakeSession(connection_), bytes);
}

bool SpokenSession::OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) {
  base::Result<std::unique_ptr<Session>> session = http2::MakeUpgradedSession(connection_, settings, request);
  if (!session.has_value()) return false;
  HandOver(*std::move(session), bytes);
  static constexpr std::string_view kSwitching =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
  output_.pieces().emplace_back(base::Buffer(), reinterpret_cast<const std::byte*>(kSwitching.data()),
                                kSwitching.size());
  retired_output_bytes_ += kSwitching.size();
  connection_.metrics().CountResponse(101);
  connection_.WantWrite();
  return true;
}

}  // namespace inferd::net
