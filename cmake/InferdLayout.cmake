# Orders a program's code by its profile.
#
# A request to a small model executes about 30 000 instructions, spread over megabytes of code. The processor spends more time on fetching
# them than on executing them. llvm-bolt puts the functions that requests run next to each other, removes jumps from likely paths, and moves
# other code away. It changes the place of instructions, not their effect. docs/performance.md has the savings.

option(INFERD_LAYOUT "Release builds of g++: lay out the server's code by its profile (needs llvm-bolt-19)" ON)

if(INFERD_LAYOUT AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT INFERD_SANITIZE
   AND NOT INFERD_COVERAGE)
  # Finds the program itself, not the link in /usr/bin, because it looks for its own libraries beside itself.
  find_program(LLVM_BOLT llvm-bolt PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
  if(NOT LLVM_BOLT)
    message(STATUS "llvm-bolt-19 is not there (Debian's bolt-19): small requests take the server half as much processor time again")
  endif()
else()
  unset(LLVM_BOLT CACHE)  # a value from an earlier configuration of this folder
endif()

# inferd_lay_out(TARGET PROFILE): orders an executable's code by PROFILE, which tools/profile_server makes. Keeps the program as it was
# linked, with line numbers for a debugger, in layout/.
function(inferd_lay_out target profile)
  if(NOT LLVM_BOLT)
    return()
  endif()
  set(script ${CMAKE_SOURCE_DIR}/cmake/lay_out)
  # -z now: the laid-out code calls library functions directly, so their addresses must be known at start.
  target_link_options(${target} PRIVATE -Wl,--emit-relocs -Wl,-z,now)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script} ${profile})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${script} ${LLVM_BOLT} ${profile} $<TARGET_FILE:${target}> ${CMAKE_BINARY_DIR}/layout VERBATIM)
endfunction()
