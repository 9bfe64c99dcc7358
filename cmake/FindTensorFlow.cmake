# Finds TensorFlow::Headers, and the two libraries that the engine opens at run time, in a folder with lib/libtensorflow_cc.so.2 and
# include/tensorflow/c/c_api.h. Looks in -DINFERD_TENSORFLOW_ROOT, in INFERD_TENSORFLOW_ROOT of the environment, and in the folder
# of tools/install_tensorflow. The folder `tensorflow` of an installed Python package works, too.
set(TensorFlow_ROOTS
  ${INFERD_TENSORFLOW_ROOT} $ENV{INFERD_TENSORFLOW_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/tensorflow)
find_path(TensorFlow_INCLUDE_DIR tensorflow/c/c_api.h PATHS ${TensorFlow_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_file(TensorFlow_LIBRARY libtensorflow_cc.so.2 PATHS ${TensorFlow_ROOTS} PATH_SUFFIXES lib . NO_DEFAULT_PATH)
find_file(TensorFlow_FRAMEWORK_LIBRARY libtensorflow_framework.so.2
  PATHS ${TensorFlow_ROOTS} PATH_SUFFIXES lib . NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TensorFlow
  REQUIRED_VARS TensorFlow_LIBRARY TensorFlow_FRAMEWORK_LIBRARY TensorFlow_INCLUDE_DIR)
mark_as_advanced(TensorFlow_INCLUDE_DIR TensorFlow_LIBRARY TensorFlow_FRAMEWORK_LIBRARY)

if(TensorFlow_FOUND AND NOT TARGET TensorFlow::Headers)
  # No header has the full version. The library returns it, but only after it is opened.
  set(TensorFlow_VERSION 2)
  get_filename_component(TensorFlow_ROOT ${TensorFlow_INCLUDE_DIR} DIRECTORY)
  if(EXISTS ${TensorFlow_ROOT}/version)
    file(STRINGS ${TensorFlow_ROOT}/version TensorFlow_VERSION LIMIT_COUNT 1)
  endif()
  add_library(TensorFlow::Headers INTERFACE IMPORTED)
  set_target_properties(TensorFlow::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TensorFlow_INCLUDE_DIR})
endif()
