"""A real OpenID provider (tests/provider), and a browser that signs in there."""

import http.cookiejar
import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from harness import ROOT

REDIRECT = "http://127.0.0.1:7/"  # nobody listens: the browser of these tests reads the address alone


class Provider:
    def __init__(self, authentication="client_secret_basic"):
        self.process = subprocess.Popen(["node", ROOT / "tests/provider/provider.mjs", REDIRECT, authentication], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.issuer = next(line.split()[1] for line in self.process.stdout if line.startswith("ready "))

    def tell(self, **wish):
        urllib.request.urlopen(urllib.request.Request(self.issuer + "/test", json.dumps(wish).encode(), method="POST")).close()

    def account(self, subject, **claims):
        self.tell(accounts={subject: {"email": subject + "@example.com", "email_verified": True, "name": subject.title(), **claims}})

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    """With the provider's cookies. It stops where the provider sends it back."""

    def __init__(self):
        self.opener = urllib.request.build_opener(Stay, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def open(self, url, form=None):
        """The page, and its address; (None, address) once the browser is sent back."""
        while not url.startswith(REDIRECT):
            data = urllib.parse.urlencode(form).encode() if form else None
            form = None
            try:
                with self.opener.open(url, data) as page:
                    return page.read().decode(), url
            except urllib.error.HTTPError as answer:
                if answer.code not in (302, 303):
                    raise AssertionError(f"{url} responded with {answer.code}: {answer.read()[:500]}") from None
                url = urllib.parse.urljoin(url, answer.headers["Location"])
        return None, url

    def sign_in(self, url, name):
        """What the provider appends to the redirect URI."""
        page, at = self.open(url)
        while page is not None:
            action = re.search(r'action="([^"]+)"', page)[1]
            prompt = re.search(r'name="prompt" value="(\w+)"', page)[1]
            page, at = self.open(urllib.parse.urljoin(at, action), {"prompt": prompt, "login": name, "password": "any"})
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(at).query))
