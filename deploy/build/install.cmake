# What an installation holds, below a prefix: programs in bin, pages and samples in share/plimsoll, completion and manual
# page where shells and man look for them. The wheel, the packages and the image are made from it: see deploy/release.
foreach(program plimsoll plimsoll-hasher plimsoll-engine)
  # Where the wheel puts the libraries that it brings. They find each other by the program's RPATH, not by a RUNPATH.
  set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/plimsoll")
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()
install(TARGETS plimsoll plimsoll-hasher RUNTIME COMPONENT server)
install(TARGETS plimsoll-engine RUNTIME COMPONENT engine)
set_target_properties(plimsoll_library PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_link_options(plimsoll_library PRIVATE -Wl,--disable-new-dtags)
install(TARGETS plimsoll_library LIBRARY DESTINATION lib/plimsoll COMPONENT python)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/web/dist/ DESTINATION share/plimsoll/web COMPONENT server)
install(FILES deploy/samples/headlines.jsonl deploy/samples/european_closes.csv
  DESTINATION share/plimsoll/samples COMPONENT server)
install(CODE [[
  function(written_by file)
    set(file $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/${file})
    get_filename_component(folder ${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/plimsoll ${ARGN}
      OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  written_by(man/man1/plimsoll.1 manual)
  written_by(bash-completion/completions/plimsoll completion bash)
  written_by(zsh/vendor-completions/_plimsoll completion zsh)
  written_by(fish/vendor_completions.d/plimsoll.fish completion fish)
]] COMPONENT server)

# Debian packages: deploy/release/debian/build.
set(debian ${CMAKE_SOURCE_DIR}/deploy/release/debian)
install(FILES ${debian}/plimsoll.service DESTINATION lib/systemd/system COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${debian}/plimsoll-engine.service DESTINATION lib/systemd/system COMPONENT engine EXCLUDE_FROM_ALL)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # packs what is built; tests need not be
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plimsoll)
set(CPACK_PACKAGE_CONTACT "The Plimsoll authors <plimsoll@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL server engine)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/stage.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME plimsoll)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION science)
set(CPACK_COMPONENT_SERVER_DESCRIPTION "How much each GPU can carry, and a queue for batch work
The server with its REST API and web pages, the command line,
 and exact estimates of the memory of training runs.")
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser, tzdata, ca-certificates")
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "postgresql, plimsoll-engine")
set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME plimsoll-engine)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION science)
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "Workers of Plimsoll for the OpenCL devices of a machine
They run what a Plimsoll server queues, on GPUs with their
 vendors' drivers or on the CPU with pocl-opencl-icd.")
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "adduser, plimsoll (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_ENGINE_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
foreach(package SERVER ENGINE)
  set(CPACK_DEBIAN_${package}_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm)
endforeach()
include(CPack)
