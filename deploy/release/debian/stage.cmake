# Before CPack packs what was installed: programs find Debian's libraries without an RPATH, manual pages are compressed,
# and every package says whose it is. Times are the release's, so that two builds are equal.
set(source ${CMAKE_CURRENT_LIST_DIR}/../../..)
foreach(component server engine)
  string(TOUPPER ${component} upper)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  file(GLOB programs ${usr}/bin/*)
  foreach(program ${programs})
    file(RPATH_REMOVE FILE ${program})
  endforeach()
  set(documents ${usr}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(READ ${source}/NOTICE notice)
  file(WRITE ${documents}/copyright "Plimsoll, https://plimsoll.example.org

Files: *
Copyright: 2026 the Plimsoll authors
License: Apache-2.0
 On Debian systems, the text of the licence is in /usr/share/common-licenses/Apache-2.0.

${notice}")
  file(WRITE ${documents}/changelog.Debian "plimsoll (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  Sat, 28 Nov 2026 12:00:00 +0000
")
  file(GLOB texts ${documents}/changelog.Debian ${usr}/share/man/man1/*)
  execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${usr} -exec touch -hd @$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
