"""Runs kubectl for a test."""

import json
import subprocess

from support.server import ROOT

PROGRAM = ROOT / "build" / "deps" / "kubectl" / "kubectl"


class Kubectl:
    """`where` has the options that select the API, such as ["--kubeconfig", file]. `home` is a folder for kubectl's own files."""

    def __init__(self, where, home):
        self._command = [PROGRAM, *where, "--cache-dir", home / "cache"]
        self._environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}

    def run(self, *arguments, text=None):
        return subprocess.run([*self._command, *arguments], input=text, capture_output=True, text=True, timeout=100,
                              check=False, env=self._environment)

    def __call__(self, *arguments, text=None):
        done = self.run(*arguments, text=text)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def fails(self, *arguments, text=None):
        done = self.run(*arguments, text=text)
        assert done.returncode != 0, done.stdout
        return done.stderr

    def json(self, *arguments):
        return json.loads(self("get", *arguments, "-o", "json"))
