#include "net/upstream/http2_pool.h"

#include <utility>
#include <vector>

namespace inferd::net::upstream {

Http2Pool::Http2Pool(EventLoop& loop, const Http2PoolOptions& options)
    : loop_(loop),
      read_space_(new std::byte[kReadBytes]),
      closed_(loop),
      idle_look_(loop, options.idle_timeout, [this](int64_t until_ns) { return CloseIdle(until_ns); }) {}

base::Status Http2Pool::Begin(const Address& address, const Http2Request& request, Http2Receiver& receiver) {
  for (const auto& [known, connection] : connections_) {
    if (known->address() == address.text() && known->CanBegin()) return known->Begin(request, receiver);
  }
  auto connection = std::make_unique<Http2Connection>(*this, address);
  INFERD_RETURN_IF_ERROR(connection->Open());
  Http2Connection& opened = *connection;
  connections_.emplace(&opened, std::move(connection));
  return opened.Begin(request, receiver);
}

void Http2Pool::OnIdle(Http2Connection& connection) {
  connection.idle_since_ns = loop_.now_ns();
  idle_look_.Begin();
}

bool Http2Pool::CloseIdle(int64_t until_ns) {
  std::vector<Http2Connection*> old;
  bool some = false;
  for (const auto& [known, connection] : connections_) {
    if (!known->idle()) continue;
    some = true;
    if (known->idle_since_ns <= until_ns) old.push_back(known);
  }
  for (Http2Connection* connection : old) connection->Close();
  return some;
}

void Http2Pool::OnClosed(Http2Connection& connection) {
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;
  closed_.Add(std::move(found->second));
  connections_.erase(found);
}

}  // namespace inferd::net::upstream
