# Moves the debug symbols of an installed file into .debug/NAME.debug in the file's folder, where debuggers look for
# them. Run by `cmake --install`, with `file` (an absolute path, before DESTDIR), `objcopy` and `strip` set.
cmake_policy(VERSION 3.25)

set(installed "$ENV{DESTDIR}${file}")
get_filename_component(folder "${installed}" DIRECTORY)
get_filename_component(name "${installed}" NAME)
set(symbols "${folder}/.debug/${name}.debug")
file(MAKE_DIRECTORY "${folder}/.debug")
execute_process(COMMAND "${objcopy}" --only-keep-debug "${installed}" "${symbols}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${strip}" --strip-unneeded "${installed}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${objcopy}" "--add-gnu-debuglink=${symbols}" "${installed}" COMMAND_ERROR_IS_FATAL ANY)
