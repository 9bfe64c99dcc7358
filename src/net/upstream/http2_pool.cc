#include "net/upstream/http2_pool.h"

#include <utility>

namespace inferd::net::upstream {

Http2Pool::Http2Pool(EventLoop& loop) : loop_(loop), read_space_(new std::byte[kReadBytes]), closed_(loop) {}

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

void Http2Pool::OnClosed(Http2Connection& connection) {
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;
  closed_.Add(std::move(found->second));
  connections_.erase(found);
}

}  // namespace inferd::net::upstream
