#include "kserve/clustergateway/router/name_resolver.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "net/upstream/address.h"

namespace inferd::clustergateway {

namespace {

constexpr size_t kAddressesMax = 1'000;  // per name

std::string TextOf(const addrinfo& found) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* const address = found.ai_family == AF_INET6
                                  ? static_cast<const void*>(&reinterpret_cast<sockaddr_in6*>(found.ai_addr)->sin6_addr)
                                  : &reinterpret_cast<sockaddr_in*>(found.ai_addr)->sin_addr;
  return inet_ntop(found.ai_family, address, text.data(), text.size()) == nullptr ? "" : text.data();
}

std::vector<gateway::ReplicaPlace> PlacesOf(const std::vector<std::string>& addresses, uint16_t port) {
  std::vector<gateway::ReplicaPlace> places;
  for (const std::string& address : addresses) {
    const std::string host = address.contains(':') ? "[" + address + "]" : address;
    auto place = net::upstream::Address::Parse(host + ":" + std::to_string(port));
    if (place.has_value()) places.emplace_back(*std::move(place));
  }
  return places;
}

}  // namespace

base::Result<std::vector<std::string>> ResolveHost(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    const std::string why = "'" + host + "': " + gai_strerror(error);
    return std::unexpected(error == EAI_NONAME ? base::NotFound(why) : base::Unavailable(why));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each != nullptr && addresses.size() < kAddressesMax; each = each->ai_next) {
    if (std::string text = TextOf(*each); !text.empty()) addresses.push_back(std::move(text));
  }
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
  if (addresses.empty()) return std::unexpected(base::NotFound("'" + host + "' has no address"));
  return addresses;
}

NameResolver::NameResolver(std::vector<NamedBackend> names, base::Logger& logger, Resolve resolve)
    : names_(std::move(names)),
      logger_(logger),
      resolve_(std::move(resolve)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

bool NameResolver::Look(const NamedBackend& name, Known& known) {
  auto addresses = resolve_(name.host);
  if (!addresses.has_value()) {
    std::string failure(addresses.error().message());
    if (failure != known.failure) logger_.Warning("a step's host has no address", {{"reason", failure}});
    known.failure = std::move(failure);
    return !known.addresses.empty();
  }
  known.failure.clear();
  if (*addresses == known.addresses) return true;
  name.backend->SetReplicas(PlacesOf(*addresses, name.port));
  known.addresses = *std::move(addresses);
  return true;
}

void NameResolver::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::vector<Known> known(names_.size());
  while (!stop.stop_requested()) {
    bool all_known = true;
    for (size_t i = 0; i < names_.size() && !stop.stop_requested(); ++i) all_known &= Look(names_[i], known[i]);
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, all_known ? kPause : kPauseUnknown, [] { return false; });
  }
}

}  // namespace inferd::clustergateway
