#!/usr/bin/env python3
"""tools/install_deps, the functions of tools/pinned.sh, and the installers of clients, with an apt, a pip, an npm and a Maven that only say something."""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ROOT / "tools" / "packages"

APT = r"""#!/bin/bash
echo "$*" >> "$FAKE/apt.calls"
case "$*" in
  *" update"*) cat "$FAKE/update" 2> /dev/null; exit 0 ;;
  *--assume-no*) printf '%s\n' '0 upgraded, 3 newly installed, 0 to remove and 0 not upgraded.' 'Need to get 1,234 kB of archives.' \
    'After this operation, 2,345 MB of additional disk space will be used.'; exit 1 ;;
esac
if [ -e "$FAKE/locked" ]; then rm "$FAKE/locked"; echo 'E: Could not get lock /var/lib/dpkg/lock-frontend.'; exit 100; fi
printf '%s\n' dlstatus:1:20.5:Retrieving dlstatus:1:100:Retrieving pmstatus:libc6:amd64:50.0:Unpacking pmstatus:g++:100:Installed >&8
cat "$FAKE/install" 2> /dev/null
exit "$(cat "$FAKE/status" 2> /dev/null || echo 0)"
"""


def names(*lists):
    return [line for name in lists for line in (LISTS / f"{name}.txt").read_text().splitlines() if line and not line.startswith("#")]


