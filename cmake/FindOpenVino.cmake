# OpenVino::OpenVino, from a folder with include/openvino/openvino.hpp and lib/libopenvino.so: -DINFERD_OPENVINO_ROOT, the
# environment's INFERD_OPENVINO_ROOT, or where tools/install_openvino puts it. Headers and library are of one release.
include(InferdRelease)
inferd_find_release(OpenVino openvino/openvino.hpp libopenvino.so openvino/core/version.hpp OPENVINO_VERSION
                    ${INFERD_OPENVINO_ROOT} $ENV{INFERD_OPENVINO_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/openvino)

if(OpenVino_FOUND AND NOT TARGET OpenVino::OpenVino)
  # The library itself, its plug-in of the CPU, its readers of files, and what these need: they look for each other beside themselves.
  file(GLOB OpenVino_LIBRARIES ${OpenVino_LIBRARY_DIR}/*.so.[0-9]* ${OpenVino_LIBRARY_DIR}/*_plugin.so)
  add_library(OpenVino::OpenVino SHARED IMPORTED)
  set_target_properties(OpenVino::OpenVino PROPERTIES
    IMPORTED_LOCATION ${OpenVino_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OpenVino_INCLUDE_DIR})
endif()
