"""A value that the database refuses is the caller's mistake when it writes, and never when it reads: what is stored is
damaged then, or a query is wrong, and the log says so."""

import unittest

import psycopg
from harness import Server
from queue_client import connect, url_for

JOB = {"kind": "sentiment", "args": {"texts": ["good"]}}


class DatabaseErrors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = connect()
        cls.addClassCleanup(cls.database.close)
        cls.server = Server(database__url=url_for("plimsoll_app"), engine__local="false").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def test_a_read_that_the_database_refuses_is_an_error_of_the_server(self):
        made = self.api.post("/v1/schedules", {"name": "damaged", "cron": "0 3 * * *", "job": JOB})
        self.assertEqual(made.status, 201, made.body)
        lone = r'{"kind": "\ud800"}'  # half of a character, which the type json stores and cannot read
        self.database.execute("update schedule set spec = %s::json where name = 'damaged'", [lone])
        with self.assertRaises(psycopg.errors.DataError) as refused:
            self.database.execute("select spec -> 'kind' from schedule")
        self.assertEqual(refused.exception.sqlstate[:2], "22")
        reply = self.api.get("/v1/schedules")
        self.assertEqual(reply.status, 500, reply.body)
        self.assertNotIn("A value cannot be stored", reply.json["detail"])
        self.server.logged("request failed", "a read got 422", "A value cannot be stored")
        self.server.logged("the database refused a value", "query=schedules.list", "sqlstate=22")
        self.assertEqual(self.api.send("DELETE", "/v1/schedules/" + made.json["id"]).status, 204)
        self.assertEqual(self.api.get("/v1/schedules").status, 200)

    def test_a_write_that_the_database_refuses_is_a_mistake_of_the_caller(self):
        self.database.execute("alter table team_record add constraint none check (name <> 'none')")
        self.addCleanup(self.database.execute, "alter table team_record drop constraint none")
        reply = self.api.send("PUT", "/v1/saved-views", {"page": "jobs", "name": "none", "query": "text=a"})
        self.assertEqual(reply.status, 422, reply.body)
        self.assertEqual(reply.json["errors"][0]["detail"], "A value cannot be stored.")
        saved = self.api.send("PUT", "/v1/saved-views", {"page": "jobs", "name": "some", "query": "text=a"})
        self.assertIn(saved.status, (200, 201), saved.body)


if __name__ == "__main__":
    unittest.main()
