"""Starts one command, waits for it, and prints what it took: seconds, user, system, what all processors together were
busy or stolen in that time, peak KiB, own peak KiB, status.

Arguments: folder of a memory group or "", file for standard output, file for standard error, the command. The commands
are started from this small process because between fork and exec a child counts its parent's memory as its own.
"""

import os
import sys
import time


def peak_kib():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    return 0


def busy_s():
    with open("/proc/stat") as stat:
        user, nice, system, _, _, interrupts, soft_interrupts, stolen = map(int, stat.readline().split()[1:9])
    return (user + nice + system + interrupts + soft_interrupts + stolen) / os.sysconf("SC_CLK_TCK")


def main():
    group, out, err = sys.argv[1:4]
    command = sys.argv[4:]
    if group:
        with open(group + "/cgroup.procs", "w") as members:
            members.write(str(os.getpid()))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, out, flags, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, err, flags, 0o644),
    ]
    own = peak_kib()
    busy = busy_s()
    began = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - began
    busy = busy_s() - busy
    code = os.waitstatus_to_exitcode(status)
    print(repr(seconds), usage.ru_utime, usage.ru_stime, busy, usage.ru_maxrss, own, code)


main()
