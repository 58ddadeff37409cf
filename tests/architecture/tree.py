"""The files of the repository that the checks in this folder examine."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked_files():
    """Paths relative to the root of what git tracks, or would track if it were added."""
    listed = subprocess.run(
        ['git', '-C', ROOT, '-c', f'safe.directory={ROOT}', 'ls-files', '-z',
         '--cached', '--others', '--exclude-standard'],
        check=True, capture_output=True, text=True).stdout
    paths = [pathlib.PurePosixPath(name) for name in listed.split('\0') if name]
    return [path for path in paths if (ROOT / path).is_file()]


def text_of(path):
    """The file's text, or None for a binary file."""
    try:
        return (ROOT / path).read_text(encoding='utf-8')
    except UnicodeDecodeError:
        return None
