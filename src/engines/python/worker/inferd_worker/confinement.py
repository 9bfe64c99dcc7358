"""Drops rights of a worker before it runs a model's code: ways to more rights, and system calls that no model needs.

The operator can change this with engine parameters (`--engine-parameter python:NAME=VALUE`; models cannot set them):

    operator.user        the user that runs the workers, if the server runs as root
    operator.memory_max  the address space limit of a worker: in bytes, or with suffix K, M or G
    operator.seccomp     `off` allows all system calls
"""

import ctypes
import errno
import os
import platform
import pwd
import resource
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
PR_CAPBSET_READ, PR_CAPBSET_DROP, CAP_SYS_PTRACE = 23, 24, 19
PR_SET_CHILD_SUBREAPER = 36
CAPABILITIES = struct.Struct("=6I")  # effective, permitted and inheritable: of the first 32, then of the others
CAPABILITIES_VERSION = 0x20080522
FILES_MAX = 1 << 16
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

# System calls that fail with EPERM, by the machine's numbers: access to other processes, mounts, namespaces, kernel
# modules and programs, keys, clocks, swap, reboot, ports, and accounting.
DENIED = {
    "x86_64": (0xC000003E, {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "mount": 165, "umount2": 166, "pivot_root": 155,
        "chroot": 161, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
        "mount_setattr": 442, "unshare": 272, "setns": 308, "open_by_handle_at": 304, "bpf": 321, "perf_event_open": 298,
        "userfaultfd": 323, "init_module": 175, "finit_module": 313, "delete_module": 176, "kexec_load": 246, "kexec_file_load": 320,
        "add_key": 248, "request_key": 249, "keyctl": 250, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
        "clock_adjtime": 305, "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173, "acct": 163, "quotactl": 179,
        "syslog": 103, "vhangup": 153, "pidfd_getfd": 438}),
    "aarch64": (0xC00000B7, {
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "mount": 40, "umount2": 39, "pivot_root": 41,
        "chroot": 51, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
        "mount_setattr": 442, "unshare": 97, "setns": 268, "open_by_handle_at": 265, "bpf": 280, "perf_event_open": 241,
        "userfaultfd": 282, "init_module": 105, "finit_module": 273, "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294,
        "add_key": 217, "request_key": 218, "keyctl": 219, "settimeofday": 170, "clock_settime": 112, "adjtimex": 171,
        "clock_adjtime": 266, "swapon": 224, "swapoff": 225, "reboot": 142, "acct": 89, "quotactl": 60, "syslog": 116, "vhangup": 58,
        "pidfd_getfd": 438}),
}

# clone() makes threads and processes, and namespaces with these flags: mounts, control groups, host names, IPC, users,
# processes and the network. clone3() has its flags in memory, where a filter cannot read them: it fails as in a kernel
# without it, so libraries use clone().
CLONE = {"x86_64": 56, "aarch64": 220}
NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
CLONE3 = 435

# Instructions of the kernel's filter programs: (code, jump if true, jump if false, operand).
LOAD_WORD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_IF_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, MACHINE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data
ALLOW, FAIL, NOT_THERE = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
FOREIGN_NUMBERS = 0x40000000  # x32's calls have other numbers


def confine(load):
    """Drops the rights. Call before any thread is started, since threads keep their rights. Raises OSError or
    ValueError if an operator's parameter cannot be honoured."""
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, FILES_MAX)
    if load.parameter("operator.memory_max"):
        limit(resource.RLIMIT_AS, bytes_of(load.parameter("operator.memory_max")))
    library = ctypes.CDLL(None, use_errno=True)
    give_up_looking_into_processes(library)
    if load.parameter("operator.user"):
        become(load.parameter("operator.user"))
    # Processes that the model starts, in whatever way, stay descendants of this process and end with it.
    library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs cannot be set")
    if load.parameter("operator.seccomp") != "off" and not filter_calls(library):
        load.verbose(f"model '{load.name}': the system does not filter the calls of its worker")


def limit(what, most):
    """Lowers a resource limit. A limit that is already lower stays."""
    soft, hard = resource.getrlimit(what)
    lower = [most if value == resource.RLIM_INFINITY else min(value, most) for value in (soft, hard)]
    resource.setrlimit(what, tuple(lower))


def bytes_of(text):
    number, unit = (text[:-1], UNITS[text[-1]]) if text[-1:] in UNITS else (text, 1)
    if not number.isdecimal() or int(number) == 0:
        raise ValueError(f"operator.memory_max is '{text}': bytes are expected, or with K, M or G behind them")
    return int(number) * unit


def give_up_looking_into_processes(library):
    """Drops CAP_SYS_PTRACE, with which workers of root could open the server's memory (/proc/PID/mem)."""
    bounded = library.prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE, 0, 0, 0) != 1
    if not bounded and library.prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0) != 0 and os.geteuid() == 0:
        raise OSError(ctypes.get_errno(), "the right CAP_SYS_PTRACE cannot be given up")
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITIES_VERSION, 0))
    sets = ctypes.create_string_buffer(CAPABILITIES.size)
    if library.capget(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "a worker's rights cannot be read")
    low = [rights & ~(1 << CAP_SYS_PTRACE) for rights in CAPABILITIES.unpack(sets.raw)[:3]]
    sets = ctypes.create_string_buffer(CAPABILITIES.pack(*low, *CAPABILITIES.unpack(sets.raw)[3:]), CAPABILITIES.size)
    if library.capset(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "the right CAP_SYS_PTRACE cannot be given up")


def become(name):
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise ValueError(f"operator.user: there is no user '{name}'") from None
    if os.getuid() == user.pw_uid:
        return
    if os.getuid() != 0:
        raise PermissionError(f"operator.user: the server is not root, and cannot run workers as '{name}'")
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.environ["HOME"] = user.pw_dir


def program(machine):
    """Returns the filter program in the kernel's form."""
    audited, denied = DENIED[machine]
    lines = [(LOAD_WORD, 0, 0, MACHINE_AT), (JUMP_EQUAL, 1, 0, audited), (RETURN, 0, 0, FAIL), (LOAD_WORD, 0, 0, NUMBER_AT)]
    if machine == "x86_64":
        lines += [(JUMP_AT_LEAST, 0, 1, FOREIGN_NUMBERS), (RETURN, 0, 0, FAIL)]
    lines += [(JUMP_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, NOT_THERE)]
    lines += [(JUMP_EQUAL, 0, 4, CLONE[machine]), (LOAD_WORD, 0, 0, FIRST_ARGUMENT_AT), (JUMP_IF_ANY, 0, 1, NEW_NAMESPACES),
              (RETURN, 0, 0, FAIL), (RETURN, 0, 0, ALLOW)]
    for left, number in zip(range(len(denied), 0, -1), denied.values()):
        lines.append((JUMP_EQUAL, left, 0, number))
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, FAIL)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def filter_calls(library):
    """Returns False if this system cannot filter calls."""
    machine = platform.machine()
    if machine not in DENIED:
        return False
    code = program(machine)
    memory = ctypes.create_string_buffer(code, len(code))
    described = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(memory)))
    return library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0) == 0
