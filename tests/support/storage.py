"""Runs inferd-storage-initializer, and checks the files that it leaves."""

import os
import subprocess

from support.server import PROGRAMS

PROGRAM = PROGRAMS / "inferd-storage-initializer"
CLOUD = ("AWS_", "S3_", "awsAnonymous", "GOOGLE_", "AZURE_", "AZ_", "STORAGE_", "HDFS_")


def environment_of(changes=()):
    """Returns this process's environment, without variables for clouds, and with `changes`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(CLOUD)} | dict(changes)


def run(uri, folder, environment=(), timeout=120):
    return subprocess.run([PROGRAM, uri, folder], env=environment_of(environment), capture_output=True, text=True,
                          timeout=timeout)


def download(uri, folder, **options):
    result = run(uri, folder, **options)
    assert result.returncode == 0, result.stderr
    return result


def refused(uri, folder, **options):
    """Runs a download that must fail, and returns the last line of its output."""
    result = run(uri, folder, **options)
    assert result.returncode == 1, result.stderr
    assert not folder.exists() and not list(folder.parent.glob(".inferd*")), "something was left"
    return result.stderr.splitlines()[-1]


def numbered_noise(count):
    """Returns `count` MiB of bytes that do not compress, and of which no two MiB are equal. As quick as a copy, because each process makes
    it that collects the tests."""
    block = os.urandom((1 << 20) - 4)
    return b"".join(number.to_bytes(4) + block for number in range(count))


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
