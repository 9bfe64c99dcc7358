#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/python/message/input_blocks.h"
#include "engines/python/message/marshal_writer.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// An execution to send to a worker.
struct ExecutionOrder {
  const inferd_host& host;
  uint64_t number = 0;
  const inferd_batch& batch;
  InputBlocks::Block block;  // contains the inputs' pieces, one after the other
  size_t bytes = 0;          // size of the memory that contains them
};

// Replaces the content of `message` with:
//
//   ("execute", number, bytes, indices of the wanted outputs, requests, inputs)
//   a request: (id, rows, sequence id or 0, flags, timeout in us or 0, traceparent or "", parameters); flags: 1: the
//   sequence's start, 2: its end. If all but the rows is 0 or empty, the rows alone
//   an input: (index, datatype, dimensions of the batch, pieces); a piece: (offset, size)
void WriteExecution(const ExecutionOrder& order, MarshalWriter& message);

}  // namespace inferd::python
