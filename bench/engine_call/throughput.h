#pragma once

#include <onnxruntime_c_api.h>

#include <string>

#include "bench/engine_call/cases.h"

namespace inferd::bench {

// Measures how many rows per second one process gets from the bare library. Prints a line for each batch size, 1 to 64,
// with one caller, with one caller whose calls use two threads, and with a caller on each core:
//
//   rows MODEL callers=2 threads=1 batch=16 rows_per_s=123456.7 cpu_us_per_row=8.123
void PrintThroughput(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& what, double seconds);

}  // namespace inferd::bench
