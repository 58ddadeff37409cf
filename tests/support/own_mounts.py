"""Mounts that only the programs of one test see."""

import ctypes
import os
import pathlib
import sys

INSIDE = 'PLIMSOLL_TEST_OWN_MOUNTS'
BIND = 4096  # MS_BIND


def enter(*more):
    """Starts the test again where it may mount, with more options of unshare; goes on when it is there."""
    if INSIDE in os.environ:
        return
    os.environ[INSIDE] = 'yes'
    rights = [] if os.geteuid() == 0 else ['--map-current-user', '--keep-caps']
    # In a root that is no mount of its own (chroot), nothing can be said about all mounts below it.
    has_root = any(line.split()[4] == '/' for line in pathlib.Path('/proc/self/mountinfo').read_text().splitlines())
    propagation = [] if has_root else ['--propagation', 'unchanged']
    os.execvp('unshare', ['unshare', *rights, '--mount', *propagation, *more, '--', sys.executable, *sys.argv])


def mount(source, target, kind='', flags=0, options=''):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(*(str(part).encode() for part in (source, target, kind)), flags, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f'cannot mount {target}')


def unmount(target):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(str(target).encode(), 0) != 0:
        raise OSError(ctypes.get_errno(), f'cannot unmount {target}')
