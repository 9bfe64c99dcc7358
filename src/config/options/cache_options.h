#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace inferd::config {

// The store for responses of models with response_cache { enable: true }.
enum class CacheStore { kNone, kLocal, kRedis };

// The TLS settings for the Redis.
struct RedisTlsOptions {
  bool enabled = false;
  std::string certificate_file;  // the server's own, as a client; empty to show none
  std::string key_file;
  std::string ca_file;  // trusted authorities; without these two, the system's
  std::string ca_folder;
  std::string name;  // the name in the Redis' certificate; its host if empty
};

// --cache-config.
struct CacheOptions {
  CacheStore store = CacheStore::kNone;
  std::chrono::milliseconds ttl{0};  // of an entry; 0 to keep it until its place is needed
  uint64_t bytes_max = 0;            // kLocal: limit for all entries, overhead included

  // kRedis
  std::string host = "127.0.0.1";
  uint16_t port = 6379;
  std::string user;
  std::string password;
  uint32_t database = 0;
  std::chrono::milliseconds connect_timeout{1'000};
  std::chrono::milliseconds lookup_timeout{10};  // after this the request is executed
  RedisTlsOptions tls;
  // Servers with the same name share entries. This promises that a version of a model is the same on all of them,
  // permanently. If empty, entries are private to one load of a version.
  std::string shared_name;
};

}  // namespace inferd::config
