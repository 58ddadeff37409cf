"""A real OpenID provider (tests/provider), a browser that signs in there, and a server that lets it."""

import http.cookiejar
import ipaddress
import json
import re
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from harness import ROOT, Api, Server

SECRET = "a secret that is long enough"
SCOPES = ("jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin")
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

    def sign_out(self, url):
        """Agrees to what the provider asks, and returns the address where it sends the browser."""
        page, at = self.open(url)
        action = re.search(r'action="([^"]+)"', page)[1]
        token = re.search(r'name="xsrf" value="(\w+)"', page)[1]
        page, at = self.open(urllib.parse.urljoin(at, action), {"xsrf": token, "logout": "yes"})
        assert page is None, page
        return at

    def sign_in(self, url, name):
        """What the provider appends to the redirect URI."""
        page, at = self.open(url)
        while page is not None:
            action = re.search(r'action="([^"]+)"', page)[1]
            prompt = re.search(r'name="prompt" value="(\w+)"', page)[1]
            page, at = self.open(urllib.parse.urljoin(at, action), {"prompt": prompt, "login": name, "password": "any"})
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(at).query))


class Case(unittest.TestCase):
    settings = {}
    callers = 0
    client, secret, authentication = "plimsoll", SECRET, "client_secret_basic"

    @classmethod
    def setUpClass(cls):
        cls.provider = Provider(cls.authentication)
        cls.addClassCleanup(cls.provider.close)
        cls.server = Server(oidc__issuer=cls.provider.issuer, oidc__client_id=cls.client, oidc__redirect_uri=REDIRECT,
                            oidc__allowed_networks="127.0.0.0/8", http__trusted_proxies="127.0.0.1", **cls.settings)
        cls.addClassCleanup(cls.server.remove)
        if cls.secret:
            (cls.server.folder / "secret").write_text(cls.secret + "\n")
            cls.server.settings["oidc__client_secret_file"] = cls.server.folder / "secret"
        cls.server.start()
        cls.server.admin("add-team", "press")
        cls.owner = cls.server.api("admin", "main", SCOPES)
        cls.anybody = Api(cls.server.base)

    def begin(self):
        """Where the browser goes, and its cookie."""
        begun = self.anybody.post("/v1/provider-sign-ins")
        self.assertEqual(begun.status, 201, begun.body)
        return begun.json["authorization_url"], {"Cookie": begun.headers["Set-Cookie"].partition(";")[0]}

    def returned(self, name):
        """What the provider sends back, and the cookie of the browser."""
        url, cookie = self.begin()
        return Browser().sign_in(url, name), cookie

    def end(self, returned, cookie):
        # From another address each time, since failures are counted: those that RFC 2544 keeps for tests.
        Case.callers += 1
        address = ipaddress.IPv4Address("198.18.0.0") + Case.callers
        return self.anybody.post("/v1/sessions", {"provider": returned}, headers={**cookie, "X-Forwarded-For": str(address)})

    def sign_in(self, name):
        return self.end(*self.returned(name))

    def refused(self, reply, status=401):
        """The reason in the log; the caller gets none."""
        self.assertEqual(reply.status, status, reply.body)
        self.assertNotIn("Set-Cookie", reply.headers)
        return self.server.logged(reply.json["request_id"], "refused")

    def roles(self, session):
        headers = {"Cookie": session.headers.get_all("Set-Cookie")[0].partition(";")[0]}
        teams = self.anybody.get("/v1/users/me/teams", headers=headers).json["items"]
        return {one["team"]["name"]: one["role"] for one in teams}

    def account_of(self, name):
        return next((one for one in self.owner.get("/v1/users").json["items"] if one["name"] == name), None)
