# Read by cpack for each kind of package: packages for a system have their files under /usr, an archive has
# them under the folder that it is unpacked to.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
endif()
