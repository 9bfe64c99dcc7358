#pragma once

#include <memory>

#include "kserve/agent/batcher/batch_options.h"
#include "net/event_loop.h"
#include "net/http/http.h"
#include "net/upstream/address.h"

namespace inferd::agent {

// Batches requests of V1's :predict and of V2's infer that have the same path and whose bodies differ in their rows
// only (FindBatchForm). It sends a batch to `component` when it has enough rows, or when its first request has waited
// long enough. Each client gets the response to its rows. If a client disconnects earlier, its rows are removed. A
// batch that fails is repeated one by one (BatchQueue). Requests beyond the limits (BatchRoom) get 503 in the
// protocol's form. All other requests go to `inner`. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeBatchingHandler(const BatchOptions& options,
                                                      const net::upstream::Address& component, net::EventLoop& loop,
                                                      std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::agent
