#pragma once

#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "kserve/apiserver/http/api_calls.h"
#include "kserve/apiserver/logs/log_source.h"
#include "kserve/apiserver/objects/registry.h"
#include "net/http/http.h"
#include "net/secret.h"

namespace inferd::apiserver {

// Serves Kubernetes' API over HTTP, for a listener. Calls run on threads of its own, because they wait for the disk.
// Watches and followed logs run on the listener's loops. Thread-safe. Must outlive the listener. The constructor's
// references must outlive it.
//
// Lists and watches are sent as fast as their clients read. A slow client takes memory up to the listener's high-water
// mark and one piece (ListText::kPieceBytes, or one row or event). There are at most ListReply::kListsMax lists, and
// Streams::kStreamsMax watches per loop. More are answered with 429. Large objects are sent without a copy.
//
// The API has one user, the user of this process. Processes of this user and of root may do everything, including
// running programs here. Others may do nothing. A request over TCP must have the token, a request over a Unix socket
// needs none (RefusalOfCaller). Requests of browser pages are refused: they have an Origin, or a Host that is not an
// address of a machine.
class ApiServer final {
 public:
  // `logs` may be null. `token` is the digest of the bearer token for TCP.
  ApiServer(Registry& registry, const LogSource* logs, const base::Clock& clock, const net::SecretDigest& token);

  net::HandlerFactory Handlers();

 private:
  class Handler;

  Registry& registry_;
  const LogSource* const logs_;
  const base::Clock& clock_;
  const net::SecretDigest token_;
  ApiCalls calls_;
  std::atomic<size_t> lists_{0};  // number of lists in flight
  base::ThreadPool pool_;
};

}  // namespace inferd::apiserver
