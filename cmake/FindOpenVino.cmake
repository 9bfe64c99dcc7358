# OpenVino::OpenVino, from a folder with include/openvino/openvino.hpp and lib/libopenvino.so: -DINFERD_OPENVINO_ROOT, the
# environment's INFERD_OPENVINO_ROOT, or where tools/install_openvino puts it. Headers and library are of one release.
set(OpenVino_ROOTS ${INFERD_OPENVINO_ROOT} $ENV{INFERD_OPENVINO_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/openvino)
find_path(OpenVino_INCLUDE_DIR openvino/openvino.hpp PATHS ${OpenVino_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_file(OpenVino_LIBRARY libopenvino.so PATHS ${OpenVino_ROOTS} PATH_SUFFIXES lib NO_DEFAULT_PATH)

if(OpenVino_INCLUDE_DIR)
  file(STRINGS ${OpenVino_INCLUDE_DIR}/openvino/core/version.hpp OpenVino_numbers REGEX "define OPENVINO_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" OpenVino_numbers "${OpenVino_numbers}")
  string(REPLACE ";" "." OpenVino_VERSION "${OpenVino_numbers}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenVino REQUIRED_VARS OpenVino_LIBRARY OpenVino_INCLUDE_DIR VERSION_VAR OpenVino_VERSION)
mark_as_advanced(OpenVino_INCLUDE_DIR OpenVino_LIBRARY)

if(OpenVino_FOUND AND NOT TARGET OpenVino::OpenVino)
  get_filename_component(OpenVino_LIBRARY_DIR ${OpenVino_LIBRARY} DIRECTORY)
  # The library itself, its plug-in of the CPU, its readers of files, and what these need: they look for each other beside themselves.
  file(GLOB OpenVino_LIBRARIES ${OpenVino_LIBRARY_DIR}/*.so.[0-9]* ${OpenVino_LIBRARY_DIR}/*_plugin.so)
  add_library(OpenVino::OpenVino SHARED IMPORTED)
  set_target_properties(OpenVino::OpenVino PROPERTIES
    IMPORTED_LOCATION ${OpenVino_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OpenVino_INCLUDE_DIR})
endif()
