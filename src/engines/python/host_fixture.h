#pragma once

#include <cstddef>
#include <cstdint>

#include "inferd/engine_abi.h"

namespace inferd::python {

// Returns a host whose requests have no properties: none has an id, a sequence, a time limit, a trace or a parameter,
// and none is cancelled. It has no functions but those that the message of an execution needs.
inline inferd_host HostOfPlainRequests() {
  inferd_host host = {};
  host.struct_size = sizeof(host);
  host.is_cancelled = [](const inferd_batch*, size_t) { return 0; };
  host.request_id = [](const inferd_batch*, size_t) { return inferd_text{"", 0}; };
  host.sequence = [](const inferd_batch*, size_t, inferd_sequence*) { return 0; };
  host.fills_up = [](const inferd_batch*, size_t) { return 0; };
  host.timeout_us = [](const inferd_batch*, size_t) { return uint64_t{0}; };
  host.traceparent = [](const inferd_batch*, size_t) { return inferd_text{"", 0}; };
  host.parameter_at = [](const inferd_batch*, size_t, size_t, inferd_text*, inferd_parameter*) { return 0; };
  return host;
}

}  // namespace inferd::python
