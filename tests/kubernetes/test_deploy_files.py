"""What of deploy/ no cluster takes: the image's Dockerfile and the dashboards, by tools that know their languages, and against the programs."""

import json
import re
import subprocess

import pytest

from support.deployment import DEPLOY
from support.server import EXAMPLES, PROGRAMS, ROOT, Server

LINTERS = ROOT / "build" / "deps" / "deploy_linters" / "bin"
DOCKERFILE = DEPLOY / "image" / "Dockerfile"
DASHBOARDS = sorted((DEPLOY / "dashboards").glob("*.json"))


def output(*command, stdin=None):
    result = subprocess.run([*map(str, command)], input=stdin, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def test_the_dockerfile_has_no_fault_that_hadolint_knows():
    output(LINTERS / "hadolint", "--no-color", DOCKERFILE)


def test_all_stages_of_the_image_have_a_base_that_is_pinned_by_its_digest():
    text = DOCKERFILE.read_text()
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    bases = [re.sub(r"\$\{(\w+)\}", lambda found: arguments[found[1]], base) for base in re.findall(r"^FROM (\S+)", text, re.MULTILINE)]
    assert len(bases) == 2
    assert all(re.fullmatch(r"debian:bookworm-\S*slim@sha256:[0-9a-f]{64}", base) for base in bases), bases


def packages_of_the_image():
    [words] = re.findall(r"apt-get install -y --no-install-recommends (.*?)&&", DOCKERFILE.read_text().replace("\\\n", " "))
    return set(words.split())


def linked_packages():
    """Of the system's libraries that programs and engines are linked with, themselves or by other libraries."""
    lists = re.findall(r"^ *set\((?:kserve_)?programs ([^)]*)\)$", (ROOT / "src" / "bin" / "CMakeLists.txt").read_text(), re.MULTILINE)
    shipped = " ".join(lists).split()
    assert len(lists) == 2 and len(shipped) >= 7
    files = [*(PROGRAMS / name for name in shipped), *(PROGRAMS.parent / "lib" / "inferd" / "engines").glob("*.so")]
    libraries = set()
    for file in files:
        libraries |= set(re.findall(r"=> ((?:/usr)?/lib/\S+)", output("ldd", file)))  # not what the engines bring
    # Debian 12 lists some under /lib and the others under /usr/lib, which are one folder.
    owners = subprocess.run(["dpkg", "-S", *(form for path in libraries for form in (path, path.removeprefix("/usr"), f"/usr{path}"))],
                            capture_output=True, text=True, timeout=120, check=False).stdout
    owned = {path.removeprefix("/usr"): owner.split(":")[0] for owner, path in re.findall(r"^(\S+?): (/\S+)$", owners, re.MULTILINE)}
    return {owned[path.removeprefix("/usr")] for path in libraries}


def test_the_image_has_the_libraries_that_programs_and_engines_want():
    installed = packages_of_the_image()
    options = [f"--no-{what}" for what in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    closure = set(re.findall(r"^([a-z0-9][\w.+-]*)", output("apt-cache", "depends", "--recurse", *options, *installed), re.MULTILINE))
    linked = linked_packages()
    assert len(linked) > 8
    assert linked <= closure, linked - closure
    # What else the image installs is opened by programs, or by models.
    assert installed - linked == {"ca-certificates", "python3"}


def expressions(dashboard):
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


CHECK = """
import json, sys, promql_parser
for text in json.load(sys.stdin):
    promql_parser.parse(text.replace("$__rate_interval", "5m"))
"""


@pytest.mark.parametrize("file", DASHBOARDS, ids=lambda file: file.stem)
def test_dashboards_ask_in_promql(file):
    dashboard = json.loads(file.read_text())
    assert dashboard["uid"] == file.stem
    output(LINTERS / "python", "-c", CHECK, stdin=json.dumps(expressions(dashboard)))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places) and len({panel["id"] for panel in dashboard["panels"]}) == len(places)


def test_a_question_that_is_no_promql_would_be_found():
    result = subprocess.run([LINTERS / "python", "-c", CHECK], input='["sum by (x (y)"]', capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode != 0 and "unclosed left parenthesis" in result.stderr


def asked_metrics(file):
    dashboard = json.loads(file.read_text())
    variables = [one["query"] for one in dashboard["templating"]["list"]]
    return {name for text in [*expressions(dashboard), *variables] for name in re.findall(r"\b(?:inferd|nv|process)_\w+", text)}


def test_the_servers_dashboard_asks_for_metrics_that_servers_have():
    with Server(EXAMPLES) as server:
        page = server.request("GET", "/metrics")[2].decode()
    there = set(re.findall(r"^(\w+)", page, re.MULTILINE))
    assert asked_metrics(DEPLOY / "dashboards" / "inferd-server.json") <= there
