# Writes OUTPUT, a header with the version. The version is VERSION at the tag v<VERSION> and outside of a git checkout. Elsewhere the
# commit is appended. If the version has not changed, the file keeps its time, so that nothing is compiled again.
#
#   cmake -DSOURCE_DIR=... -DVERSION=0.1.0 -DOUTPUT=... -P WriteVersion.cmake
set(text ${VERSION})
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --tags --exact-match --match v${VERSION}
    OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE untagged)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=9 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE unknown)
  if(untagged AND NOT unknown)
    string(APPEND text "+g${commit}")
  endif()
endif()
set(header "#pragma once\n\ninline constexpr char kVersionText[] = \"${text}\";\n")
set(present "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} present)
endif()
if(NOT present STREQUAL header)
  file(WRITE ${OUTPUT} "${header}")
endif()
