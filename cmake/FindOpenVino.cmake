# Finds OpenVino::OpenVino in a folder with include/openvino/openvino.hpp and lib/libopenvino.so. Looks in -DINFERD_OPENVINO_ROOT, in
# INFERD_OPENVINO_ROOT of the environment, and in the folder of tools/install_openvino. Headers and library must be of one release.
include(InferdRelease)
inferd_find_release(OpenVino openvino/openvino.hpp libopenvino.so openvino/core/version.hpp OPENVINO_VERSION
                    ${INFERD_OPENVINO_ROOT} $ENV{INFERD_OPENVINO_ROOT} ${CMAKE_SOURCE_DIR}/build/deps/openvino)

if(OpenVino_FOUND AND NOT TARGET OpenVino::OpenVino)
  # The library, its CPU plug-in, its model readers, and their dependencies. Each finds the others in its own folder.
  file(GLOB OpenVino_LIBRARIES ${OpenVino_LIBRARY_DIR}/*.so.[0-9]* ${OpenVino_LIBRARY_DIR}/*_plugin.so)
  add_library(OpenVino::OpenVino SHARED IMPORTED)
  set_target_properties(OpenVino::OpenVino PROPERTIES
    IMPORTED_LOCATION ${OpenVino_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OpenVino_INCLUDE_DIR})
endif()
