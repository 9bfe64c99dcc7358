#pragma once

#include <functional>

#include "base/status.h"
#include "engines/fake/fake_model.h"
#include "engines/fake/fake_part.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// The computations of this engine's models. Each answers all requests of the batch or part, or returns an error.

// Waits for a request, and until its client has taken earlier responses. Returns false if nobody waits for its answer.
using Pause = std::function<bool(size_t request, int64_t ns)>;

// Output i repeats input i, of any datatype and shape. A ragged input becomes rows again, which requires a part for
// each request.
base::Status Identity(const inferd_host* host, const inferd_model* model, const Part& part);

// Returns true if an output has the rows of a ragged input, one row per request.
bool RepeatsRaggedInputs(const inferd_model* model, const inferd_batch* batch);

// Computes the two inputs' sum and difference, element by element; integers wrap.
base::Status AddSub(const inferd_host* host, const inferd_model* model, const Part& part);

// For each request, sends one response per element of IN, as OUT, with its position as IDX, after DELAY milliseconds of
// that position (Triton's repeat backend). INVALID_ARGUMENT if DELAY has another number of elements.
base::Status Repeat(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause);

// Returns how long Triton's repeat backend keeps the instance from the next execution while the responses go out: the
// sum of the requests' WAIT, in nanoseconds. -1 for a batch without input WAIT.
int64_t WaitOf(const inferd_model* model, const inferd_batch* batch);

// For each request, sends as many responses as the number n in IN, each with n as OUT. By the model's options, some of
// the last ones fail or are left out (Triton's square backend).
base::Status Square(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause);

}  // namespace inferd::fake
