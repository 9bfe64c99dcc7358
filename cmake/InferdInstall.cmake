# `cmake --install build/release --prefix DIR` installs what a machine needs to serve, in the layout that the programs expect.
# A build without INFERD_KSERVE has only the first three programs.
#
#   bin/                    inferd, inferd-worker, inferctl, inferd-controller, inferd-agent, inferd-gateway, inferd-storage-initializer
#   lib/inferd/engines/     the engines. lib/inferd/ENGINE has the libraries of an engine
#   include/inferd/         the engine ABI
#   share/inferd/           proto/ (wire messages), runtimes/ (ClusterServingRuntimes), crds/ (KServe's kinds), examples/
#   share/doc/inferd/       licences, documentation
include(GNUInstallDirs)

get_property(programs GLOBAL PROPERTY INFERD_PROGRAMS)
install(TARGETS ${programs} RUNTIME DESTINATION bin)
get_property(engines GLOBAL PROPERTY INFERD_ENGINES)
install(TARGETS ${engines} LIBRARY DESTINATION lib/inferd/engines)

# inferd_install_library(ENGINE FILE...): installs libraries that an engine needs, under the names that it opens. FILE is NAME=PATH. If
# PATH is a symbolic link, the file that it leads to is copied.
function(inferd_install_library engine)
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([^=]+)=(.+)$" matched ${pair})
    file(REAL_PATH ${CMAKE_MATCH_2} real)
    install(PROGRAMS ${real} DESTINATION lib/inferd/${engine} RENAME ${CMAKE_MATCH_1})
  endforeach()
endfunction()

if(TARGET engine_onnxruntime)
  inferd_install_library(onnxruntime libonnxruntime.so.1=${OnnxRuntime_LIBRARY})
  install(PROGRAMS ${OnnxRuntime_PROVIDERS} DESTINATION lib/inferd/onnxruntime)
  install(DIRECTORY ${OnnxRuntime_INCLUDE_DIR}/../licenses/ DESTINATION share/doc/inferd/onnxruntime OPTIONAL)
endif()
if(TARGET engine_openvino)
  install(PROGRAMS ${OpenVino_LIBRARIES} DESTINATION lib/inferd/openvino)
  install(DIRECTORY ${OpenVino_INCLUDE_DIR}/../licenses/ DESTINATION share/doc/inferd/openvino OPTIONAL)
endif()
if(TARGET engine_tensorflow)
  inferd_install_library(tensorflow libtensorflow_cc.so.2=${TensorFlow_LIBRARY}
    libtensorflow_framework.so.2=${TensorFlow_FRAMEWORK_LIBRARY})
  install(DIRECTORY ${TensorFlow_INCLUDE_DIR}/../licenses/ DESTINATION share/doc/inferd/tensorflow OPTIONAL)
endif()

if(TARGET engine_torch)
  install(TARGETS inferd_torch LIBRARY DESTINATION lib/inferd/torch)
  install(PROGRAMS ${LibTorch_LIBRARIES} DESTINATION lib/inferd/torch)
  install(DIRECTORY ${LibTorch_INCLUDE_DIR}/../licenses/ DESTINATION share/doc/inferd/torch OPTIONAL)
endif()

install(FILES include/inferd/engine_abi.h DESTINATION include/inferd)
install(DIRECTORY deploy/runtimes deploy/crds DESTINATION share/inferd FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY proto/ DESTINATION share/inferd/proto FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY examples/models examples/requests examples/forest examples/kserve examples/openvino examples/tensorflow examples/torch DESTINATION share/inferd/examples)
install(FILES LICENSE THIRD_PARTY_NOTICES.md CHANGELOG.md README.md DESTINATION share/doc/inferd)
install(DIRECTORY docs DESTINATION share/doc/inferd PATTERN design EXCLUDE)

# Programs look for this file relative to their own folder, so the build folder has the same layout as an installation.
configure_file(deploy/runtimes/inferd.yaml share/inferd/runtimes/inferd.yaml COPYONLY)
