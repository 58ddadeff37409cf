"""Dead rows are removed: autovacuum is tuned for busy tables, and what holds it back is reported with its start."""

import datetime
import unittest

import psycopg

from queue_case import QueueCase
from queue_client import job


class Vacuum(QueueCase):
    def watch(self, seconds=0):
        """So many seconds after the test's beginning, after some transaction that wrote."""
        self.queue.connection.execute("update team set name = name")
        return self.queue.one('select watch_vacuum(%s)', self.seconds_from_now(seconds))

    def holders(self, seconds=0):
        return [(r.holder, r.detail, r.seconds) for r in
                self.queue.rows('select * from list_vacuum_holders(%s)', self.seconds_from_now(seconds))]

    def snapshot(self):
        held = self.second_queue().connection
        held.execute('begin isolation level repeatable read')
        held.execute('select count(*) from team')
        return held

    def setUp(self):
        super().setUp()
        self.queue.connection.execute('truncate vacuum_horizon')

    def test_nothing_blocks_it_by_itself(self):
        self.assertEqual((self.watch(), self.watch(3600), self.holders()), (0, 0, []))

    def test_an_old_snapshot_is_reported_until_it_ends(self):
        held = self.snapshot()
        session = 'process ' + str(held.info.backend_pid)
        self.assertEqual(self.watch(), 0)
        self.assertEqual(self.watch(90), 90)
        self.assertEqual(self.holders(100), [('session', session, 100)])
        younger = self.snapshot()
        self.assertEqual(self.watch(120), 120)
        held.execute('commit')
        # The next oldest is reported from the time it is seen to be the oldest.
        self.assertEqual(self.watch(130), 0)
        self.assertEqual(self.watch(150), 20)
        younger.execute('commit')
        self.assertEqual((self.watch(160), self.holders()), (0, []))

    def test_short_sessions_are_not_one_old_snapshot(self):
        for seconds in (0, 100, 200):
            held = self.snapshot()
            self.assertEqual(self.watch(seconds), 0)
            held.execute('commit')

    def test_a_snapshot_without_writes_blocks_nothing(self):
        self.snapshot()
        self.assertEqual(self.queue.one('select watch_vacuum(%s)', self.moment), 0)
        self.assertEqual(self.holders(), [])

    def test_a_prepared_transaction_is_reported_by_name(self):
        maker = self.second_queue().connection
        maker.execute('begin')
        maker.execute("update team set name = name || ' ' where id = %s", (self.team,))
        maker.execute("prepare transaction 'forgotten'")
        self.addCleanup(maker.execute, "rollback prepared 'forgotten'")
        other = 'update team set name = name where id = %s'
        for seconds, told in ((0, 0), (75, 75)):
            self.queue.connection.execute(other, (self.other_team,))
            self.assertEqual(self.queue.one('select watch_vacuum(%s)', self.seconds_from_now(seconds)), told)
        self.assertEqual(self.holders(75), [('prepared_transaction', 'forgotten', 75)])

    def slot(self, made):
        try:
            self.queue.connection.execute(made)
        except psycopg.errors.UndefinedFile:
            self.skipTest('this PostgreSQL has no test_decoding')
        name = self.queue.one('select slot_name from pg_replication_slots')
        self.addCleanup(self.queue.connection.execute, 'select pg_drop_replication_slot(slot_name) from pg_replication_slots')
        return name

    def write_log(self, megabytes):
        for _ in range(megabytes // 16):  # the size of its files
            self.queue.connection.execute('update team set name = name')
            self.queue.connection.execute('select pg_switch_wal()')

    def test_an_unread_logical_slot_is_reported_by_name(self):
        name = self.slot("select pg_create_logical_replication_slot('forgotten', 'test_decoding')")
        self.assertEqual((self.watch(), self.watch(90)), (0, 90))
        self.assertEqual(self.holders(90), [('replication_slot', name, 90)])
        self.queue.connection.execute('select pg_drop_replication_slot(%s)', (name,))
        self.assertEqual((self.watch(100), self.holders()), (0, []))

    def test_a_slot_whose_reader_stopped_is_reported_while_the_log_grows(self):
        name = self.slot("select pg_create_physical_replication_slot('stopped', true)")
        self.assertEqual((self.watch(), self.watch(90), self.holders()), (0, 0, []), 'nothing worth telling was written')
        self.write_log(80)
        self.assertEqual((self.watch(100), self.watch(190)), (0, 90))
        self.assertEqual(self.holders(190), [('replication_log', name, 90)])
        # A reader that is far behind, but reads.
        self.queue.connection.execute("select pg_replication_slot_advance(%s, restart_lsn + 8) from pg_replication_slots", (name,))
        self.assertEqual(self.watch(200), 0)
        self.queue.connection.execute('select pg_replication_slot_advance(%s, pg_current_wal_lsn())', (name,))
        self.assertEqual((self.watch(300), self.holders()), (0, []))

    def test_tables_that_turn_over_are_vacuumed_after_a_number_of_dead_rows(self):
        rows = self.queue.rows("""select relname, reloptions from pg_class where relnamespace = 'plimsoll'::regnamespace
          and relname in ('class_state', 'account_state', 'ready', 'scheduled', 'lease', 'worker', 'overdue', 'usage_touch')""")
        self.assertEqual(len(rows), 8)
        for row in rows:
            options = dict(option.split('=') for option in row.reloptions)
            self.assertEqual((options['autovacuum_vacuum_scale_factor'], options['autovacuum_vacuum_cost_delay'], options['vacuum_truncate']),
                             ('0', '0', 'off'), row.relname)
            self.assertLessEqual(int(options['autovacuum_vacuum_threshold']), 20000, row.relname)


class Disk(QueueCase):
    """Bounded under continuous load: after a few rounds the same work needs no more space."""

    LIVE = ('ready', 'scheduled', 'overdue', 'lease', 'account_state', 'class_state', 'worker', 'usage_touch', 'idempotency_key', 'unique_key',
            'audit_event')

    def round(self, number):
        at = self.moment + datetime.timedelta(days=number)
        self.queue.now = at
        self.queue.rows('select ensure_partitions(0, %s)', at)
        self.cpu, self.host = self.queue.register('cpu'), self.queue.register('host', 'host')
        for part in range(5):
            self.queue.enqueue(*(job(self.team, 4, key=f'{number} {part} {n}', fingerprint=b'same', unique=f'{number} {part} {n}',
                                     timeout=9e5, deadline=at + datetime.timedelta(days=30)) for n in range(60)))
            while tasks := self.queue.claim(self.cpu):
                self.queue.complete(self.cpu, tasks)
            self.run_merges()
        # What serve does in the background; autovacuum comes as fast as this only on a busy server.
        self.queue.one('select fold_usage(1000)')
        self.queue.rows('select expire_keys(10000, %s)', at)
        while any(r.outcome == 'dropped' for r in self.queue.rows('select outcome from apply_retention(2, %s)', at)):
            pass
        while self.queue.one('select forget_audit(2, 100, %s)', at):
            pass
        self.queue.end_overdue()
        for table in self.LIVE:
            self.queue.connection.execute(f'vacuum {table}')

    def sizes(self):
        return {r.name: r.bytes for r in self.queue.rows("""
            select p.relname as name, coalesce((select sum(pg_total_relation_size(t.relid)) from pg_partition_tree(p.oid) t), pg_total_relation_size(p.oid))::bigint bytes from pg_class p
            where p.relnamespace = 'plimsoll'::regnamespace and p.relkind in ('r', 'p') and not p.relispartition""")}

    def test_rounds_of_load_do_not_grow_the_tables(self):
        for number in range(6):
            self.round(number)
        before = self.sizes()
        for number in range(6, 12):
            self.round(number)
        after = self.sizes()
        # Hours of use, a few rows a day, are kept for longer than this.
        grown = {name: (before[name], after[name]) for name in after
                 if name != 'usage_hour' and after[name] > before[name] * 1.1 + 3 * 8192}
        self.assertEqual(grown, {})
        self.assertEqual(self.queue.one('select count(*) from overdue o where not exists (select from job j where j.id = o.job_id)'), 0)
        self.assertEqual(self.queue.one('select sum(tasks) from usage_hour'), 12 * 5 * 60 * 4)
        # The last day, and the two before it.
        told = "select sum(coalesce(jsonb_array_length(data -> 'jobs'), 1)) from audit_event where action = 'job.create'"
        self.assertEqual(self.queue.one(told), 3 * 5 * 60)


if __name__ == '__main__':
    unittest.main()
