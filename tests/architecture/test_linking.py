"""What the built programs load at run time, directly or through other libraries."""
import os
import subprocess
import unittest

BIN = os.environ['PLIMSOLL_BIN']


def libraries(program):
    listed = subprocess.run(['ldd', f'{BIN}/{program}'], check=True, capture_output=True, text=True)
    return [line.split()[0] for line in listed.stdout.splitlines()]


class Linking(unittest.TestCase):
    def assert_loads_none_of(self, program, unwanted):
        loaded = libraries(program)
        self.assertTrue(any(name.startswith('libstdc++') for name in loaded), loaded)
        self.assertFalse([name for name in loaded if any(word in name.lower() for word in unwanted)])

    def test_the_server_loads_no_driver(self):
        # A device driver that crashes or hangs must take a worker down, never the server.
        self.assert_loads_none_of('plimsoll', ['opencl', 'pocl', 'cuda', 'llvm'])

    def test_nothing_speaks_grpc(self):
        for program in ['plimsoll', 'plimsoll-engine']:
            self.assert_loads_none_of(program, ['grpc', 'protobuf'])

    def test_the_engine_loads_opencl(self):
        # The control: were the check above blind, this would fail.
        self.assertTrue(any('OpenCL' in name for name in libraries('plimsoll-engine')))


if __name__ == '__main__':
    unittest.main()
