#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace inferd::config {

// Where responses are kept of models whose configurations say response_cache { enable: true }.
enum class CacheStore { kNone, kLocal, kRedis };

// How the Redis is reached by TLS.
struct RedisTlsOptions {
  bool enabled = false;
  std::string certificate_file;  // the server's own, as a client; empty: it shows none
  std::string key_file;
  std::string ca_file;  // whom it trusts; without these two, the system's authorities
  std::string ca_folder;
  std::string name;  // whom the Redis' certificate must be for; empty: its host
};

// --cache-config.
struct CacheOptions {
  CacheStore store = CacheStore::kNone;
  std::chrono::milliseconds ttl{0};  // of what is kept; 0: until its place is needed
  uint64_t bytes_max = 0;            // kLocal: of all that is kept, and of keeping it

  // kRedis
  std::string host = "127.0.0.1";
  uint16_t port = 6379;
  std::string user;
  std::string password;
  uint32_t database = 0;
  std::chrono::milliseconds connect_timeout{1'000};
  std::chrono::milliseconds lookup_timeout{10};  // then the request is executed
  RedisTlsOptions tls;
  // Servers that say the same share what they keep, on the promise that a version of a model is the same for all of
  // them, and for good. Empty: what a load of a version keeps is for itself.
  std::string shared_name;
};

}  // namespace inferd::config
