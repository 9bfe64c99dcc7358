#pragma once

#include <tensorflow/c/tf_datatype.h>

#include <cstdint>
#include <string>

namespace inferd::tensorflow {

// The inferd_datatype of a TensorFlow type; INFERD_TYPE_INVALID for those that no protocol of ours has
// (resources, variants).
int32_t ToDatatype(TF_DataType type);

// As TensorFlow spells it: "DT_COMPLEX64"; the number for types that are not known here.
std::string ElementTypeName(TF_DataType type);

}  // namespace inferd::tensorflow
