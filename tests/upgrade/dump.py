"""What make_dump runs inside a throw-away cluster."""
import gzip
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fill import fill  # noqa: E402
from queue_client import connect  # noqa: E402

with connect() as connection:
    connection.execute('select ensure_partitions()')
fill('comparison_key')
text = subprocess.run(['pg_dump', os.environ['PLIMSOLL_TEST_DATABASE_URL']], check=True, capture_output=True).stdout
# pg_dump's key of the day, and nothing else, would differ from one dump to the next.
lines = [line for line in text.splitlines(keepends=True) if not line.startswith((b'\\restrict', b'\\unrestrict'))]
with open(os.environ['PLIMSOLL_UPGRADE_DUMP'], 'wb') as file, gzip.GzipFile(fileobj=file, mode='wb', mtime=0) as packed:
    packed.writelines(lines)
