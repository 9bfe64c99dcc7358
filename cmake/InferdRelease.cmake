# inferd_find_release(NAME HEADER LIBRARY VERSION_HEADER PREFIX FOLDERS root...)
#
# For find modules: finds a library and its headers, which must be of one release. Takes the first root that has include/HEADER and
# lib/LIBRARY. Sets NAME_INCLUDE_DIR, NAME_LIBRARY, NAME_LIBRARY_DIR, NAME_FOUND, and NAME_VERSION, which it reads from lines
# "define PREFIX_MAJOR 1" and so on in VERSION_HEADER.
include(FindPackageHandleStandardArgs)
macro(inferd_find_release name header library version_header prefix)
  find_path(${name}_INCLUDE_DIR ${header} PATHS ${ARGN} PATH_SUFFIXES include NO_DEFAULT_PATH)
  find_file(${name}_LIBRARY ${library} PATHS ${ARGN} PATH_SUFFIXES lib NO_DEFAULT_PATH)
  if(${name}_INCLUDE_DIR)
    file(STRINGS ${${name}_INCLUDE_DIR}/${version_header} ${name}_numbers REGEX "define ${prefix}_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" ${name}_numbers "${${name}_numbers}")
    string(REPLACE ";" "." ${name}_VERSION "${${name}_numbers}")
  endif()
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_LIBRARY ${name}_INCLUDE_DIR VERSION_VAR ${name}_VERSION)
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
  if(${name}_FOUND)
    get_filename_component(${name}_LIBRARY_DIR ${${name}_LIBRARY} DIRECTORY)
  endif()
endmacro()