class Installation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        shutil.copytree(LISTS, self.tree / "tools" / "packages")
        for tool in ("install_deps", "install_packages", "install_javascript_client", "install_java_client", "pinned.sh", "report.sh"):
            shutil.copy(ROOT / "tools" / tool, self.tree / "tools" / tool)
        # Each report is a line.
        with (self.tree / "tools" / "report.sh").open("a") as script:
            script.write("show_report() { echo \"$report_text\" >> \"$FAKE/reports\"; }\n")
        self.executable(self.tree / "tools" / "install_onnxruntime", '#!/bin/sh\necho onnxruntime >> "$FAKE/installed"\n')
        self.programs = self.folder / "bin"
        self.path = f"{self.programs}:/usr/bin:/bin"
        self.executable(self.programs / "apt-get", APT)
        self.executable(self.programs / "dpkg", "#!/bin/sh\necho amd64\n")
        self.executable(self.programs / "dpkg-query", '#!/bin/sh\ncat "$FAKE/there" 2> /dev/null\n')
        self.executable(self.programs / "id", "#!/bin/sh\necho 0\n")
        self.free(100000)
        (self.folder / "os-release").write_text('ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')

    def executable(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def free(self, megabytes):
        self.executable(self.programs / "df", f"#!/bin/sh\necho head\necho /dev/a 1 2 {megabytes} 3 /\n")

    def there(self, packages):
        (self.folder / "there").write_text("".join(f"{name} installed\n" for name in packages))

    def run_tool(self, *command):
        environment = {**os.environ, "PATH": self.path, "FAKE": str(self.folder), "INFERD_OS_RELEASE": str(self.folder / "os-release")}
        environment.pop("INFERD_REPORT", None)
        done = subprocess.run([self.tree / "tools" / command[0], *command[1:]], env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def asked(self):
        """The packages of each call of apt-get that installs."""
        calls = (self.folder / "apt.calls").read_text().splitlines() if (self.folder / "apt.calls").exists() else []
        return [[word for word in call.split("--no-install-recommends")[1].split() if not word.startswith(("-", "APT::"))]
                for call in calls if " -y " in call]

    def reports(self):
        return (self.folder / "reports").read_text().splitlines()

    def test_only_the_packages_of_the_build(self):
        self.there(names("build")[3:])
        status, output, errors = self.run_tool("install_deps")
        self.assertEqual((status, errors), (0, ""), output)
        self.assertEqual(self.asked(), [names("build")[:3]])
        self.assertEqual((self.folder / "installed").read_text(), "onnxruntime\n")

    def test_the_packages_of_parts(self):
        self.there(names("build"))
        for options, more in ((["--kserve"], names("kserve")), (["--engine", "python"], names("python")), (["--engine", "forest"], []),
                              (["--check"], names("kserve", "python", "torch_tools", "check"))):
            (self.folder / "apt.calls").unlink(missing_ok=True)
            status, _, errors = self.run_tool("install_deps", *options)
            self.assertEqual((status, errors), (0, ""))
            self.assertEqual(self.asked(), [more] if more else [], options)
        self.executable(self.tree / "tools" / "install_onnxruntime", "#!/bin/sh\nexit 1\n")
        for option in ("javascript", "java"):  # these alone
            (self.folder / "apt.calls").unlink(missing_ok=True)
            self.assertEqual(self.run_tool("install_deps", f"--{option}")[0], 0)
            self.assertEqual(self.asked(), [names(option)])
        self.assertFalse(set(names("build")) & set(names("kserve", "python", "check")), "each package is in one list")

    def test_nothing_to_do_asks_no_server(self):
        self.there(names("build"))
        status, output, _ = self.run_tool("install_deps")
        self.assertEqual(status, 0)
        self.assertIn("are there", output)
        self.assertFalse((self.folder / "apt.calls").exists())

    def test_the_progress(self):
        self.assertEqual(self.run_tool("install_deps")[0], 0)
        self.assertEqual(self.reports(), ["asking Debian's package server", "20 %  downloading 3 Debian packages (2 MB)",
                                          "100 %  downloading 3 Debian packages (2 MB)", "50 %  installing 3 Debian packages",
                                          "100 %  installing 3 Debian packages"])

    def test_another_program_that_installs(self):
        (self.folder / "locked").touch()
        self.assertEqual(self.run_tool("install_deps")[0], 0)
        self.assertIn("waiting for another program that installs Debian packages", self.reports())
        self.assertEqual(len(self.asked()), 2)

    def fails(self, *words, tool=("install_deps",)):
        status, _, errors = self.run_tool(*tool)
        self.assertEqual(status, 1)
        for word in words:
            self.assertIn(word, errors)

    def test_without_root(self):
        self.executable(self.programs / "id", "#!/bin/sh\necho 1000\n")
        self.there(names("build")[2:])
        self.fails(f"needs root. Run\n  sudo apt-get install --no-install-recommends {' '.join(names('build')[:2])}\nthen start this again.")
        self.assertFalse((self.folder / "apt.calls").exists())

    def test_without_a_network(self):
        (self.folder / "install").write_text("Err:1 http://deb.debian.org/debian bookworm/main amd64 g++\n  Temporary failure resolving 'deb.debian.org'\n")
        (self.folder / "status").write_text("100")
        self.fails("Debian's package server did not answer. Check the network, then start this again. Behind a proxy, set http_proxy.")

    def test_without_space(self):
        self.free(100)
        self.fails("installing 3 Debian packages needs 2346 MB of free space on the file system of /usr, which has 100 MB. Free some space")
        self.free(100000)
        (self.folder / "install").write_text("dpkg: error: failed to write (No space left on device)\n")
        (self.folder / "status").write_text("100")
        self.fails("no space is left for Debian packages. Free some space")

    def test_another_distribution(self):
        (self.folder / "os-release").write_text('ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04 LTS"\n')
        self.fails("this machine runs Ubuntu 24.04 LTS, and packages are installed on Debian 12 only", "debian:12 ./quickstart", "tools/packages/build.txt")
        self.there(names("build"))
        self.assertEqual(self.run_tool("install_deps")[0], 0, "its packages may have the same names")

    def test_another_architecture(self):
        self.executable(self.programs / "dpkg", "#!/bin/sh\necho arm64\n")
        self.fails("this machine is arm64, and inferd runs on amd64 only", "docker run", "--platform linux/amd64")

    def test_without_apt(self):
        for name in ("apt-get", "dpkg-query"):
            (self.programs / name).unlink()
        for name in ("bash", "dirname", "id", "sed", "tr", "env"):
            if not (self.programs / name).exists():
                (self.programs / name).symlink_to(shutil.which(name))
        (self.folder / "os-release").write_text('ID=fedora\nVERSION_ID=42\nPRETTY_NAME="Fedora Linux 42"\n')
        self.path = str(self.programs)
        self.fails("this machine runs Fedora Linux 42, and packages are installed on Debian 12 only", "docker run")

    def pip(self, text):
        self.executable(self.tree / "build" / "deps" / "some.pip", f"#!/bin/bash\n{text}\n")
        (self.tree / "tools" / "some").write_text(f"""#!/bin/bash
set -euo pipefail
root={self.tree}
. "$root/tools/pinned.sh"
run_pip "$deps/some.pip" "$deps/some" 10 'downloading some' download some
""")
        (self.tree / "tools" / "some").chmod(0o755)

    def test_downloads_show_how_far_they_are(self):
        self.pip('head -c 4000000 /dev/zero > "$TMPDIR/one"; until grep -q "40 %" "$FAKE/reports"; do sleep 0.1; done')
        self.assertEqual(self.run_tool("some")[0], 0)
        self.assertIn("40 %  downloading some: 4 of 10 MB", self.reports())
        self.assertFalse((self.tree / "build/deps/some/partial").exists())

    def test_downloads_that_fail(self):
        for said, words in (("NewConnectionError: Failed to establish a new connection", "the Python package index did not answer. Check the network"),
                            ("OSError: [Errno 28] No space left on device", "no space is left on the file system of"),
                            ("a hash differs", "downloading some: pip failed, see above")):
            self.pip(f"echo '{said}' >&2; exit 1")
            self.fails(said, words, tool=("some",))
        self.free(9)
        self.fails("downloading some needs 10 MB of free space", tool=("some",))

    def client(self, language, **files):
        """Pins a client's files, and returns the folder of what its installer brings."""
        folder = self.tree / "tests" / "clients" / language
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("_json", ".json").replace("_txt", ".txt").replace("_lock", "-lock")).write_text(text)
        return self.tree / "build" / "deps" / language

    def test_the_javascript_client(self):
        home = self.client("javascript", package_json="{}", package_lock_json="1")
        self.executable(self.programs / "node", "#!/bin/sh\n")
        npm = '#!/bin/sh\necho "$*" >> "$FAKE/npm.calls"; mkdir node_modules; exit "$(cat "$FAKE/status" 2> /dev/null || echo 0)"\n'
        self.executable(self.programs / "npm", npm)
        (self.folder / "status").write_text("1\n")
        self.fails("npm failed", "https_proxy", tool=("install_javascript_client",))
        (self.folder / "status").unlink()
        for said in ("installed into build/deps/javascript", "are there"):
            status, output, errors = self.run_tool("install_javascript_client")
            self.assertEqual((status, errors), (0, ""))
            self.assertIn(said, output)
        self.assertTrue((home / "node_modules").is_dir())
        self.assertEqual([call.split()[0] for call in (self.folder / "npm.calls").read_text().splitlines()], ["ci", "ci"])
        self.client("javascript", package_lock_json="2")
        self.assertIn("installed into", self.run_tool("install_javascript_client")[1])

    def test_the_java_client(self):
        digest = hashlib.sha256(b"a jar\n").hexdigest()
        home = self.client("java", packages_txt=f"# files\n{digest}  a.exe\n")
        self.executable(self.programs / "javac", "#!/bin/sh\n")
        self.executable(self.programs / "mvn", r"""#!/bin/bash
for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#*=} ;; -Dmaven.repo.local=*) mkdir -p "${word#*=}" ;; esac; done
cat "$FAKE/jar" > "$out/a.exe"
""")
        (self.folder / "jar").write_text("another jar\n")
        self.fails("not the files that were pinned", tool=("install_java_client",))
        self.assertFalse(home.exists())
        (self.folder / "jar").write_text("a jar\n")
        for said in ("installed into build/deps/java", "are there"):
            status, output, errors = self.run_tool("install_java_client")
            self.assertEqual((status, errors), (0, ""))
            self.assertIn(said, output)
        self.assertEqual(sorted(path.name for path in home.rglob("*")), ["a.exe", "lib", "pinned"])
        self.client("java", packages_txt=f"{digest}  a.exe\n{digest}  b.jar\n")
        self.fails("Maven brought other files", tool=("install_java_client",))

    def test_two_installers_wait_for_each_other(self):
        (self.tree / "build" / "deps" / "some").mkdir(parents=True)
        (self.tree / "pins").write_text("a==1\n")
        (self.tree / "build" / "deps" / "some" / "pinned").write_text("a==1\n")
        with open(self.tree / "build" / "deps" / "some.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with subprocess.Popen([self.tree / "tools" / "install_packages", "some", "pins"], env={**os.environ, "FAKE": str(self.folder)},
                                  stdout=subprocess.PIPE, text=True) as second:
                while not (self.folder / "reports").exists():
                    self.assertIsNone(second.poll())
                self.assertIn("waiting for another process of this tree", self.reports()[0])
                fcntl.flock(lock, fcntl.LOCK_UN)
                self.assertIn("are there", second.stdout.read())


if __name__ == "__main__":
    unittest.main()
