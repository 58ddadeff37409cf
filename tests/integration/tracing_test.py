"""Traces of requests and their jobs, as a collector gets them: held to OpenTelemetry's published messages, below the caller's
span from the request through the queue to the device. A collector that is not there costs nobody anything.

    PLIMSOLL_TEST_COLLECTOR=$(tests/support/collector) python3 tests/integration/tracing_test.py

also sends them to the real OpenTelemetry collector.
"""
import http.server
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from harness import PATIENCE, ROOT, Api, Server

sys.path.insert(0, subprocess.check_output([ROOT / "tests/support/python", "opentelemetry-proto"], text=True).strip())
from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: E402
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status  # noqa: E402

CALLER = "b7ad6b7169203331"  # the caller's span


def new_trace():
    return os.urandom(16).hex()


def traceparent(trace, sampled=True):
    return {"traceparent": f"00-{trace}-{CALLER}-{'01' if sampled else '00'}"}


def all_known(message):
    """Whether the published schema has each of its fields."""
    if len(UnknownFieldSet(message)):
        return False
    parts = [part for field, value in message.ListFields() if field.type == field.TYPE_MESSAGE
             for part in (value if field.is_repeated else [value])]
    return all(all_known(part) for part in parts)


class Received:
    def __init__(self, resource, span):
        self.resource = {one.key: one.value.string_value for one in resource.attributes}
        self.service = self.resource["service.name"]
        self.span, self.name = span, span.name
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.begin, self.end = span.start_time_unix_nano, span.end_time_unix_nano
        self.attributes = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


