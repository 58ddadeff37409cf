"""Databases of earlier releases, with rows in them, are brought up to date: the schema equals a fresh one, the release's
programs still find the functions that they call, and the queue goes on with what was in it."""
import functools
import gzip
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import psycopg
from psycopg.rows import namedtuple_row

from queue_client import Queue, job
from queue_invariants import broken
from release import JOB_STATES, dump_of, fill, keep

HERE = pathlib.Path(__file__).resolve().parent
MIGRATE = HERE.parent / 'support/migrate'
PLIMSOLL = pathlib.Path(os.environ['PLIMSOLL_BIN']) / 'plimsoll'
SERVER = os.environ['PLIMSOLL_TEST_DATABASE_URL']  # its own database is made with psql alone
# What an earlier set of functions leaves: one whose text has changed since, and not yet one that is new.
EARLIER = """
    update plimsoll.schema_function set sha256 = sha256('') where name = 'explain_wait';
    drop function plimsoll.queue_depth();
    delete from plimsoll.schema_function where name = 'queue_depth';
"""
PARTITIONS = 'plimsoll.*_2[0-9][0-9][0-9][0-9]'  # days since 1970


def url_of(database):
    return SERVER.replace('/plimsoll?', f'/{database}?')


def create(database):
    subprocess.run(['psql', '-qX', url_of('postgres'), '-c', f'create database {database}'], check=True)
    return url_of(database)


def migrate(url):
    return subprocess.run([PLIMSOLL, 'migrate', '--database.url', url, '--database.migrate_url', url],
                          check=True, capture_output=True, text=True).stdout


def kept_in(folder):
    """The dumps of releases, by names for their databases."""
    return {path.name.removesuffix('.sql.gz').replace('.', '_'): gzip.decompress(path.read_bytes())
            for path in pathlib.Path(folder).glob('*.sql.gz')}


def schema_of(url):
    text = subprocess.run(['pg_dump', '--schema-only', '--exclude-table', PARTITIONS, url], check=True,
                          capture_output=True, text=True).stdout
    return [line for line in text.splitlines() if not re.match(r'\\(un)?restrict', line)]


def ledger_of(url):
    with psycopg.connect(url) as connection:
        return connection.execute("select name, encode(sha256, 'hex') from plimsoll.schema_function union all "
                                  "select name, encode(sha256, 'hex') from plimsoll.schema_migration order by 1").fetchall()


def calls_of(url):
    """The functions that programs may call, by their roles: another signature is another function."""
    with psycopg.connect(url) as connection:
        return set(connection.execute("""select r.rolname, p.oid::regprocedure::text from pg_proc p, pg_roles r
            where p.pronamespace = 'plimsoll'::regnamespace and r.rolname in ('plimsoll_app', 'plimsoll_worker')
              and has_function_privilege(r.oid, p.oid, 'execute')"""))


