"""Which system calls a jailed program may make, and their numbers on the processors that are supported.

Whatever is not named is refused: most calls as not permitted, those of features that programs can do without in the way
that makes them do without. Names are the same on every processor; a processor that lacks one (arm64 has no
``open``, only ``openat``) lacks it in its table.

Source: the kernel's ``asm/unistd_64.h`` (x86_64) and ``asm-generic/unistd.h`` (aarch64).
"""

import errno

__all__ = ["AUDIT_ARCH", "COMMON", "LACKING", "NUMBERS", "PROCESSES", "RESTRICTIONS", "SIGNALS"]

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""``AUDIT_ARCH_*`` of ``linux/audit.h``, by ``os.uname().machine``."""

COMMON = (
    "accept4 access alarm arch_prctl brk capget chdir chmod chown clock_getres clock_gettime clock_nanosleep close "
    "close_range copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 "
    "epoll_wait eventfd eventfd2 exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat "
    "fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futex "
    "futex_waitv futimesat get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups "
    "getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit "
    "getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr lchown lgetxattr link linkat "
    "listxattr llistxattr lseek lstat madvise membarrier mincore mkdir mkdirat mlock mlock2 mmap mprotect mremap "
    "msync munlock munmap nanosleep newfstatat open openat openat2 pause pipe pipe2 poll ppoll pread64 preadv "
    "preadv2 pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg "
    "rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn "
    "rt_sigsuspend rt_sigtimedwait sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam "
    "sched_getscheduler sched_rr_get_interval sched_setaffinity sched_yield select sendfile sendmmsg sendmsg sendto "
    "set_robust_list set_tid_address setitimer setpriority setrlimit setsockopt shutdown sigaltstack signalfd "
    "signalfd4 splice stat statfs statx symlink symlinkat sync_file_range sysinfo tee time timer_create "
    "timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times "
    "truncate umask uname unlink unlinkat utime utimensat utimes vmsplice wait4 waitid write writev "
)
"""Files, memory, threads and time: allowed to every program, whatever the arguments."""

PROCESSES = (
    "accept bind connect execve execveat fork inotify_add_watch inotify_init inotify_init1 inotify_rm_watch listen "
    "mknod mknodat pidfd_open setgid setpgid setregid setresgid setresuid setreuid setsid setuid sync syncfs vfork "
)
"""Allowed in addition in the profile that may start processes.

