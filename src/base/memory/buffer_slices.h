#pragma once

#include <boost/container/small_vector.hpp>

#include "base/buffer.h"

namespace inferd::base {

// A byte sequence in pieces that are sent in order and never copied (short ones excepted).
using BufferSlices = boost::container::small_vector<BufferSlice, 4>;

}  // namespace inferd::base
