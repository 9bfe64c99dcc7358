# The order of a program's code, by a profile of it.
#
# A request of a small model executes some 30 000 instructions, spread over megabytes of code, and a processor spends more time on fetching
# than on executing them. llvm-bolt puts the functions of requests side by side, makes likely paths free of jumps, and moves the rest
# elsewhere; docs/performance.md has what that saves. It changes where instructions lie, not what they do.

option(INFERD_LAYOUT "Release builds of g++: lay out the server's code by its profile (needs llvm-bolt-19)" ON)

if(INFERD_LAYOUT AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT INFERD_SANITIZE
   AND NOT INFERD_COVERAGE)
  # The program that /usr/bin has a link to: it looks for its own libraries beside itself.
  find_program(LLVM_BOLT llvm-bolt PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
  if(NOT LLVM_BOLT)
    message(STATUS "llvm-bolt-19 is not there (Debian's bolt-19): small requests take the server half as much processor time again")
  endif()
else()
  unset(LLVM_BOLT CACHE)  # what this folder was configured with before
endif()

# inferd_lay_out(TARGET PROFILE): an executable's code is put in the order of PROFILE, which tools/profile_server makes. As it
# was linked, with line numbers for a debugger, it stays in layout/.
function(inferd_lay_out target profile)
  if(NOT LLVM_BOLT)
    return()
  endif()
  set(script ${CMAKE_SOURCE_DIR}/cmake/lay_out)
  # Calls into libraries go straight to where they lead, which has to be known from the start.
  target_link_options(${target} PRIVATE -Wl,--emit-relocs -Wl,-z,now)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script} ${profile})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${script} ${LLVM_BOLT} ${profile} $<TARGET_FILE:${target}> ${CMAKE_BINARY_DIR}/layout VERBATIM)
endfunction()
