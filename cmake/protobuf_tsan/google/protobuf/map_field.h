// In front of protobuf's own header where the thread sanitizer is on. Under it that header gives its classes two more
// members, which the library of the distribution has not: whatever parses a map field then writes beside it.
#pragma once
#pragma GCC system_header

#pragma push_macro("__SANITIZE_THREAD__")
#undef __SANITIZE_THREAD__
#include_next <google/protobuf/map_field.h>
#pragma pop_macro("__SANITIZE_THREAD__")
