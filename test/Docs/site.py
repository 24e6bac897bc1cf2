# Builds the site and tests it in a browser: every page of the navigation, anchors, the search, on
# wide and on narrow screens, without requests to any other host.
# REQUIRES: full
# RUN: %src_root/scripts/build-docs.sh --no-setup > %t.log 2>&1
# RUN: %src_root/scripts/setup.sh --browser >> %t.log
# RUN: %src_root/build/docs/browser/bin/python %s %src_root/build/docs/site %results/site.json
import functools
import http.server
import json
import pathlib
import re
import sys
import threading
import time

from playwright.sync_api import sync_playwright

site, record = map(pathlib.Path, sys.argv[1:])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


handler = functools.partial(Quiet, directory=site)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
home = f"http://127.0.0.1:{server.server_address[1]}/"


def watch(page, problems):
    page.on("console", lambda m: m.type == "error" and problems.append(f"{page.url}: {m.text}"))
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    # Pending requests are cancelled when the page is left.
    page.on(
        "requestfailed",
        lambda request: (
            request.failure == "net::ERR_ABORTED" or problems.append(f"no {request.url}")
        ),
    )
    page.on("response", lambda r: r.status >= 400 and problems.append(f"{r.status} {r.url}"))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((home, "data:", "blob:"))
            or problems.append(f"{page.url} asks for {request.url}")
        ),
    )


def search(page, words):
    """The titles of the search results. The first one is followed."""
    page.locator("input.md-search__input").press_sequentially(words, delay=20)
    results = page.locator("a.md-search-result__link")
    results.first.wait_for()
    # Each letter triggers a search.
    titles, before = [], None
    while titles != before:
        before = titles
        page.wait_for_timeout(500)
        titles = [text.strip().split("\n")[0] for text in results.all_inner_strings()]
    results.first.click()
    page.wait_for_url(re.compile("[?&]h="))
    # Matches are highlighted. Words in several parts are not.
    if re.search("[?&]h=.", page.url):
        page.locator("article mark").first.wait_for(state="attached")
    return titles


problems, found = [], {}
with sync_playwright() as playwright:
    # The system's browser, which may run as root and in a container.
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
    )
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(30000)
    watch(page, problems)

    page.goto(home + "index.html")
    assert page.title() == "quant-float", page.title()
    addresses = page.eval_on_selector_all(
        "nav.md-nav--primary a.md-nav__link[href]", "links => links.map(link => link.href)"
    )
    addresses = sorted({address.split("#")[0] for address in addresses})
    assert len(addresses) >= 25, addresses
    titles = {}
    for address in addresses:
        page.goto(address)
        heading = page.locator("article h1").first.inner_text()
        titles[address.removeprefix(home)] = heading.rstrip("¶")
        # A code block or a list that is not recognized would show its markup.
        text = page.locator("article").evaluate(
            "a => { const c = a.cloneNode(true); c.querySelectorAll('pre, code').forEach(e => e.remove()); return c.textContent }"
        )
        for mark in ("```", "](", "| ---", "[TOC]", ":::", ":func:", "<!--"):
            if mark in text:
                problems.append(f"{address} shows '{mark}'")
        lists = page.locator("article p").filter(has_text=re.compile(r"\n- ")).count()
        if lists:
            problems.append(f"{address} shows {lists} lists as text")
    assert len(set(titles.values())) == len(titles), titles
    found["pages"] = len(titles)

    # MLIR code is highlighted. The switch changes from the system's choice to light and to dark,
    # and the pictures with it.
    page.goto(home + "index.html")
    assert page.locator(".highlight code .kt").count() >= 20
    inks = {}
    for scheme in ("default", "slate"):
        page.locator("form[data-md-component=palette] label:not([hidden])").click()
        page.locator(f"body[data-md-color-scheme={scheme}]").wait_for()
        inks[scheme] = page.locator("svg.qf text").first.evaluate("e => getComputedStyle(e).fill")
    assert inks["default"] != inks["slate"], inks

    # Wide tables are fully visible, or scroll within the page.
    page.goto(home + "reference/support.html")
    cut = page.locator(".md-typeset__scrollwrap").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth && e.offsetWidth > 0).length"
    )
    assert cut == 0, cut

    # Follows the navigation to a page, and then to a heading.
    page.goto(home + "index.html")
    page.locator("nav.md-nav--primary >> text=The dialect").first.click()
    page.wait_for_url("**/reference/dialect.html")
    page.locator(".md-sidebar--secondary >> text=quant_float.qdq").first.click()
    page.wait_for_url(re.compile("#quant_floatqdq"))
    page.wait_for_timeout(500)
    top = page.locator("h3[id^=quant_floatqdq]").bounding_box()["y"]
    assert -5 <= top <= 300, f"the heading is at {top}"

    started = time.perf_counter()
    for words, expected in (
        ("fakeconvert", "fakeconvert"),
        ("quant-float-decompose-qdq", "quant-float-decompose-qdq"),
        ("round_mode nearest", "rules"),
        ("quantFloatSessionCreate", "Compiler.h"),
        ("block_size", "quant"),
    ):
        page.goto(home + "index.html")
        titles_found = search(page, words)
        assert any(expected.lower() in t.lower() for t in titles_found), (words, titles_found)
        found.setdefault("searches", {})[words] = len(titles_found)
    found["seconds"] = round(time.perf_counter() - started, 1)

    # The site works the same from a file, without a server.
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(30000)
    page.goto((site / "index.html").resolve().as_uri())
    assert search(page, "fakeconvert")

    # On a phone, both are behind buttons.
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_default_timeout(30000)
    watch(page, problems)
    page.goto(home + "index.html")
    page.locator("label.md-header__button[for=__drawer]").click()
    page.locator("nav.md-nav--primary >> text=Guide").first.click()
    page.locator("nav.md-nav--primary a >> text=First model").first.click()
    page.wait_for_url("**/docs/first-model.html")
    page.locator("label.md-header__button[for=__search]").click()
    search(page, "saturate")
    for address in (page.url, home + "index.html", *addresses):
        page.goto(address)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            problems.append(f"{address} is {width} pixels wide on a screen of 390")
    browser.close()
server.shutdown()
assert not problems, "\n".join(problems)
record.write_text(json.dumps(found) + "\n")
print(found)
