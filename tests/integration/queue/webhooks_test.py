"""Completion notices in SQL: created when the job ends, handed out once at a time, never lost."""

import datetime
import unittest

from queue_case import QueueCase
from queue_client import job

LEASE = '120 s'


class Webhooks(QueueCase):
    def setUp(self):
        super().setUp()
        self.app = self.second_queue('plimsoll_app')
        self.hook = self.add_hook(self.team)
        self.begin = self.seconds_from_now(86_400)  # of deliveries: long after whatever this test makes

    def add_hook(self, team, url='https://hooks.example.com/'):
        return self.queue.one("""insert into webhook (team_id, user_id, name, url, secret)
            values (%s, 1, 'test', %s, decode(repeat('ab', 32), 'hex')) returning id""", team, url)

    def finish(self, team=None, **given):
        [job_id] = self.submit(job(team or self.team, **given))
        self.queue.complete(self.cpu, self.queue.claim(self.cpu))
        self.run_merges()
        return job_id

    def claim(self, limit=32, later=0, most=8, under_way=()):
        return self.app.rows('select * from claim_webhook_deliveries(%s, %s, %s, %s::bigint[], %s)', limit, LEASE, most,
                             [notice.id for notice in under_way], self.begin + datetime.timedelta(seconds=later))

    def settle(self, delivery, error=None, delay=None, attempt=None):
        return self.app.one('select settle_webhook_delivery(%s, %s::smallint, 200, %s, %s, %s)', delivery.id,
                            attempt or delivery.attempt, error, delay, self.begin)

    def state(self, delivery):
        return self.queue.rows('select * from webhook_delivery where id = %s', delivery.id)[0]

    def test_every_end_of_a_job_notifies_the_teams_webhooks(self):
        second = self.add_hook(self.team)
        self.add_hook(self.other_team)
        done = self.finish()
        [cancelled] = self.submit(job(self.team))
        self.queue.cancel(self.team, cancelled)
        told = self.claim()
        self.assertEqual(sorted((n.job_id, n.data['state']) for n in told),
                         sorted([(done, 'succeeded'), (cancelled, 'cancelled')] * 2))
        self.assertEqual(len({n.id for n in told}), 4)
        self.assertEqual({bytes(n.secret) for n in told}, {b'\xab' * 32})
        self.assertEqual(self.queue.one('select count(*) from webhook_delivery where webhook_id = %s', second), 2)

    def test_a_webhook_with_labels_hears_of_jobs_that_have_them_all(self):
        self.queue.connection.execute('''update webhook set labels = '{"desk": "energy", "run": "1"}' where id = %s''', (self.hook,))
        self.finish(labels='{"desk": "energy"}')
        self.finish()
        heard = self.finish(labels='{"desk": "energy", "run": "1", "more": "x"}')
        self.assertEqual([notice.job_id for notice in self.claim()], [heard])

    def test_a_notice_outlives_its_job(self):
        done = self.finish()
        self.assertEqual(self.queue.one('select outcome from delete_jobs(%s, array[%s::bigint])', self.team, done), 'deleted')
        [notice] = self.claim()
        self.assertEqual((notice.job_id, notice.data['items_total']), (done, 1))

    def test_an_attempt_is_handed_out_once_until_it_counts_as_lost(self):
        self.finish()
        [first] = self.claim()
        self.assertEqual(self.claim(), [])
        [second] = self.claim(later=121)
        self.assertEqual((second.id, first.attempt, second.attempt), (first.id, 1, 2))
        self.assertFalse(self.settle(first))  # too late: another attempt is under way
        self.assertEqual(self.state(first).state, 'pending')
        self.assertTrue(self.settle(second))
        self.assertEqual(self.state(first).state, 'delivered')
        self.assertFalse(self.settle(second, error='no'))
        self.assertEqual(self.claim(later=10_000), [])

    def test_a_failure_waits_and_the_last_one_ends_it(self):
        self.finish()
        [notice] = self.claim()
        self.settle(notice, 'The receiver responded with 500.', '60 s')
        self.assertEqual(self.claim(later=50), [])
        [again] = self.claim(later=61)
        self.settle(again, 'The receiver responded with 500.')
        ended = self.state(notice)
        self.assertEqual((ended.state, ended.error, ended.attempts), ('failed', 'The receiver responded with 500.', 2))

    def test_repeated_crashes_do_not_retry_forever(self):
        self.finish()
        later = 0
        for attempt in (1, 2, 3):
            [notice] = self.claim(later=later, most=3)
            self.assertEqual(notice.attempt, attempt)
            later += 121
        self.assertEqual(self.claim(later=later, most=3), [])
        self.assertEqual(self.state(notice).state, 'failed')

    def test_a_webhook_with_a_backlog_does_not_block_others(self):
        for _ in range(20):
            self.finish()
        other = self.add_hook(self.other_team, 'https://other.example.com/')
        told = self.finish(self.other_team)
        taken = self.claim(limit=8)
        self.assertIn(told, [n.job_id for n in taken])
        self.assertLessEqual(sum(n.url == 'https://hooks.example.com/' for n in taken), 4)
        self.assertIsNotNone(other)

    def test_receivers_that_hang_take_a_share_of_the_places(self):
        for _ in range(2):
            self.add_hook(self.team)
        for _ in range(10):
            self.finish()  # thirty notices of one team, which hang
        under_way = []
        for _ in range(10):
            taken = self.claim(under_way=under_way)
            under_way += taken
            of_hooks = [self.state(notice).webhook_id for notice in under_way]
            self.assertLessEqual(max(map(of_hooks.count, of_hooks)), 4)
        self.assertEqual(len(under_way), 8)
        self.add_hook(self.other_team, 'https://other.example.com/')
        told = self.finish(self.other_team)
        [first] = self.claim(limit=2, under_way=under_way[:2])
        self.assertEqual(first.job_id, told, 'the team with fewer under way comes first, though its notice is newer')
        self.settle(under_way[0])
        self.assertEqual(len(self.claim(under_way=under_way[1:])), 1)

    def test_a_place_is_left_for_a_team_whatever_hangs(self):
        for number in range(8):
            team = self.queue.make_team(f'hanging {number}')
            for _ in range(2):
                self.add_hook(team)
            for _ in range(4):
                self.finish(team)
        under_way = []
        while taken := self.claim(limit=32 - len(under_way), under_way=under_way):
            under_way += taken
        self.assertEqual(len(under_way), 25)
        told = self.finish()
        [notice] = self.claim(limit=32 - len(under_way), under_way=under_way)
        self.assertEqual(notice.job_id, told)

    def test_old_deliveries_are_deleted(self):
        self.finish()
        self.assertEqual(self.app.one('select forget_webhook_deliveries(30)'), 0)
        self.assertEqual(self.app.one('select forget_webhook_deliveries(30, 10, %s)', self.seconds_from_now(31 * 86_400)), 1)

    def test_the_application_sees_its_team_and_never_a_secret(self):
        self.finish()
        for table in ('webhook', 'webhook_delivery'):
            self.assertEqual(self.app.one(f'select count(*) from (select id from {table}) x'), 0)
            with self.app.connection.transaction():
                self.app.rows("select set_config('app.team_id', %s, true)", str(self.other_team))
                self.assertEqual(self.app.one(f'select count(*) from (select id from {table}) x'), 0)
            with self.app.connection.transaction():
                self.app.rows("select set_config('app.team_id', %s, true)", str(self.team))
                self.assertEqual(self.app.one(f'select count(*) from (select id from {table}) x'), 1)
        for forbidden in ('select secret from webhook', "update webhook set secret = 'x'", 'update webhook_delivery set attempts = 0',
                          'delete from webhook_delivery'):
            with self.assertRaisesRegex(Exception, 'permission denied'):
                self.app.rows(forbidden)


if __name__ == '__main__':
    unittest.main()