class Upgrade(unittest.TestCase):
    maxDiff = None

    def test_a_fresh_schema_equals_the_one_made_by_psql(self):
        fresh = create('fresh')
        self.assertRegex(migrate(fresh), r'Schema version \d+, was 0\.')
        self.assertEqual(schema_of(fresh), schema_of(SERVER))
        self.assertEqual(ledger_of(fresh), ledger_of(SERVER))

    def test_databases_with_rows_are_brought_up_to_date(self):
        """Until there is a release, only today's, with functions of an earlier set."""
        for name, dump in (kept_in(HERE) | {'today': self.dump_of_today()}).items():
            with self.subTest(name):
                url = self.restored(name, dump)
                with psycopg.connect(url) as connection:
                    connection.execute(EARLIER if name == 'today' else '')
                calls = calls_of(url)
                written = migrate(url)
                self.assertEqual(schema_of(url), schema_of(SERVER))
                self.assertEqual(ledger_of(url), ledger_of(SERVER))
                self.assertEqual(calls - calls_of(url), set(), 'programs of the release call them beside programs of today')
                self.check_rows(url)
                if name == 'today':
                    self.assertIn('2 functions written.', written)
                self.assertIn('0 functions written.', migrate(url))

    def test_every_release_that_was_kept_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in ('0.9.0', '0.9.1', '0.10.0'):
                keep(self.dump_of_today(), pathlib.Path(folder) / f'{version}.sql.gz')
            self.assertEqual(kept_in(folder), dict.fromkeys(('0_9_0', '0_9_1', '0_10_0'), self.dump_of_today()))

    def test_an_upgrade_that_is_cut_off_changes_nothing(self):
        url = self.restored('cut', self.dump_of_today())
        with psycopg.connect(url) as connection:
            connection.execute(EARLIER)
        before = ledger_of(url), schema_of(url)
        with psycopg.connect(url) as blocker, psycopg.connect(url, autocommit=True) as look:
            blocker.execute('lock table plimsoll.schema_function in exclusive mode')
            upgrade = subprocess.Popen([PLIMSOLL, 'migrate', '--database.url', url, '--database.migrate_url', url],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            waiting = "select 1 from pg_stat_activity where datname = 'release_cut' and wait_event_type = 'Lock'"
            deadline = time.monotonic() + 120
            while not look.execute(waiting).fetchone():
                self.assertLess(time.monotonic(), deadline, 'it does not wait')
                time.sleep(0.05)
            upgrade.kill()
            upgrade.wait()
        self.assertEqual((ledger_of(url), schema_of(url)), before)
        self.assertIn('2 functions written.', migrate(url))
        self.assertEqual(schema_of(url), schema_of(SERVER))
        self.check_rows(url)

    def test_a_call_of_a_release_that_is_gone_is_noticed(self):
        url = create('calls')
        subprocess.run([MIGRATE, url], check=True)
        with psycopg.connect(url) as connection:
            connection.execute("create function plimsoll.old_call(int) returns int language sql return 1;"
                               "revoke execute on function plimsoll.old_call from public;"
                               "grant execute on function plimsoll.old_call to plimsoll_app;"
                               "update plimsoll.schema_function set sha256 = sha256('') where name = 'rights'")
        calls = calls_of(url)
        migrate(url)
        self.assertEqual(calls - calls_of(url), {('plimsoll_app', 'plimsoll.old_call(integer)')})

    @staticmethod
    @functools.cache
    def dump_of_today():
        url = create('today')
        subprocess.run([MIGRATE, url], check=True)
        with psycopg.connect(url, autocommit=True, row_factory=namedtuple_row, options='-c search_path=plimsoll') as connection:
            fill(Queue(connection))
        return dump_of(url)

    @staticmethod
    def restored(name, dump):
        url = create('release_' + name)
        subprocess.run(['psql', '-qX', '-v', 'ON_ERROR_STOP=1', url], input=dump, check=True, stdout=subprocess.DEVNULL)
        return url

    def check_rows(self, url):
        connection = psycopg.connect(url, autocommit=True, row_factory=namedtuple_row, options='-c search_path=plimsoll')
        self.addCleanup(connection.close)
        queue = Queue(connection)
        self.assertEqual({row.state for row in queue.rows('select state from job')}, set(JOB_STATES))
        for table in ('app_user', 'token', 'webhook', 'schedule', 'dataset_chunk', 'team_record', 'hold', 'job_label', 'unique_key', 'idempotency_key', 'audit_event'):
            self.assertGreater(queue.one(f'select count(*) from {table}'), 0, table)
        self.assertEqual(queue.one("select has_table_privilege('plimsoll_app', 'hold', 'select')"), False)

        # What was running when the dump was made runs again, on new workers, beside new jobs.
        queue.rows('select ensure_partitions()')
        queue.rows("update worker set seen_at = seen_at - interval '1 day' returning id")  # its workers do not come back
        queue.rows('select lift_hold(id, null) from hold')
        first = queue.one("select id from team where name = 'first'")
        queue.enqueue(job(first, 2, name='new'))
        queue.expire()
        cpu, host = queue.register('another cpu'), queue.register('another host', 'host')
        while tasks := queue.claim(cpu) + queue.claim(host):
            for worker in (cpu, host):
                held = [task for task in tasks if task.is_merge == (worker is host)]
                for fence in {task.fence for task in held}:
                    queue.complete(worker, [task for task in held if task.fence == fence], partial=b'{}')
        left = queue.rows("select name, state from job where finished_at is null")
        self.assertEqual([row.name for row in left], ['later'])
        self.assertEqual(broken(queue), {})


if __name__ == '__main__':
    unittest.main()
