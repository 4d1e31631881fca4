# What makes a mistake in our code harder to use, for everything that is built here. The compiler may lack
# one (another machine): then it goes without. Sanitizers bring their own checks, and _FORTIFY_SOURCE needs
# optimisation.
option(CULINK_HARDEN "Stack protectors, checked functions, control-flow protection, early binding" OFF)
if(NOT CULINK_HARDEN OR CULINK_SANITIZE)
  return()
endif()
target_link_options(culink_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
include(CheckCXXCompilerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
        -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "CULINK_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(culink_options INTERFACE ${flag})
  endif()
endforeach()
set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
target_compile_options(culink_options INTERFACE "$<$<NOT:$<CONFIG:Debug>>:${fortify}>")