class Collector:
    """Answers each export with the next of `answers`, then with 200; keeps the spans that it took."""

    def __init__(self, answers=()):
        self.spans, self.exports, self.answers = [], queue.Queue(), list(answers)
        self.grew = threading.Condition()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector.answers.pop(0) if collector.answers else 200
                if status == 200:
                    collector.take(self.path, self.headers, body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                collector.exports.put(status)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        request = ExportTraceServiceRequest.FromString(body)
        assert path == "/v1/traces" and headers["Content-Type"] == "application/x-protobuf" and all_known(request), (path, request)
        with self.grew:
            self.spans += [Received(of.resource, span) for of in request.resource_spans for scope in of.scope_spans for span in scope.spans]
            self.grew.notify_all()

    def of(self, trace, count):
        """The spans of a trace, by name, once there are so many."""
        def found():
            return [span for span in self.spans if span.trace == trace]
        with self.grew:
            assert self.grew.wait_for(lambda: len(found()) >= count, PATIENCE), [span.name for span in found()]
            return found()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Tracing(unittest.TestCase):
    def collect(self, answers=()):
        collector = Collector(answers)
        self.addCleanup(collector.close)
        return collector

    def serve(self, endpoint, **more):
        server = Server(tracing__endpoint=endpoint, **more).start()
        self.addCleanup(server.remove)
        return server, server.api()

    def assert_below_the_request(self, spans, job, trace):
        [request] = [one for one in spans if one.parent == CALLER]
        self.assertEqual((request.service, request.span.kind), ("plimsoll", Span.SPAN_KIND_SERVER))
        self.assertEqual({one.trace for one in spans}, {trace})
        self.assertEqual(len({one.id for one in spans}), len(spans))
        by_name = {name: [one for one in spans if one.name == name] for name in ("queue", "task", "device")}
        for name, all_of_it in by_name.items():
            self.assertEqual({one.attributes["plimsoll.job"] for one in all_of_it}, {job}, name)
            self.assertEqual({one.service for one in all_of_it}, {"plimsoll-engine"})
        for task in by_name["task"]:
            self.assertEqual((task.parent, task.span.kind), (request.id, Span.SPAN_KIND_CONSUMER))
            number = task.attributes["plimsoll.task"]
            [device] = [one for one in by_name["device"] if one.parent == task.id]
            self.assertLessEqual(task.begin, device.begin)
            self.assertLessEqual(device.begin, device.end)
            self.assertLessEqual(device.end, task.end)
            for waited in [one for one in by_name["queue"] if one.attributes["plimsoll.task"] == number]:
                self.assertEqual((waited.parent, waited.end), (request.id, task.begin))
                self.assertLessEqual(request.begin, waited.begin)
        return request, by_name

    def test_a_job_is_traced_from_its_request_through_the_queue_to_the_device(self):
        collector = self.collect()
        server, api = self.serve(collector.url)
        trace = new_trace()
        job = api.submit_texts(["good", "bad"], headers=traceparent(trace))
        self.assertEqual(api.wait(job)["state"], "succeeded")
        request, of = self.assert_below_the_request(collector.of(trace, 4), job, trace)
        self.assertEqual(request.name, "createJob")
        self.assertEqual((request.attributes["http.request.method"], request.attributes["url.path"], request.attributes["http.response.status_code"],
                          request.attributes["http.response.header.location"]), ("POST", "/v1/jobs", 202, f"/v1/jobs/{job}"))
        self.assertEqual([len(all_of_it) for all_of_it in of.values()], [1, 1, 1])
        [task], [device] = of["task"], of["device"]
        self.assertEqual((task.attributes["plimsoll.kind"], task.attributes["plimsoll.attempt"]), ("sentiment", 1))
        self.assertEqual((device.attributes["plimsoll.items"], task.span.status.code), (2, Status.STATUS_CODE_UNSET))
        # The line of the request has both IDs.
        self.assertIn(f"trace={trace}", server.logged("operation=createJob", f"location=/v1/jobs/{job}"))

        with self.subTest("jobs of one call, and scores within a call"):
            self.more_ways(api, collector)
        with self.subTest("a job of several tasks"):
            trace = new_trace()
            job = api.submit_texts([f"text {n}" for n in range(9_000)], headers=traceparent(trace))
            self.assertEqual(api.wait(job)["state"], "succeeded")
            tasks = len(api.get(f"/v1/jobs/{job}/tasks?limit=200").json["items"])
            self.assertGreater(tasks, 1)
            of = self.assert_below_the_request(collector.of(trace, 1 + 3 * tasks), job, trace)[1]
            self.assertEqual(sorted({one.attributes["plimsoll.task"] for one in of["queue"]}), list(range(tasks)))

    def more_ways(self, api, collector):
        trace = new_trace()
        reply = api.post("/v1/job-bundles", {"jobs": [{"kind": "sentiment", "args": {"texts": [text]}} for text in "ab"]},
                         headers=traceparent(trace))
        self.assertEqual(reply.status, 202, reply.body)
        spans = collector.of(trace, 7)
        self.assertEqual(sorted(one.name for one in spans), ["createJobBundle", *["device"] * 2, *["queue"] * 2, *["task"] * 2])
        trace = new_trace()
        self.assertEqual(api.post("/v1/score", {"texts": ["good"]}, headers=traceparent(trace)).status, 200)
        self.assertEqual(sorted(one.name for one in collector.of(trace, 4)), ["createScores", "device", "queue", "task"])

    def test_who_is_traced(self):
        collector = self.collect()
        server, api = self.serve(collector.url)
        unsampled, last = new_trace(), new_trace()
        job = api.submit_texts(["good"], headers=traceparent(unsampled, sampled=False))
        api.wait(job)
        own = api.submit_texts(["good"])
        api.wait(own)
        for path in ("/healthz", "/readyz", "/"):
            Api(server.base, checked=False).get(path)
        Api(server.base, "plm_wrong", checked=False).get("/v1/jobs")
        api.wait(api.submit_texts(["good"], headers=traceparent(last)))
        collector.of(last, 4)
        [created] = [one for one in collector.spans if one.attributes.get("http.response.header.location") == f"/v1/jobs/{own}"]
        self.assertEqual(created.parent, "")
        self.assertEqual(sorted(one.name for one in collector.of(created.trace, 4)), ["createJob", "device", "queue", "task"])
        self.assertEqual([one.name for one in collector.spans if one.trace == unsampled], [])
        self.assertTrue(all(one.attributes["plimsoll.team"] for one in collector.spans if one.service == "plimsoll"))

    def test_requests_without_a_trace_begin_none_if_none_are_sampled(self):
        collector = self.collect()
        _, api = self.serve(collector.url, tracing__sampled_percent=0)
        api.wait(api.submit_texts(["good"]))
        trace = new_trace()
        api.wait(api.submit_texts(["good"], headers=traceparent(trace)))
        collector.of(trace, 4)
        self.assertEqual({one.trace for one in collector.spans}, {trace})

    def test_a_collector_that_takes_nothing_costs_nobody_anything_and_gets_all_of_it_later(self):
        collector = self.collect(answers=[503, 429])
        server, api = self.serve(collector.url)
        trace = new_trace()
        job = api.submit_texts(["good"], headers=traceparent(trace))
        self.assertEqual(api.wait(job)["state"], "succeeded")
        collector.of(trace, 4)
        self.assertIn("HTTP ", server.logged("traces cannot be exported", collector.url))
        server.logged("traces are exported again")
        collector.close()
        trace = new_trace()
        job = api.submit_texts(["good"], headers=traceparent(trace))
        self.assertEqual(api.wait(job)["state"], "succeeded")
        self.assertIn("Connection refused", server.logged("traces cannot be exported", "refused"))
        began = time.monotonic()
        server.stop()
        self.assertLess(time.monotonic() - began, PATIENCE / 10)

    def test_one_that_never_answers_delays_no_request_and_no_end(self):
        silent = http.server.ThreadingHTTPServer(("127.0.0.1", 0), None)  # takes connections and reads nothing
        self.addCleanup(silent.server_close)
        server, api = self.serve(f"http://127.0.0.1:{silent.server_port}")
        self.assertEqual(api.wait(api.submit_texts(["good"]))["state"], "succeeded")
        server.logged("traces cannot be exported", "no response in time")
        server.stop()

    def test_a_wrong_address_is_refused(self):
        for wrong in ("collector:4318", "http://", "ftp://collector"):
            done = Server(tracing__endpoint=wrong).run("serve", "--tracing.endpoint", wrong, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("tracing.endpoint must be http://host[:port] or https://host[:port]", done.stderr)


@unittest.skipUnless("PLIMSOLL_TEST_COLLECTOR" in os.environ, "see above")
class RealCollector(unittest.TestCase):
    def test_the_real_collector_takes_them(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        probe = http.server.HTTPServer(("127.0.0.1", 0), None)
        port = probe.server_port
        probe.server_close()
        (folder / "config.yaml").write_text(f"""
receivers: {{otlp: {{protocols: {{http: {{endpoint: 127.0.0.1:{port}}}}}}}}}
exporters: {{debug: {{verbosity: detailed}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [debug]}}}}
""")
        collector = subprocess.Popen([os.environ["PLIMSOLL_TEST_COLLECTOR"], f"--config={folder}/config.yaml"],
                                     stderr=subprocess.PIPE, text=True)
        self.addCleanup(collector.communicate)
        self.addCleanup(collector.kill)
        impatience = threading.Timer(PATIENCE / 10, collector.kill)  # ends the loops below, and the test fails
        impatience.start()
        self.addCleanup(impatience.cancel)
        for line in collector.stderr:
            if "Everything is ready" in line:
                break
        server = Server(tracing__endpoint=f"http://127.0.0.1:{port}").start()
        self.addCleanup(server.remove)
        api, trace = server.api(), new_trace()
        job = api.submit_texts(["good"], headers=traceparent(trace))
        self.assertEqual(api.wait(job)["state"], "succeeded")
        names, of_trace, seen = set(), False, []
        location = f"http.response.header.location: Str(/v1/jobs/{job})"
        for line in collector.stderr:
            seen.append(line)
            field, _, value = (part.strip() for part in line.partition(":"))
            if field == "Trace ID":
                of_trace = value == trace
            if field == "Name" and of_trace:
                names.add(value)
            # Workers and servers send on their own; a span's attributes follow its name.
            if names == {"createJob", "queue", "task", "device"} and any(location in line for line in seen):
                break
        self.assertEqual(names, {"createJob", "queue", "task", "device"}, "".join(seen))
        self.assertIn(location, "".join(seen))
        self.assertRegex("".join(seen), rf"Trace ID +: {trace}\n +Parent ID +: {CALLER}\n")


if __name__ == "__main__":
    unittest.main()
