# Which parts of inferd a build folder has. ./quickstart chooses few, so that a first build is short. tools/build adds to them later.

set(INFERD_ENGINES all CACHE STRING "The engines that are built: a list, or all")
option(INFERD_KSERVE "Build the control plane of InferenceServices: controller, gateway, agent, storage initializer" ON)

if(INFERD_TESTS AND NOT (INFERD_KSERVE AND INFERD_ENGINES STREQUAL "all"))
  message(FATAL_ERROR "The tests need every part: configure with -DINFERD_KSERVE=ON -DINFERD_ENGINES=all.")
endif()

# inferd_add_engines(NAME...): adds the folder of each engine that this build has.
function(inferd_add_engines)
  if(NOT INFERD_ENGINES STREQUAL "all")
    foreach(name ${INFERD_ENGINES})
      if(NOT name IN_LIST ARGN)
        list(JOIN ARGN ", " known)
        message(FATAL_ERROR "INFERD_ENGINES names '${name}', which is no engine. The engines are ${known}.")
      endif()
    endforeach()
  endif()
  foreach(name ${ARGN})
    if(INFERD_ENGINES STREQUAL "all" OR name IN_LIST INFERD_ENGINES)
      add_subdirectory(${name})
    endif()
  endforeach()
endfunction()
