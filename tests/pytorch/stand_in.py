"""A device for PyTorch's autograd engine, which asks the CUDA runtime for one before it runs a backward pass.

The program restarts itself with a few of the runtime's functions replaced: there is one device, its streams are never
captured, and it has no context. Nothing is computed on it; fake tensors have no memory.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RUNTIME = '''
int cudaGetDeviceCount(int* count) { *count = 1; return 0; }
int cudaGetDevice(int* device) { *device = 0; return 0; }
int cudaSetDevice(int device) { return device; }
int cudaStreamIsCapturing(void* stream, int* captures) { *captures = stream != stream; return 0; }
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) { return *least = *greatest = 0; }
int cudaGetLastError(void) { return 0; }
'''
DRIVER = '''
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    *flags = 0;
    *active = 0;
    return device;
}
'''


def build(folder):
    torch = pathlib.Path(importlib.util.find_spec('torch').submodule_search_locations[0])
    symbols = subprocess.run(['nm', '-D', '--undefined-only', torch / 'lib/libcaffe2_nvrtc.so'], check=True,
                             capture_output=True, text=True).stdout
    wanted = sorted(set(re.findall(r' (cu[A-Z]\w+)', symbols)) - {'cuDevicePrimaryCtxGetState'})
    for name, flags, source in [('libstand_in.so', [], RUNTIME),
                                ('libcuda.so.1', ['-Wl,-soname,libcuda.so.1'],
                                 DRIVER + ''.join(f'int {symbol}(void) {{ return 0; }}\n' for symbol in wanted))]:
        subprocess.run(['cc', '-shared', '-fPIC', *flags, '-x', 'c', '-', '-o', folder / name], check=True,
                       input=source, text=True)


def start_again():
    """Returns in the process that has the device. To be called before torch is imported."""
    if 'PLIMSOLL_STAND_IN' in os.environ:
        import torch
        torch.cuda.is_available = lambda: False  # libraries would ask more of it than there is
        torch.cuda.device_count = lambda: 0
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder)
        environment = {**os.environ, 'PLIMSOLL_STAND_IN': '1', 'PYTORCH_JIT': '0', 'LD_PRELOAD': str(folder / 'libstand_in.so'),
                       'LD_LIBRARY_PATH': f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)
