#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/python/message/input_blocks.h"
#include "engines/python/message/marshal_writer.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// What a worker is told to execute.
struct ExecutionOrder {
  const inferd_host& host;
  uint64_t number = 0;
  const inferd_batch& batch;
  InputBlocks::Block block;  // where the inputs' pieces lie, one behind the other
  size_t bytes = 0;          // of the memory that has them
};

// In place of what `message` has:
//
//   ("execute", number, bytes, indices of the outputs that are wanted, requests, inputs)
//   a request: (id, rows, sequence id or 0, flags, timeout in us or 0, traceparent or "", parameters); flags: 1: the
//   sequence's start, 2: its end; or its rows alone, where all else is 0 or empty
//   an input: (index, datatype, dimensions of the batch, pieces); a piece: (offset, size)
void WriteExecution(const ExecutionOrder& order, MarshalWriter& message);

}  // namespace inferd::python
