#pragma once

#include <tensorflow/c/tf_datatype.h>

#include <cstdint>
#include <string>

namespace inferd::tensorflow {

// Returns the inferd_datatype of a TensorFlow type, or INFERD_TYPE_INVALID for those that none of our protocols has
// (resources, variants).
int32_t ToDatatype(TF_DataType type);

// Returns TensorFlow's spelling: "DT_COMPLEX64", or the number of an unknown type.
std::string ElementTypeName(TF_DataType type);

}  // namespace inferd::tensorflow
