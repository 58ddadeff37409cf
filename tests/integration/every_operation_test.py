"""What holds for every operation of openapi.yaml: U+0000 is refused where it is no text to be scored, by the name of its
place, and one rule decides which `Accept` gets 406. New operations and fields are in here automatically."""

import copy
import unittest

from every_operation import EveryOperation

NUL = "a\0b"
DEEP = 12  # levels of a body that are looked at: some schemas contain themselves


class Bodies:
    """Of an operation, every body that differs from the example by one string with U+0000."""

    def __init__(self, document):
        self.document = document

    def resolved(self, schema):
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self.document["components"]["schemas"][name]
        return schema

    def strings(self, schema, at=(), seen=(), chosen=()):
        """The place of each string, whether it may hold U+0000, and the kinds that lead there."""
        schema = self.resolved(schema)
        if len(at) > DEEP or seen.count(id(schema)) > 1:
            return
        seen = (*seen, id(schema))
        for part in schema.get("allOf", ()):
            yield from self.strings(part, at, seen, chosen)
        if "oneOf" in schema:
            by = schema["discriminator"]["propertyName"]
            for value, reference in schema["discriminator"]["mapping"].items():
                yield from self.strings({"$ref": reference}, at, seen, (*chosen, ((*at, by), value)))
        if schema.get("type") == "string":
            yield at, schema.get("x-raw-text", False), chosen
        for name, member in schema.get("properties", {}).items():
            yield from self.strings(member, (*at, name), seen, chosen)
        if isinstance(schema.get("additionalProperties"), dict):
            yield from self.strings(schema["additionalProperties"], (*at, "any"), seen, chosen)
        if "items" in schema:
            yield from self.strings(schema["items"], (*at, 0), seen, chosen)

    def maps(self, schema, at=()):
        """The place of each object of any keys."""
        places = {place[:-1] for place, _, _ in self.strings(schema, at) if place and place[-1] == "any"}
        return places

    @staticmethod
    def put(body, place, value):
        """A copy of the body with the value there, and what it needs around it."""
        root = [copy.deepcopy(body)]
        at, key = root, 0
        for step in place:
            kind = list if isinstance(step, int) else dict
            if not isinstance(at[key], kind):
                at[key] = kind()
            at, key = at[key], step
            if kind is list and not at:
                at.append(None)
            if kind is dict and key not in at:
                at[key] = None
        at[key] = value
        return root[0]


