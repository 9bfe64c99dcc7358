"""The documentation site has no dead link, no orphan page, no page wider than the window and no text that is hard to read, and loads nothing from
elsewhere. Needs tools/install_deps --browser. Screenshots are in build/docs-screenshots afterwards."""

import contextlib
import functools
import html.parser
import http.server
import pathlib
import subprocess
import threading
import urllib.parse

import pytest

from support.chromium import Chromium
from support.server import ROOT

pytestmark = pytest.mark.timeout(900)

SITE = ROOT / "build" / "docs"
SCREENSHOTS = ROOT / "build" / "docs-screenshots"
SHOWN = ["index.html", "getting-started.html", "tutorials/scikit-learn.html", "options.html", "batching.html", "kubernetes.html"]
THEMES = {"light": "default", "dark": "slate"}
SIZES = [(1280, 900), (390, 844)]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
# A link to the outside that a reader follows is no part of the site. These `rel` values of <link> make the browser load something.
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}

# Turns animations off, and defines failures(): the texts with less contrast than WCAG AA demands, each with its contrast.
SCRIPT = """(() => {
  document.head.insertAdjacentHTML("beforeend", "<style>*, *::before, *::after { transition: none !important; animation: none !important }</style>");
  const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  window.failures = () => {
    const found = {};
    for (const element of document.querySelectorAll("body *")) {
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
      const style = getComputedStyle(element);
      if (!element.getClientRects().length || style.visibility !== "visible") continue;
      const backs = [];
      let opacity = 1;
      for (let at = element; at; at = at.parentElement) {
        const its = getComputedStyle(at);
        opacity *= its.opacity;
        backs.push(rgba(its.backgroundColor));
      }
      if (opacity === 0) continue;
      let back = [255, 255, 255, 1];
      for (const each of backs.reverse()) back = over(each, back);
      const [r, g, b, a] = rgba(style.color);
      const lights = [luminance(over([r, g, b, a * opacity], back)), luminance(back)].sort((x, y) => y - x);
      const contrast = (lights[0] + 0.05) / (lights[1] + 0.05);
      const size = parseFloat(style.fontSize);
      const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
      if (contrast < least) found[`${element.tagName}.${element.className} in ${element.parentElement.className}`] = `${contrast.toFixed(2)} ${element.textContent.slice(0, 20)}`;
    }
    return found;
  };
})()"""
WIDE = """[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.tagName + " " + e.textContent.slice(0, 40))"""


class PageReader(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.update(filter(None, (attributes.get("id"), attributes.get("name") if tag == "a" else None)))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in LOADED and attributes.get(LOADED[tag]):
            self.loaded.append(attributes[LOADED[tag]])
        if tag == "link" and LOADED_LINKS & set((attributes.get("rel") or "").split()):
            self.loaded.append(attributes["href"])


@pytest.fixture(scope="module")
def pages():
    subprocess.run([ROOT / "tools" / "docs"], check=True)
    return {file.relative_to(SITE).as_posix(): PageReader(file) for file in sorted(SITE.rglob("*.html")) if file.name != "404.html"}


def target_of(page, link):
    """Returns the path within the site and the anchor that a link leads to, or None if it leads out of the site."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    file = (SITE / page).parent / urllib.parse.unquote(parts.path) if parts.path else SITE / page
    file = pathlib.Path(file).resolve()
    if file.is_dir():
        file /= "index.html"
    return file, urllib.parse.unquote(parts.fragment)


def test_every_link_leads_somewhere(pages):
    dead = []
    for page, reader in pages.items():
        for link in {*reader.links, *reader.loaded}:
            target = target_of(page, link)
            if target is None:
                continue
            file, anchor = target
            other = pages.get(file.relative_to(SITE).as_posix()) if file.is_relative_to(SITE) else None
            if not file.exists() or (anchor and other and anchor not in other.anchors and not anchor.startswith("__")):
                dead.append(f"{page}: {link}")
    assert dead == []


def test_every_page_is_reached_from_the_first(pages):
    reached, left = set(), ["index.html"]
    while left:
        page = left.pop()
        if page in reached or page not in pages:
            continue
        reached.add(page)
        targets = filter(None, (target_of(page, link) for link in pages[page].links))
        left += [file.relative_to(SITE).as_posix() for file, _ in targets if file.is_relative_to(SITE)]
    assert reached == set(pages)


def test_no_page_names_a_file_elsewhere_to_load(pages):
    assert [(page, each) for page, reader in pages.items() for each in reader.loaded if urllib.parse.urlsplit(each).netloc] == []


@contextlib.contextmanager
def served():
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def site(pages):
    with served() as url, Chromium() as browser:
        yield url, browser


def set_theme(browser, scheme):
    browser.evaluate(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")


def test_every_page_fits_and_is_easy_to_read(pages, site):
    url, browser = site
    wide, hard = [], {}
    for page in pages:
        browser.size(*SIZES[0])
        browser.open(url + page)
        browser.evaluate(SCRIPT)
        for theme, scheme in THEMES.items():
            set_theme(browser, scheme)
            for element, contrast in browser.evaluate("failures()").items():
                hard.setdefault(f"{theme}: {element}", f"{page} {contrast}")
        for size in SIZES:
            browser.size(*size)
            if browser.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
                wide.append((page, size, browser.evaluate(WIDE)))
    assert (wide, hard) == ([], {})
    assert [each for each in browser.requested if not each.startswith((url, "data:", "blob:", "about:"))] == []


def test_the_search_finds_a_page(site):
    url, browser = site
    browser.size(*SIZES[0])
    browser.open(url + "index.html")
    browser.evaluate("document.querySelector('label[for=__search], [data-md-component=search] button, button.md-search__button').click()")
    found = browser.evaluate("""(async () => {
      for (let i = 0; i < 300; i++) {
        const roots = [document, ...[...document.querySelectorAll("*")].filter((e) => e.shadowRoot).map((e) => e.shadowRoot)];
        const input = roots.map((root) => root.querySelector("input[type=text], input[type=search], input[role=combobox]")).find((e) => e);
        if (input && !input.value) {
          input.focus();
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "prometheus");
          input.dispatchEvent(new Event("input", {bubbles: true}));
        }
        const links = roots.flatMap((root) => [...root.querySelectorAll("a")]).map((a) => a.href);
        if (links.some((href) => href.includes("monitoring.html") && href.includes("h="))) return links.filter((href) => href.includes("h="));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return [];
    })()""")
    assert any("tutorials/monitoring.html" in link for link in found), found


@pytest.mark.parametrize("theme", THEMES)
def test_the_theme_follows_the_system(site, theme):
    url, browser = site
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.size(*SIZES[0])
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for page in SHOWN:
        browser.open(url + page)
        assert browser.evaluate("document.body.getAttribute('data-md-color-scheme')") == THEMES[theme]
        browser.screenshot(SCREENSHOTS / f"{pathlib.PurePath(page).stem}-{theme}.png")
