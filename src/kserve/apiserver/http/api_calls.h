#pragma once

#include <string>

#include "base/clock.h"
#include "kserve/apiserver/http/api_path.h"
#include "kserve/apiserver/logs/log_source.h"
#include "kserve/apiserver/objects/registry.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Answers requests of Kubernetes' API that have one complete response: all except lists, watches and followed logs.
// Thread-safe. Blocks until the store has written.
class ApiCalls final {
 public:
  // `logs` may be null. Then no pod has a log.
  ApiCalls(Registry& registry, const LogSource* logs, const base::Clock& clock)
      : registry_(registry), logs_(logs), clock_(clock) {}

  net::HttpResponse Answer(const net::HttpRequest& request);

 private:
  using Answered = ApiResult<net::HttpResponse>;

  Answered Call(const net::HttpRequest& request);
  Answered OnCollection(const net::HttpRequest& request, const ApiPath& path, const Query& query);
  Answered OnObject(const net::HttpRequest& request, const ApiPath& path, const Query& query);
  Answered Create(const net::HttpRequest& request, const ApiPath& path, const Query& query);
  Answered DeleteAll(const net::HttpRequest& request, const ApiPath& path, const Query& query);
  Answered Delete(const net::HttpRequest& request, const ApiPath& path);
  Answered Patch(const net::HttpRequest& request, const ApiPath& path, const Query& query);
  Answered Log(const ApiPath& path, const Query& query) const;
  Answered Show(const net::HttpRequest& request, const ApiPath& path, const Query& query, int status,
                const Registry::Written& written) const;

  Registry& registry_;
  const LogSource* const logs_;
  const base::Clock& clock_;
};

}  // namespace inferd::apiserver