class EveryOperationTest(EveryOperation):
    def test_no_string_of_a_body_holds_nul(self):
        bodies, strings, raw = Bodies(self.document), 0, set()
        for operation in self.operations:
            if operation.type != "application/json":
                continue
            schema = operation.spec["requestBody"]["content"]["application/json"]["schema"]
            for place, may, chosen in bodies.strings(schema):
                pointer = "".join(f"/{step}" for step in place)
                if may:
                    raw.add(f"{operation.id} {pointer}")
                    continue
                alone = bodies.resolved(schema).get("maxProperties") == 1
                body = {} if alone or operation.body is None else operation.body
                for at, value in chosen:
                    body = bodies.put(body, at, value)
                reply = operation.ask(self.owner, self.ids, bodies.put(body, place, NUL))
                strings += 1
                with self.subTest(operation.id, pointer=pointer):
                    self.assertEqual(reply.status, 422, reply.body[:500])
                    self.assertIn(pointer, [error["pointer"] for error in reply.json["errors"]], reply.body[:500])
        self.assertGreater(strings, 400)
        self.assertTrue(raw)
        self.assertTrue(all(place.split("/")[-1] in ("text", "0") for place in raw), raw)

    def test_no_name_of_a_member_holds_nul(self):
        bodies = Bodies(self.document)
        for operation in self.operations:
            if operation.type != "application/json":
                continue
            schema = operation.spec["requestBody"]["content"]["application/json"]["schema"]
            for place in {(), *bodies.maps(schema)}:
                body = bodies.put(operation.body or {}, (*place, NUL), "x")
                reply = operation.ask(self.owner, self.ids, body)
                with self.subTest(operation.id, place=place):
                    self.assertEqual(reply.status, 400, reply.body[:500])
                    pointer = "".join(f"/{step}" for step in place) or "the body"
                    self.assertEqual(reply.json["detail"], f"The name of a member of {pointer} contains U+0000.")

    def test_no_parameter_holds_nul(self):
        parameters = 0
        for operation in self.operations:
            asked = [(name, {"query": [f"{name}=a%00b"]}, self.ids) for name in operation.filters]
            asked += [(name, {}, {**self.ids, name: "a%00b"}) for name in operation.names]
            for name, query, ids in asked:
                reply = operation.ask(self.owner, ids, **query)
                parameters += 1
                with self.subTest(operation.id, parameter=name):
                    self.assertEqual(reply.status, 400, reply.body[:500])
                    self.assertIn(name, [error.get("parameter") for error in reply.json["errors"]], reply.body[:500])
        self.assertGreater(parameters, 80)

    def test_texts_to_be_scored_may_hold_it_and_break_no_read(self):
        """Whatever lists, counts or shows them goes on."""
        texts = {"kind": "sentiment", "args": {"texts": [NUL, "good"], "model": "vader"}}
        items = {"kind": "sentiment", "args": {"items": [{"text": NUL, "custom_id": "one"}], "model": "vader"}}
        make = self.owner.make
        make("DELETE", f"/v1/holds/{self.ids['hold_id']}")
        job = make("POST", "/v1/jobs", texts)["id"]
        while make("GET", f"/v1/jobs/{job}?wait=30")["finished_at"] is None:
            pass
        schedule = make("POST", "/v1/schedules", {"name": "with nul", "cron": "0 3 * * *", "job": items})["id"]
        run = make("POST", f"/v1/schedules/{schedule}/runs")
        bundled = make("POST", "/v1/job-bundles", {"jobs": [texts, items]})
        self.assertEqual(len(bundled["items"]), 2)
        scored = make("POST", "/v1/score", {"texts": [NUL], "model": "vader", "keep": True})
        self.assertEqual(len(scored["items"]), 1)
        ids = {**self.ids, "job_id": job, "schedule_id": schedule, "due_at": run["due_at"]}
        for operation in self.operations:
            if operation.method == "GET" and not operation.open:
                with self.subTest(operation.id):
                    reply = operation.ask(self.owner, ids)
                    self.assertNotIn(reply.status, (422, 500, 503), reply.body[:500])
        self.assertIn(schedule, [one["id"] for one in make("GET", "/v1/schedules")["items"]])
        rows = make("GET", f"/v1/jobs/{job}/results")["items"]
        self.assertEqual([row["index"] for row in rows], [0, 1])
        used = self.owner.send("DELETE", "/v1/models/absent")
        self.assertLess(used.status, 500, used.body)
        self.owner.make("DELETE", f"/v1/schedules/{schedule}")

    def media_types(self, operation):
        types = set()
        for status, response in operation.spec["responses"].items():
            if status.startswith("2"):
                while "$ref" in response:
                    response = self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]
                types |= set(response.get("content", {}))
        return types

    def test_one_rule_decides_what_is_acceptable(self):
        with_types = 0
        for operation in self.operations:
            types = self.media_types(operation)
            if not types:
                continue  # its success suits everybody, and would be one
            with_types += 1
            family = next(iter(types)).partition("/")[0]
            none = [*(f"{name};q=0" for name in ("*/*", f"{family}/*")), "nothing/at-all", "json", ";q=1, x/y",
                    ", ".join(f"{name};q=0" for name in types) + ", */*", "application/problem+json;q=0"]
            for accept in none:
                reply = operation.ask(self.owner, self.ids, Accept=accept)
                with self.subTest(operation.id, accept=accept):
                    self.assertEqual(reply.status, 406, reply.body[:500])
                    self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
                    for name in types:
                        self.assertIn(name, reply.json["detail"])
            if operation.method != "GET":
                continue
            for accept in ("*/*", "nothing/at-all, */*;q=0.1", f"{family}/*", *types, next(iter(types)).upper(), "application/problem+json"):
                reply = operation.ask(self.owner, self.ids, Accept=accept)
                with self.subTest(operation.id, accept=accept):
                    self.assertNotEqual(reply.status, 406, reply.body[:500])
                    if reply.status == 200 and len(types) == 1:
                        self.assertEqual(reply.headers["Content-Type"].partition(";")[0], *types)
        self.assertGreater(with_types, 100)

    def test_events_come_as_they_are_asked_for(self):
        operation = self.operation("listJobEvents")
        for accept, wanted in (("text/event-stream", "text/event-stream"), ("application/json;q=0.4, text/*;q=0.5", "text/event-stream"),
                               ("*/*", "application/json"), ("text/event-stream;q=0, */*", "application/json")):
            with self.subTest(accept):
                self.assertEqual(operation.ask(self.owner, self.ids, Accept=accept).headers["Content-Type"], wanted)
        for method in ("HEAD", "OPTIONS"):
            reply = self.owner.send(method, "/v1/jobs", headers={"Accept": "image/png"})
            self.assertEqual(reply.status, {"HEAD": 406, "OPTIONS": 204}[method])


if __name__ == "__main__":
    unittest.main()
