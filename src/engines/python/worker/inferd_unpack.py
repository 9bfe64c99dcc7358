"""Unpacks the archive of an environment into a new folder: inferd_unpack.py ARCHIVE FOLDER. Writes an error to
descriptor 3. Never writes outside of the folder, whatever the archive contains."""

import os
import posixpath
import sys
import tarfile

ENTRIES_MAX = 1_000_000
BYTES_MAX = 64 << 30


def check(archive):
    """Returns the entries to unpack. Raises ValueError if the archive is not allowed."""
    links, size, entries = set(), 0, []
    for entry in archive:
        checked_path(entry.name)
        parts = posixpath.normpath(entry.name).split("/")
        if leads_through(links, parts[:-1]):
            raise ValueError(f"Path leads through a symbolic link: '{entry.name}'")
        if entry.issym():
            target = posixpath.normpath(posixpath.join(posixpath.dirname(entry.name), entry.linkname))
            if posixpath.isabs(entry.linkname) or target.split("/")[0] == "..":
                raise ValueError(f"a symbolic link leads out of the archive: '{entry.name}'")
            links.add("/".join(parts))
        elif entry.islnk():
            checked_path(entry.linkname)
            if leads_through(links, posixpath.normpath(entry.linkname).split("/")):
                raise ValueError(f"a link leads through a symbolic link: '{entry.name}'")
        elif not entry.isfile() and not entry.isdir():
            raise ValueError(f"an entry is neither file, folder nor link: '{entry.name}'")
        elif "/".join(parts) in links:
            raise ValueError(f"Path leads through a symbolic link: '{entry.name}'")
        size += entry.size
        entries.append(entry)
        if len(entries) > ENTRIES_MAX or size > BYTES_MAX:
            raise ValueError("it unpacks to more than 1000000 entries or 64 GiB")
    return entries


def leads_through(links, parts):
    return any("/".join(parts[:i + 1]) in links for i in range(len(parts)))


def checked_path(path):
    if posixpath.isabs(path):
        raise ValueError(f"Path is absolute: '{path}'")
    if ".." in path.split("/"):
        raise ValueError(f"Path contains '..': '{path}'")


def main(file, folder):
    with tarfile.open(file) as archive:
        for entry in check(archive):
            entry.mode = (entry.mode & 0o755) | 0o600 | (0o100 if entry.isdir() else 0)
            entry.uid, entry.gid = os.geteuid(), os.getegid()
            archive.extract(entry, folder, set_attrs=True, numeric_owner=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # any error: the server reports it
        os.write(3, str(error).encode()[:4096] or b"?")
