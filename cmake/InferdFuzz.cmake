# inferd_fuzz(NAME SOURCES ... LINK room... EXTERNAL target...)
#
# Adds a libFuzzer program `<NAME>_fuzz` to the preset dev. Its seeds are in fuzz/corpus/<NAME>. LINK lists rooms.
# tools/run_fuzzers runs all these programs.
function(inferd_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;EXTERNAL" ${ARGN})
  set(links)
  foreach(room ${ARG_LINK})
    string(REPLACE "/" "_" id ${room})
    list(APPEND links inferd_${id})
  endforeach()
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_include_directories(${name}_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name}_fuzz PRIVATE ${links} ${ARG_EXTERNAL} Threads::Threads)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_precompile_headers(${name}_fuzz REUSE_FROM inferd_pch)
endfunction()
