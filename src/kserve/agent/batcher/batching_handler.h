#pragma once

#include <memory>

#include "kserve/agent/batcher/batch_options.h"
#include "net/event_loop.h"
#include "net/http/http.h"
#include "net/upstream/address.h"

namespace inferd::agent {

// Puts requests of V1's :predict and of V2's infer together, those of the same path whose bodies differ in their rows
// only (FindBatchForm), and asks `component` with all of them at once: when there are enough rows, or the first request
// has waited long enough. Each client gets what is of its rows. A client that goes before takes its rows along. A batch
// that fails is repeated one by one (BatchQueue). What is too much is answered with 503 in the protocol's form
// (BatchRoom). All other requests go to `inner`. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeBatchingHandler(const BatchOptions& options,
                                                      const net::upstream::Address& component, net::EventLoop& loop,
                                                      std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::agent
