#pragma once

#include <string_view>

#include "engines/rewrite/netdef/graph/arguments.h"
#include "engines/rewrite/netdef/graph/graph.h"

namespace inferd::netdef {

// Returns the datatype that an argument names, by caffe2.proto's number or name. kUndefined if there is none, or ONNX
// does not have it.
Element ReadElement(Arguments& args, std::string_view argument);

Attributes CastTo(Element element);

}  // namespace inferd::netdef
