"""Completion notices from a real server to real receivers."""

import json
import tempfile
import threading
import time
import unittest

from certificate import make_authority, make_certificate
from harness import PATIENCE, ROOT, Server
from receiver import MailServer, Receiver


class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        authority = make_authority(cls.folder.name)
        trusted = make_certificate(cls.folder.name, authority)
        elsewhere = make_certificate(cls.folder.name, authority, "elsewhere", "DNS:hooks.example.com")
        stranger = tempfile.TemporaryDirectory()
        cls.addClassCleanup(stranger.cleanup)
        unknown = make_certificate(stranger.name, make_authority(stranger.name))
        cls.flaky = cls.receiver([500, 503])
        cls.redirecting = cls.receiver([302] * 9, headers=[("Location", cls.flaky.origin + "/stolen")])
        cls.secure = cls.receiver(certificate=trusted)
        cls.misnamed = cls.receiver(certificate=elsewhere)
        cls.untrusted = cls.receiver(certificate=unknown)
        cls.plain = cls.receiver()
        cls.released = threading.Event()
        cls.addClassCleanup(cls.released.set)
        cls.hanging = cls.receiver(hold=cls.released)
        cls.chat = cls.receiver([200])
        cls.mail_server = MailServer(trusted, ["451 try again"])
        cls.addClassCleanup(cls.mail_server.close)
        cls.origins = [r.origin for r in (cls.flaky, cls.redirecting, cls.secure, cls.misnamed, cls.untrusted, cls.plain, cls.hanging, cls.chat)] + ["mailto:*@example.com"]
        cls.server = Server(webhooks__allowed_origins=",".join(cls.origins), webhooks__allowed_networks="127.0.0.1/32",
                            webhooks__ca_file=authority[0], webhooks__pages_url="https://plimsoll.example/",
                            webhooks__mail_server=f"smtp://desk:pass%20word@127.0.0.1:{cls.mail_server.port}",
                            webhooks__mail_from="plimsoll@example.com", log__level="debug").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    @classmethod
    def receiver(cls, *arguments, **more):
        made = Receiver(*arguments, **more)
        cls.addClassCleanup(made.close)
        return made

    def add(self, url, **more):
        reply = self.api.post("/v1/webhooks", {"name": "test", "url": url, **more})
        self.assertEqual(reply.status, 201, reply.body)
        path = "/v1/webhooks/" + reply.json["webhook"]["id"]
        self.addCleanup(self.api.send, "DELETE", path)
        return path, reply.json["secret"]

    def deliveries(self, path):
        reply = self.api.get(path + "/deliveries")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["items"]

    def newest(self, path, condition):
        """The newest delivery once it is so."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            [delivery, *_] = self.deliveries(path)
            if condition(delivery):
                return delivery
        raise AssertionError(delivery)

    def failed(self, path, words):
        """A machine that is slow may time out first; the next attempt says what this is about."""
        return self.newest(path, lambda delivery: words in (delivery["error"] or ""))

    def delivered(self, path):
        return self.newest(path, lambda delivery: delivery["state"] == "delivered")

    def send_test(self, path):
        reply = self.api.post(path + "/deliveries")
        self.assertEqual(reply.status, 202, reply.body)
        self.assertIn(reply.json["id"], [delivery["id"] for delivery in self.deliveries(path)])
        return reply.json["id"]

    def test_a_failing_receiver_is_retried_until_it_accepts(self):
        path, secret = self.add(self.flaky.origin + "/jobs?key=1")
        began = int(time.time())
        job = self.api.post("/v1/jobs", {"kind": "sentiment", "name": "told", "labels": {"desk": "energy"},
                                         "args": {"texts": ["good", "bad"]}}).json["id"]
        notices = [self.flaky.next() for _ in range(3)]
        self.assertEqual(len({notice.id for notice in notices}), 1)
        self.assertEqual(len({notice.body for notice in notices}), 1)
        for notice in notices:
            self.assertTrue(notice.is_signed_with(secret))
            self.assertEqual(notice.path, "/jobs?key=1")
            self.assertEqual(notice.headers["Content-Type"], "application/json")
            self.assertTrue(began <= int(notice.headers["webhook-timestamp"]) <= notice.received)
        told = notices[0].json
        self.assertEqual(told["type"], "job.finished")
        ended = self.api.get(f"/v1/jobs/{job}").json
        self.assertEqual(told["data"]["id"], job)
        self.assertEqual((told["data"]["state"], told["data"]["name"], told["data"]["labels"]),
                         ("succeeded", "told", {"desk": "energy"}))
        self.assertEqual((told["data"]["items_total"], told["data"]["items_failed"]), (2, 0))
        self.assertEqual(told["timestamp"], ended["finished_at"])
        page = (ROOT / "web/src/routes/docs/topics/data-and-teams.md").read_text("utf-8")
        documented = json.loads(page.split("```json\n")[1].split("```")[0])
        self.assertEqual((documented.keys(), documented["data"].keys(), documented["data"]["links"].keys()),
                         (told.keys(), told["data"].keys(), told["data"]["links"].keys()))
        delivery = self.delivered(path)
        self.assertEqual((delivery["state"], delivery["attempts"], delivery["status"], delivery["job_id"], delivery["id"]),
                         ("delivered", 3, 204, job, notices[0].id))
        log = "".join(self.server.log)
        self.assertNotIn(secret, log)
        self.assertNotIn("key=1", log)

    def test_people_are_told_in_their_own_programs(self):
        energy = {"labels": {"desk": "energy"}}
        slack, _ = self.add(self.chat.origin + "/services/T/B/x", format="slack", **energy)
        mail, _ = self.add("mailto:Desk@example.com", **energy)
        self.api.wait(self.api.submit_texts(["of no desk"]))
        job = self.api.post("/v1/jobs", {"kind": "sentiment", "name": "nightly <é>", "labels": {"desk": "energy", "run": "1"},
                                         "args": {"texts": ["good"]}}).json["id"]
        link = "https://plimsoll.example/#/jobs/" + job
        self.assertEqual(self.chat.next().json, {"text": f"nightly &lt;é&gt; (sentiment) succeeded. <{link}|Open the job>"})
        self.delivered(slack)
        came = self.mail_server.mails.get(timeout=PATIENCE)
        self.assertEqual((came["tls"], came["login"], came["MAIL"], came["RCPT"]),
                         (True, b"\0desk\0pass word", "MAIL FROM:<plimsoll@example.com>", "RCPT TO:<desk@example.com>"))
        message = came["message"]
        self.assertEqual((message["From"], message["Subject"]), ("Plimsoll <plimsoll@example.com>", "Plimsoll: sentiment job succeeded"))
        self.assertEqual(message.get_payload(decode=True).decode(), f"nightly <é> (sentiment) succeeded.\r\n{link}\r\n")
        told = self.delivered(mail)
        self.assertEqual((told["job_id"], told["attempts"], told["status"]), (job, 2, 250), "the first was refused for now")
        self.assertEqual(message["Message-ID"], f"<{told['id']}@example.com>")
        for path in (slack, mail):
            self.assertEqual({one["job_id"] for one in self.deliveries(path)}, {job}, "only of that desk")
        changed = self.api.send("PATCH", slack, {"format": "teams"}).json
        self.assertEqual((changed["format"], changed["labels"]), ("teams", energy["labels"]))
        self.send_test(slack)
        self.assertEqual(self.chat.next().json["attachments"][0]["content"]["type"], "AdaptiveCard")
        self.assertNotIn("pass%20word", "".join(self.server.log))
        refused = self.api.post("/v1/webhooks", {"name": "test", "url": "mailto:boss@elsewhere.example"})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/url"))

    def test_a_removed_webhook_gets_no_more_notices(self):
        path, secret = self.add(self.plain.origin)
        job = self.api.submit_texts(["good"])
        self.api.wait(job)
        while (notice := self.plain.next()).json["data"].get("id") != job:
            pass
        self.assertTrue(notice.is_signed_with(secret))
        self.api.send("DELETE", path)
        self.api.wait(self.api.submit_texts(["nobody is told"]))
        self.assertEqual(self.api.get(path + "/deliveries").status, 404)

    def test_a_receiver_that_hangs_delays_no_other(self):
        path, _ = self.add(self.hanging.origin)
        for _ in range(30):
            self.send_test(path)

        def waiting():
            return sum(one["attempts"] == 1 and one["error"] is None for one in self.deliveries(path))

        while waiting() < 4:
            pass
        other, _ = self.add(self.plain.origin + "/beside")
        for _ in range(6):  # one a round of the dispatcher: time enough to take all places
            self.send_test(other)
            self.delivered(other)
            self.assertLessEqual(waiting(), 4)
        self.assertFalse(self.released.is_set())
        self.released.set()

    def test_redirects_are_not_followed(self):
        path, _ = self.add(self.redirecting.origin)
        self.send_test(path)
        self.redirecting.next()
        delivery = self.failed(path, "redirects are not followed")
        self.assertEqual((delivery["state"], delivery["status"]), ("pending", 302))
        self.assertIsNotNone(delivery["next_attempt_at"])

    def test_certificates_are_verified(self):
        path, secret = self.add(self.secure.origin)
        sent = self.send_test(path)
        notice = self.secure.next()
        self.assertEqual((notice.id, notice.json["type"], notice.json["data"]), (sent, "webhook.test", {}))
        self.assertTrue(notice.is_signed_with(secret))
        for receiver in (self.misnamed, self.untrusted):
            path, _ = self.add(receiver.origin)
            self.send_test(path)
            self.failed(path, "certificate verify failed")
            self.assertTrue(receiver.notices.empty())

    def test_other_origins_are_refused(self):
        for url in ("https://example.com/", "http://169.254.169.254/latest/meta-data/", self.plain.origin + "0"):
            reply = self.api.post("/v1/webhooks", {"name": "test", "url": url})
            self.assertEqual(reply.status, 422, url)
            self.assertEqual(reply.json["errors"][0]["pointer"], "/url")

    def test_the_command_line_does_it_all(self):
        made = self.server.run("webhooks", "add", "from the shell", self.plain.origin + "/shell").stdout
        self.assertIn("whsec_", made)
        listed = self.server.run("webhooks", "list").stdout
        self.assertIn("from the shell", listed)
        self.assertNotIn("whsec_", listed)
        hook = next(word for line in listed.splitlines() if "from the shell" in line for word in line.split() if word.startswith("hook_"))
        sent = self.server.run("webhooks", "test", hook).stdout
        self.assertIn("msg_", sent)
        self.delivered("/v1/webhooks/" + hook)
        self.assertIn("delivered", self.server.run("webhooks", "deliveries", hook).stdout)
        self.server.run("webhooks", "remove", hook)
        self.assertNotIn(hook, self.server.run("webhooks", "list").stdout)
        self.assertNotEqual(self.server.run("webhooks", "remove", hook, check=False).returncode, 0)


class Rebinding(unittest.TestCase):
    def test_a_listed_name_with_a_private_address_is_not_called(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        origin = f"http://localhost:{receiver.port}"
        server = Server(webhooks__allowed_origins=origin, engine__local="false").start()
        self.addCleanup(server.remove)
        api = server.api()
        hook = api.post("/v1/webhooks", {"name": "inside", "url": origin}).json["webhook"]["id"]
        api.post(f"/v1/webhooks/{hook}/deliveries")
        deadline = time.monotonic() + PATIENCE
        delivery = {"error": None}
        while delivery["error"] is None and time.monotonic() < deadline:
            [delivery] = api.get(f"/v1/webhooks/{hook}/deliveries").json["items"]
        self.assertEqual(delivery["error"], "The receiver's host name resolves to an address that is not allowed.")
        self.assertTrue(receiver.notices.empty())


if __name__ == "__main__":
    unittest.main()
