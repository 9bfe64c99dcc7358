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

// Kubernetes' API over HTTP, for a listener: calls run on threads of its own, since they wait for the disk; watches and
// followed logs on the listener's loops. Thread-safe; outlives the listener, and what it is made of outlives it.
//
// Lists and watches are sent as fast as their clients read. One that does not read takes the listener's high-water mark
// of memory and a piece (ListText::kPieceBytes or one row or event); there are ListReply::kListsMax lists and
// Streams::kStreamsMax watches of a loop at most, and 429 answers any other. Large objects are not copied for them.
//
// There is one user, this process's: its processes and root's may do everything, which includes to have programs run
// here, and others nothing. Over TCP a request shows the token, over a Unix socket none (RefusalOfCaller). Pages in a
// browser of that user are refused: their requests have an Origin, or a Host that is no address of a machine.
class ApiServer final {
 public:
  // `logs` may be null. `token`: what requests over TCP have to show.
  ApiServer(Registry& registry, const LogSource* logs, const base::Clock& clock, const net::SecretDigest& token);

  net::HandlerFactory Handlers();

 private:
  class Handler;

  Registry& registry_;
  const LogSource* const logs_;
  const base::Clock& clock_;
  const net::SecretDigest token_;
  ApiCalls calls_;
  std::atomic<size_t> lists_{0};  // that are being answered
  base::ThreadPool pool_;
};

}  // namespace inferd::apiserver
