"""What the schema promises about rights, and that every named query fits it."""

import os
import pathlib
import re
import subprocess
import unittest

import psycopg

from queue_client import Queue, connect
from queue_invariants import JOB_STATES, RESULT_STATES

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Catalogue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.queue = Queue(connect())
        cls.addClassCleanup(cls.queue.connection.close)
        cls.queue.rows('select ensure_partitions()')

    def test_every_table_with_a_team_has_forced_row_security_and_policies(self):
        rows = self.queue.rows("""
            select c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relispartition,
              array(select polname::text from pg_policy where polrelid = c.oid) policies
            from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'plimsoll'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'team_id' and not a.attisdropped""")
        self.assertGreater(len(rows), 12)
        for row in rows:
            self.assertTrue(row.relrowsecurity and row.relforcerowsecurity, row.relname)
            if row.relispartition:  # reached through the parent only: no policy, no grant
                self.assertEqual(row.policies, [], row.relname)
            else:
                self.assertIn('owner', row.policies, row.relname)
                if row.relname not in ('idempotency_key', 'unique_key'):  # the application reads them through enqueue alone
                    self.assertIn('team', row.policies, row.relname)

    def test_workers_have_functions_and_no_tables(self):
        tables = self.queue.rows("""
            select c.relname from pg_class c where c.relnamespace = 'plimsoll'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
              and (case when c.relkind = 'S' then has_sequence_privilege('plimsoll_worker', c.oid, 'usage, select, update')
                else has_table_privilege('plimsoll_worker', c.oid, 'select, insert, update, delete, truncate, references, trigger')
                  or has_any_column_privilege('plimsoll_worker', c.oid, 'select, insert, update, references') end) order by 1""")
        self.assertEqual([r.relname for r in tables], ['schema_function', 'schema_migration', 'schema_set'])
        functions = self.queue.rows("""
            select proname from pg_proc where pronamespace = 'plimsoll'::regnamespace
              and has_function_privilege('plimsoll_worker', oid, 'execute') order by 1""")
        self.assertEqual([r.proname for r in functions],
                         ['claim', 'claim_elsewhere', 'complete', 'heartbeat', 'node_is_idle',
                          'read_claimed_chunks', 'read_lease', 'record_log', 'register_worker', 'release_tasks', 'report_cleanup', 'report_device',
                          'retire_worker'])

    def test_the_application_may_execute_what_the_page_of_rights_grants_and_nothing_else(self):
        granted = re.search(r'grant execute on function([^;]*) to plimsoll_app;',
                            (ROOT / 'migrations/rights.sql').read_text())[1]
        functions = self.queue.rows("""
            select proname from pg_proc where pronamespace = 'plimsoll'::regnamespace
              and has_function_privilege('plimsoll_app', oid, 'execute') order by 1""")
        self.assertEqual([r.proname for r in functions], sorted(granted.replace(',', ' ').split()))

    def test_functions_with_rights_of_their_owner_fix_their_search_path(self):
        rows = self.queue.rows("""
            select proname from pg_proc where pronamespace = 'plimsoll'::regnamespace and prosecdef
              and not coalesce(proconfig, '{}') @> array['search_path=plimsoll, pg_temp']""")
        self.assertEqual(rows, [])

    def test_functions_that_take_a_team_with_rights_of_their_owner_hold_the_caller_to_it(self):
        rows = self.queue.rows(r"""
            select proname, coalesce(pg_get_function_sqlbody(oid), prosrc) as body from pg_proc
            where pronamespace = 'plimsoll'::regnamespace and prosecdef and exists (
              select from unnest(proargnames) a(name) where a.name in ('p_team_id', 'p_teams', 'p_team'))""")
        self.assertGreater(len(rows), 15)
        for row in rows:
            first = re.search(r'begin(?: atomic)?\s+(?:perform|select) (?:plimsoll\.)?assert_team\(p_team_id\)|'
                              r'begin\s+perform assert_teams\(p_teams\)', row.body, re.I)
            self.assertTrue(first, f'{row.proname} does not begin with assert_team')

    def test_a_frozen_client_cannot_hold_a_lock_for_long(self):
        for role in ('plimsoll_app', 'plimsoll_worker'):
            with connect(role) as connection:
                self.assertEqual([connection.execute(f'show {name}').fetchone()[0] for name in
                                  ('idle_in_transaction_session_timeout', 'statement_timeout')], ['10s', '1min'])

    def test_every_named_query_prepares_for_its_role(self):
        names = set()
        for file in sorted((ROOT / 'server/postgres/queries').glob('*.sql')):
            # Named tables only: the program sets no search_path.
            connection = connect('plimsoll_worker' if file.stem == 'worker' else 'plimsoll_app')
            self.addCleanup(connection.close)
            connection.execute('set search_path = pg_catalog')
            parts = re.split(r'^-- name: *(\S+)(?: \(prepared\))?$', file.read_text(), flags=re.M)
            for name, text in zip(parts[1::2], parts[2::2]):
                self.assertNotIn(name, names)
                names.add(name)
                with self.subTest(name), connection.transaction(force_rollback=True):
                    marks = max((int(n) for n in re.findall(r'\$(\d+)', re.sub(r'--.*', '', text))), default=0)
                    connection.execute(f'prepare checked as {text.strip().rstrip(";")}')
                    # A generic plan runs the checks of rights that PREPARE alone leaves out.
                    connection.execute('set local plan_cache_mode = force_generic_plan')
                    connection.execute('explain execute checked' + ('(' + ', '.join(['null'] * marks) + ')' if marks else ''))
                    connection.execute('deallocate checked')
        self.assertGreater(len(names), 40)

    def test_a_migrator_without_superuser_rights_is_enough_and_roles_are_shared_by_databases(self):
        self.queue.connection.execute('create role plimsoll_migrator login createrole')
        if self.queue.connection.info.server_version >= 160000:  # else it may alter only roles that it made itself
            self.queue.connection.execute('''grant plimsoll_owner, plimsoll_queue, plimsoll_identity, plimsoll_guest, plimsoll_app,
                plimsoll_worker, plimsoll_metrics to plimsoll_migrator with admin option''')
        self.queue.connection.execute('create database managed')
        self.addCleanup(self.queue.connection.execute, 'drop database managed')
        self.queue.connection.execute('grant create on database managed to plimsoll_migrator')
        url = os.environ['PLIMSOLL_TEST_DATABASE_URL'].replace('postgres@/plimsoll?', 'plimsoll_migrator@/managed?')
        subprocess.run([ROOT / 'tests/support/migrate', url], check=True)
        with psycopg.connect(url) as managed:
            managed.execute('set role plimsoll_owner')
            self.assertEqual(managed.execute('select count(*), max(version) from plimsoll.schema_migration').fetchone(),
                             (len(list((ROOT / 'migrations/versions').iterdir())),) * 2)

    def test_the_states_of_the_documentation_are_those_of_the_invariants(self):
        diagram = (ROOT / 'server/queue/README.md').read_text().split('```')[1]
        words = set(re.findall(r'[a-z]+', diagram))
        self.assertLessEqual({*JOB_STATES, *RESULT_STATES, 'ready', 'leased', 'retrying'}, words)


if __name__ == '__main__':
    unittest.main()
