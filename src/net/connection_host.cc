#include "net/connection_host.h"

#include <utility>

#include "net/shard.h"

namespace inferd::net {

ConnectionHost::ConnectionHost(Shard& shard, HttpHandler& handler, ConnectionEnds ends, bool tls)
    : shard_(shard), handler_(handler), ends_(std::move(ends)), tls_(tls) {}

Loop& ConnectionHost::loop() { return shard_.loop(); }
const Limits& ConnectionHost::limits() const { return shard_.limits(); }
BodyPool& ConnectionHost::bodies() { return shard_.bodies(); }
std::span<std::byte> ConnectionHost::read_space() { return shard_.read_space(); }
SliceWriter& ConnectionHost::writer() { return shard_.writer(); }
Reply::Target& ConnectionHost::replies() { return shard_.loop().replies(); }
NetMetrics& ConnectionHost::metrics() { return shard_.metrics(); }

}  // namespace inferd::net
