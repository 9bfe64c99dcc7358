# Finds OnnxRuntime::OnnxRuntime in a folder with include/onnxruntime_c_api.h and lib/libonnxruntime.so.1. Looks in
# -DINFERD_ONNXRUNTIME_ROOT, in INFERD_ONNXRUNTIME_ROOT of the environment, and in the folder of tools/install_onnxruntime. The headers
# may be older than the library. With INFERD_ONNXRUNTIME_GPU, takes the library of the GPU package, and sets OnnxRuntime_PROVIDERS.
option(INFERD_ONNXRUNTIME_GPU "Build the onnxruntime engine with ONNX Runtime's package for GPUs" OFF)
set(OnnxRuntime_ROOTS
  ${INFERD_ONNXRUNTIME_ROOT} $ENV{INFERD_ONNXRUNTIME_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/onnxruntime)
if(INFERD_ONNXRUNTIME_GPU)
  list(PREPEND OnnxRuntime_ROOTS ${CMAKE_SOURCE_DIR}/build/deps/onnxruntime_gpu)
endif()
# Searches again, because INFERD_ONNXRUNTIME_GPU may have changed.
unset(OnnxRuntime_LIBRARY CACHE)
find_path(OnnxRuntime_INCLUDE_DIR onnxruntime_c_api.h
  PATHS ${OnnxRuntime_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_file(OnnxRuntime_LIBRARY libonnxruntime.so.1 PATHS ${OnnxRuntime_ROOTS} PATH_SUFFIXES lib NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OnnxRuntime REQUIRED_VARS OnnxRuntime_LIBRARY OnnxRuntime_INCLUDE_DIR)
mark_as_advanced(OnnxRuntime_INCLUDE_DIR OnnxRuntime_LIBRARY)

if(OnnxRuntime_FOUND AND NOT TARGET OnnxRuntime::OnnxRuntime)
  file(REAL_PATH ${OnnxRuntime_LIBRARY} OnnxRuntime_LIBRARY_REAL)
  get_filename_component(OnnxRuntime_LIBRARY_DIR ${OnnxRuntime_LIBRARY_REAL} DIRECTORY)
  file(GLOB OnnxRuntime_FOUND_PROVIDERS ${OnnxRuntime_LIBRARY_DIR}/libonnxruntime_providers_*.so)
  set(OnnxRuntime_PROVIDERS ${OnnxRuntime_FOUND_PROVIDERS} CACHE INTERNAL "Beside the library, in the package for GPUs")
  get_filename_component(OnnxRuntime_LIBRARY_NAME ${OnnxRuntime_LIBRARY_REAL} NAME)
  add_library(OnnxRuntime::OnnxRuntime SHARED IMPORTED)
  set_target_properties(OnnxRuntime::OnnxRuntime PROPERTIES
    IMPORTED_LOCATION ${OnnxRuntime_LIBRARY_REAL} IMPORTED_SONAME libonnxruntime.so.1
    INTERFACE_INCLUDE_DIRECTORIES ${OnnxRuntime_INCLUDE_DIR})
endif()
