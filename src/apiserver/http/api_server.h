#pragma once

#include <cstddef>

#include "apiserver/http/api_calls.h"
#include "apiserver/http/log_source.h"
#include "apiserver/objects/registry.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Kubernetes' API over HTTP, for a listener: calls run on threads of its own, since they wait for the disk; watches and
// followed logs on the listener's loops. Thread-safe; outlives the listener, and what it is made of outlives it.
//
// There are no users: what may reach the listener may do everything, which includes to have programs run here. So pages
// in a browser are refused, whose requests have an Origin or a Host that is no address of a machine.
class ApiServer final {
 public:
  // `logs` may be null.
  ApiServer(Registry& registry, const LogSource* logs, const base::Clock& clock);

  net::HandlerFactory Handlers();

 private:
  class Handler;

  Registry& registry_;
  const LogSource* const logs_;
  const base::Clock& clock_;
  ApiCalls calls_;
  base::ThreadPool pool_;
};

}  // namespace inferd::apiserver
