#include "net/upstream/pool.h"

#include <algorithm>
#include <utility>

namespace inferd::net::upstream {

Pool::Pool(EventLoop& loop, PoolOptions options)
    : loop_(loop),
      options_(std::move(options)),
      read_space_(new std::byte[kReadBytes]),
      closed_(loop),
      idle_look_(loop, options_.idle_timeout, [this](int64_t until_ns) { return CloseIdle(until_ns); }) {}

base::Status Pool::Send(const Address& address, const Request& request, Receiver& receiver, bool fresh) {
  if (Connection* const idle = fresh ? nullptr : TakeIdle(address.text())) {
    idle->Begin(request, receiver);
    return base::OkStatus();
  }
  auto connection = std::make_unique<Connection>(*this, address);
  INFERD_RETURN_IF_ERROR(connection->Open());
  Connection& opened = *connection;
  connections_.emplace(&opened, std::move(connection));
  opened.Begin(request, receiver);
  return base::OkStatus();
}

Connection* Pool::TakeIdle(const std::string& address) {
  const int64_t until_ns = loop_.now_ns() - std::chrono::nanoseconds(options_.idle_timeout).count();
  for (auto found = idle_.find(address); found != idle_.end(); found = idle_.find(address)) {
    if (found->second.empty()) return nullptr;
    Connection& connection = *found->second.back();
    found->second.pop_back();
    if (connection.idle_since_ns > until_ns && connection.IsUsable()) return &connection;
    connection.Close();
  }
  return nullptr;
}

void Pool::Forget(const std::string& address) {
  const auto found = idle_.find(address);
  if (found == idle_.end()) return;
  const std::vector<Connection*> connections = std::move(found->second);
  idle_.erase(found);
  for (Connection* connection : connections) connection->Close();
}

void Pool::OnIdle(Connection& connection) {
  std::vector<Connection*>& idle = idle_[connection.address()];
  if (idle.size() >= options_.idle_max) return connection.Close();
  connection.idle_since_ns = loop_.now_ns();
  idle.push_back(&connection);
  idle_look_.Begin();
}

void Pool::OnClosed(Connection& connection) {
  if (const auto found = idle_.find(connection.address()); found != idle_.end()) {
    std::erase(found->second, &connection);
    if (found->second.empty()) idle_.erase(found);
  }
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;
  closed_.Add(std::move(found->second));
  connections_.erase(found);
}

bool Pool::CloseIdle(int64_t until_ns) {
  std::vector<Connection*> old;
  for (const auto& [address, connections] : idle_) {
    for (Connection* connection : connections) {
      if (connection->idle_since_ns <= until_ns) old.push_back(connection);
    }
  }
  for (Connection* connection : old) connection->Close();
  return !idle_.empty();
}

}  // namespace inferd::net::upstream