Whoever has no capability can only become who it is already; ``make`` does that for each command that it starts.
"""

SIGNALS = "kill pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo tgkill tkill"
"""Allowed if the kernel keeps a program from signalling anything outside of its jail."""

RESTRICTIONS = "landlock_add_rule landlock_create_ruleset landlock_restrict_self"
"""Allowed in sessions that can be forked: what a process can do with them is to give up more."""

_X86_64 = (
    "accept4=288 accept=43 access=21 alarm=37 arch_prctl=158 bind=49 brk=12 capget=125 chdir=80 chmod=90 chown=92 "
    "clock_getres=229 clock_gettime=228 clock_nanosleep=230 clone3=435 clone=56 close=3 close_range=436 connect=42 "
    "copy_file_range=326 creat=85 dup2=33 dup3=292 dup=32 epoll_create1=291 epoll_create=213 epoll_ctl=233 "
    "epoll_pwait2=441 epoll_pwait=281 epoll_wait=232 eventfd2=290 eventfd=284 execve=59 execveat=322 exit=60 "
    "exit_group=231 faccessat2=439 faccessat=269 fadvise64=221 fallocate=285 fchdir=81 fchmod=91 fchmodat2=452 "
    "fchmodat=268 fchown=93 fchownat=260 fcntl=72 fdatasync=75 fgetxattr=193 flistxattr=196 flock=73 fork=57 fstat=5 "
    "fstatfs=138 fsync=74 ftruncate=77 futex=202 futex_waitv=449 futimesat=261 get_robust_list=274 getcpu=309 "
    "getcwd=79 getdents64=217 getdents=78 getegid=108 geteuid=107 getgid=104 getgroups=115 getitimer=36 "
    "getpeername=52 getpgid=121 getpgrp=111 getpid=39 getppid=110 getpriority=140 getrandom=318 getresgid=120 "
    "getresuid=118 getrlimit=97 getrusage=98 getsid=124 getsockname=51 getsockopt=55 gettid=186 gettimeofday=96 "
    "getuid=102 getxattr=191 inotify_add_watch=254 inotify_init1=294 inotify_init=253 inotify_rm_watch=255 ioctl=16 "
    "kill=62 landlock_add_rule=445 landlock_create_ruleset=444 landlock_restrict_self=446 lchown=94 lgetxattr=192 "
    "link=86 linkat=265 listen=50 listxattr=194 llistxattr=195 lseek=8 lstat=6 madvise=28 membarrier=324 mincore=27 "
    "mkdir=83 mkdirat=258 mknod=133 mknodat=259 mlock2=325 mlock=149 mmap=9 mprotect=10 mremap=25 msync=26 "
    "munlock=150 munmap=11 nanosleep=35 newfstatat=262 open=2 openat2=437 openat=257 pause=34 pidfd_open=434 "
    "pidfd_send_signal=424 pipe2=293 pipe=22 poll=7 ppoll=271 prctl=157 pread64=17 preadv2=327 preadv=295 "
    "prlimit64=302 pselect6=270 pwrite64=18 pwritev2=328 pwritev=296 read=0 readahead=187 readlink=89 readlinkat=267 "
    "readv=19 recvfrom=45 recvmmsg=299 recvmsg=47 rename=82 renameat2=316 renameat=264 restart_syscall=219 rmdir=84 "
    "rseq=334 rt_sigaction=13 rt_sigpending=127 rt_sigprocmask=14 rt_sigqueueinfo=129 rt_sigreturn=15 "
    "rt_sigsuspend=130 rt_sigtimedwait=128 rt_tgsigqueueinfo=297 sched_get_priority_max=146 "
    "sched_get_priority_min=147 sched_getaffinity=204 sched_getparam=143 sched_getscheduler=145 "
    "sched_rr_get_interval=148 sched_setaffinity=203 sched_yield=24 select=23 setuid=105 "
    "setgid=106 setreuid=113 setregid=114 setresuid=117 setresgid=119 sendfile=40 sendmmsg=307 sendmsg=46 "
    "sendto=44 set_robust_list=273 set_tid_address=218 setitimer=38 setpgid=109 setpriority=141 setrlimit=160 "
    "setsid=112 setsockopt=54 shutdown=48 sigaltstack=131 signalfd4=289 signalfd=282 socket=41 socketpair=53 "
    "splice=275 stat=4 statfs=137 statx=332 symlink=88 symlinkat=266 sync=162 sync_file_range=277 syncfs=306 "
    "sysinfo=99 tee=276 tgkill=234 time=201 timer_create=222 timer_delete=226 timer_getoverrun=225 timer_gettime=224 "
    "timer_settime=223 timerfd_create=283 timerfd_gettime=287 timerfd_settime=286 times=100 tkill=200 truncate=76 "
    "umask=95 uname=63 unlink=87 unlinkat=263 utime=132 utimensat=280 utimes=235 vfork=58 vmsplice=278 wait4=61 "
    "waitid=247 write=1 writev=20 "
)
_AARCH64 = (
    "accept4=242 accept=202 bind=200 brk=214 capget=90 chdir=49 clock_getres=114 clock_gettime=113 "
    "clock_nanosleep=115 clone3=435 clone=220 close=57 close_range=436 connect=203 copy_file_range=285 dup3=24 dup=23 "
    "epoll_create1=20 epoll_ctl=21 epoll_pwait2=441 epoll_pwait=22 eventfd2=19 execve=221 execveat=281 exit=93 "
    "exit_group=94 faccessat2=439 faccessat=48 fadvise64=223 fallocate=47 fchdir=50 fchmod=52 fchmodat2=452 "
    "fchmodat=53 fchown=55 fchownat=54 fcntl=25 fdatasync=83 fgetxattr=10 flistxattr=13 flock=32 fstat=80 fstatfs=44 "
    "fsync=82 ftruncate=46 futex=98 futex_waitv=449 get_robust_list=100 getcpu=168 getcwd=17 getdents64=61 "
    "getegid=177 geteuid=175 getgid=176 getgroups=158 getitimer=102 getpeername=205 getpgid=155 getpid=172 "
    "getppid=173 getpriority=141 getrandom=278 getresgid=150 getresuid=148 getrlimit=163 getrusage=165 getsid=156 "
    "getsockname=204 getsockopt=209 gettid=178 gettimeofday=169 getuid=174 getxattr=8 inotify_add_watch=27 "
    "inotify_init1=26 inotify_rm_watch=28 ioctl=29 kill=129 landlock_add_rule=445 landlock_create_ruleset=444 "
    "landlock_restrict_self=446 lgetxattr=9 linkat=37 listen=201 listxattr=11 llistxattr=12 lseek=62 madvise=233 "
    "membarrier=283 mincore=232 mkdirat=34 mknodat=33 mlock2=284 mlock=228 mmap=222 mprotect=226 mremap=216 msync=227 "
    "munlock=229 munmap=215 nanosleep=101 newfstatat=79 openat2=437 openat=56 pidfd_open=434 pidfd_send_signal=424 "
    "pipe2=59 ppoll=73 prctl=167 pread64=67 preadv2=286 preadv=69 prlimit64=261 pselect6=72 pwrite64=68 pwritev2=287 "
    "pwritev=70 read=63 readahead=213 readlinkat=78 readv=65 recvfrom=207 recvmmsg=243 recvmsg=212 renameat2=276 "
    "renameat=38 restart_syscall=128 rseq=293 rt_sigaction=134 rt_sigpending=136 rt_sigprocmask=135 "
    "rt_sigqueueinfo=138 rt_sigreturn=139 rt_sigsuspend=133 rt_sigtimedwait=137 rt_tgsigqueueinfo=240 "
    "sched_get_priority_max=125 sched_get_priority_min=126 sched_getaffinity=123 sched_getparam=121 "
    "sched_getscheduler=120 sched_rr_get_interval=127 sched_setaffinity=122 sched_yield=124 setregid=143 "
    "setgid=144 setreuid=145 setuid=146 setresuid=147 setresgid=149 sendfile=71 sendmmsg=269 "
    "sendmsg=211 sendto=206 set_robust_list=99 set_tid_address=96 setitimer=103 setpgid=154 setpriority=140 "
    "setrlimit=164 setsid=157 setsockopt=208 shutdown=210 sigaltstack=132 signalfd4=74 socket=198 socketpair=199 "
    "splice=76 statfs=43 statx=291 symlinkat=36 sync=81 sync_file_range=84 syncfs=267 sysinfo=179 tee=77 tgkill=131 "
    "timer_create=107 timer_delete=111 timer_getoverrun=109 timer_gettime=108 timer_settime=110 timerfd_create=85 "
    "timerfd_gettime=87 timerfd_settime=86 times=153 tkill=130 truncate=45 umask=166 uname=160 unlinkat=35 "
    "utimensat=88 vmsplice=75 wait4=260 waitid=95 write=64 writev=66 "
)
NUMBERS = {
    machine: {name: int(number) for name, number in (pair.split("=") for pair in table.split())}
    for machine, table in (("x86_64", _X86_64), ("aarch64", _AARCH64))
}
"""System call numbers by name, by ``os.uname().machine``."""

LACKING = {
    "x86_64": {
        errno.ENOTSUP: "188-190 197-199",
        errno.ENOSYS: "29-31 64-71 220 237-245 256 279 303 319 323 329-331 425-427 447 451 453-462",
    },
    "aarch64": {
        errno.ENOTSUP: "5-7 14-16",
        errno.ENOSYS: "180-197 235-239 264 279 282 288-290 425-427 447 451 453-462",
    },
}
"""Numbers of calls that answer as a file system or a kernel without the feature would, by that answer.

Programs that set extended attributes (``cp -p``, ``install``, ``sed -i``) take ENOTSUP for "there are none here", and
EPERM for a failure. ENOSYS: message queues, semaphores and memory of System V and POSIX queues, memory policies,
``name_to_handle_at``, ``memfd_create``, ``userfaultfd``, protection keys, ``io_uring``, and what came after Linux 6.5.
"""
