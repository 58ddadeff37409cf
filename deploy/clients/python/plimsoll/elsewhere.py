"""The command `plimsoll` where the programs cannot run: it says where they do."""

import platform
import sys


def main():
    libc, version = platform.libc_ver()
    here = f"{platform.system()} {platform.machine()}"
    if platform.system() == "Linux":
        here += f" with {libc} {version}" if libc else " without glibc"
    sys.exit(f"plimsoll: the programs need Linux on x86-64 with glibc 2.35 or newer (Ubuntu 22.04, Debian 12, RHEL 10); "
             f"this is {here}.\nThe Python client works here, with a server elsewhere: pip install 'plimsoll[client]'.")
