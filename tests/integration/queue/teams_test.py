"""Isolation of teams, and authentication of users."""

import unittest
from concurrent.futures import ThreadPoolExecutor

import psycopg

from queue_case import QueueCase
from queue_client import job

TEAM_TABLES = ('job', 'task', 'job_task', 'result', 'event', 'report', 'job_standing', 'job_label')


class Teams(QueueCase):
    def setUp(self):
        super().setUp()
        self.app = self.second_queue('plimsoll_app')
        self.user = self.person('ada')
        self.member(self.team, self.user, 'owner')

    def person(self, name):
        return self.queue.one('insert into app_user (name, email) values (%s, %s) returning id', name, f'{name}@example.org')

    def member(self, team, user, role):
        self.queue.rows('insert into membership (team_id, user_id, role) values (%s, %s, %s) returning 1', team, user, role)

    def as_team(self, team, sql, *values, setting='app.team_id'):
        with self.app.connection.transaction():
            self.app.rows('select set_config(%s, %s, true)', setting, str(team))
            named = len(values) == 1 and isinstance(values[0], dict)
            cursor = self.app.connection.execute(sql, values[0] if named else values)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    def test_a_team_sees_its_own_rows_and_without_a_team_there_are_none(self):
        for team in (self.team, self.other_team):
            self.submit(job(team, labels='{"desk": "energy"}'), job(team, 2))
        tasks = self.queue.claim(self.cpu)
        self.queue.call('record_log', 'int int bigint bigint[] int[] json[]', *self.cpu, tasks[0].fence, [t.job_id for t in tasks],
                        [t.task for t in tasks], ['[[1, 1, 0, "said"]]'] * len(tasks))
        self.queue.complete(self.cpu, tasks[:1], outcome='retry', error='again')
        self.queue.complete(self.cpu, tasks[1:])
        self.run_merges()
        for table in TEAM_TABLES:
            seen = {r.team_id for r in self.as_team(self.team, f'select team_id from {table}')}
            self.assertLessEqual(seen, {self.team}, table)
            self.assertTrue(seen, table)
            self.assertEqual(self.app.one(f'select count(*) from {table}'), 0, table)
            self.assertEqual(self.as_team('', f'select count(*) from {table}')[0][0], 0, table)
            self.assertEqual(self.as_team('on', f'select count(*) from {table}', setting='app.system')[0][0], 0, table)

    def test_jobs_looked_up_by_id_are_the_teams_own(self):
        own, foreign = self.submit(job(self.team), job(self.other_team))
        both = lambda team: [r.id for r in self.as_team(team, 'select id from read_jobs(%s)', [own, foreign])]
        self.assertEqual(both(self.team), [own])
        self.assertEqual(both(self.other_team), [foreign])
        self.assertEqual(both(''), [])
        self.assertEqual(both(self.team), [own])  # the plan that is kept knows no team

    def test_a_call_for_another_team_is_refused(self):
        [foreign] = self.submit(job(self.other_team))
        ask = "'2026-01-01', '2026-01-02', '{}', 5"
        calls = {
            'cancel_job(%(team)s, %(job)s)', 'delete_jobs(%(team)s, array[%(job)s])', 'redrive_jobs(%(team)s, array[%(job)s])',
            'explain_wait(%(team)s, %(job)s)', 'explain_missing(%(team)s, %(job)s)', "list_model_use(%(team)s, 'm')", "find_submit(%(team)s, 'k', 'f')", 'delete_dataset(%(team)s, 1)',
            "create_dataset(%(team)s, 1, 'd', 'csv', 1, 9, 9, 9)", f'read_usage(%(team)s, {ask})', 'list_holds(%(team)s)',
            'list_shares(%(team)s)', 'list_team_limits(%(team)s)', 'set_team_limit(%(team)s, 1, 1)',
            "set_share(%(team)s, 'cpu', 1, null, null, 'day')", 'lift_hold(1, %(team)s)',
            "place_hold('team', %(team)s::text, 'pause', '', false, 1)", "place_hold('node', 'n', 'pause', '', false, 1)"}
        for call in sorted(calls):
            for team in (self.other_team, None):
                with self.subTest(call, team=team), self.assertRaises(psycopg.Error) as raised:
                    self.as_team(self.team, f'select * from {call}', {'team': team, 'job': foreign})
                self.assertEqual(raised.exception.sqlstate, 'PLM04')
        self.assertEqual(self.queue.state(foreign), 'queued')
        self.assertEqual(self.as_team(self.other_team, 'select cancel_job(%s, %s)', self.other_team, foreign), [('cancelled',)])

    def test_a_sign_in_is_refused_in_a_teams_transaction(self):
        for call in ("begin_password_attempt('ada', null, '192.0.2.1')", "change_password(1, 'hash', null, 1)",
                     "sign_in_provided_user('issuer', 'subject', array['ada'], null, true, true, '{}', '{}', null, 'request')"):
            with self.subTest(call), self.assertRaises(psycopg.Error) as raised:
                self.as_team(self.team, f'select * from {call}')
            self.assertEqual(raised.exception.sqlstate, 'PLM04')
            self.as_team('on', f'select * from {call}', setting='app.system')

    def test_a_submit_names_the_teams_of_all_its_jobs(self):
        jobs = job(self.team), job(self.other_team)
        for setting, teams in (('app.team_id', self.team), ('app.teams', f'{{{self.team}}}'), ('app.teams', '')):
            with self.subTest(setting, teams=teams), self.assertRaises(psycopg.Error) as raised:
                with self.app.connection.transaction():
                    self.app.rows('select set_config(%s, %s, true)', setting, str(teams))
                    self.app.enqueue(*jobs)
            self.assertEqual(raised.exception.sqlstate, 'PLM04')
        with self.app.connection.transaction():
            self.app.rows("select set_config('app.teams', %s, true)", f'{{{self.team}, {self.other_team}}}')
            self.assertEqual([row.outcome for row in self.app.enqueue(*jobs)], ['created'] * 2)
            self.assertEqual(self.app.rows('select id from job'), [])

    def test_the_application_may_rename_its_jobs_and_change_nothing_else(self):
        mine, foreign = self.submit(job(self.team), job(self.other_team))
        self.assertEqual(self.as_team(self.team, "update job set name = 'new', labels = '{}' where id in (%s, %s)", mine, foreign), 1)
        for sql in ("update job set state = 'succeeded'", 'delete from job', 'update result set content = null', 'select * from ready',
                    'select * from lease', 'select * from idempotency_key', 'update audit_event set data = null', 'delete from audit_event'):
            with self.assertRaises(psycopg.errors.InsufficientPrivilege, msg=sql):
                self.as_team(self.team, sql)

    def test_each_submit_leaves_an_audit_row_per_user_with_its_team(self):
        again = dict(key='k', fingerprint=b'f')
        other = self.user + 1
        ids = self.submit(job(self.team, user=other), job(self.team, user=self.user, **again),
                          job(self.other_team, user=other), job(self.team, user=other))
        self.submit(job(self.team, user=self.user, **again))
        told = "select user_id, action, target, data from audit_event where action = 'job.create' order by id"
        self.assertEqual(self.as_team(self.team, told), [(other, 'job.create', None, {'jobs': [str(ids[0]), str(ids[3])]}),
                                                         (self.user, 'job.create', str(ids[1]), {})])

    def test_the_audit_row_of_one_users_jobs_names_them_all(self):
        ids = self.submit(*[job(self.team, user=self.user)] * 3)
        [told] = self.as_team(self.team, "select first_job, last_job, target, data from audit_event where action = 'job.create'")
        self.assertEqual(told, (ids[0], ids[2], None, {'jobs': [str(id) for id in ids]}))

    def test_users_are_visible_in_their_teams(self):
        stranger = self.person('grace')
        self.member(self.other_team, stranger, 'owner')
        self.assertEqual([r.name for r in self.as_team(self.team, 'select name from app_user')], ['ada'])
        self.assertEqual(self.app.rows('select name from app_user'), [])
        self.assertEqual(len(self.as_team('on', 'select name from app_user', setting='app.system')), 2)
        with self.assertRaises(psycopg.errors.InsufficientPrivilege):
            self.as_team(self.team, "insert into membership (team_id, user_id, role) values (%s, %s, 'owner')", self.other_team, self.user)

    def token(self, mark=b'a', expires=None):
        hash = mark * 32
        self.queue.rows("""insert into token (team_id, user_id, name, hash, hint, scopes, expires_at)
            values (%s, %s, 'laptop', %s, 'plm_', '{jobs:read}', %s) returning id""", self.team, self.user, hash, expires)
        return hash

    def authenticate(self, hash):
        return self.app.rows('select * from authenticate_token(%s)', hash)

    def test_a_token_is_good_until_it_expires_is_revoked_or_its_owner_leaves(self):
        good, old = self.token(b'a'), self.token(b'b', self.seconds_from_now(-1))
        self.assertEqual([(r.user_id, r.team_id, r.role, r.scopes) for r in self.authenticate(good)], [(self.user, self.team, 'owner', ['jobs:read'])])
        self.assertIsNotNone(self.queue.one('select last_used_at from token where hash = %s', good))
        self.assertEqual((self.authenticate(old), self.authenticate(b'c' * 32)), ([], []))
        for spoil, mend in (('update token set revoked_at = now()', 'update token set revoked_at = null'),
                            ('update app_user set disabled_at = now()', 'update app_user set disabled_at = null')):
            self.queue.connection.execute(spoil)
            self.assertEqual(self.authenticate(good), [])
            self.queue.connection.execute(mend)
            self.assertEqual(len(self.authenticate(good)), 1)
        second = self.person('grace')
        self.member(self.team, second, 'owner')
        self.queue.connection.execute('delete from membership where user_id = %s', (self.user,))
        self.assertEqual(self.authenticate(good), [])

    def test_a_sign_in_link_is_consumed_once_even_by_two_at_once(self):
        link = b'l' * 32
        self.queue.rows('insert into sign_in_link (team_id, user_id, hash, expires_at) values (%s, %s, %s, %s) returning id',
                        self.team, self.user, link, self.seconds_from_now(86_400))
        queues = [self.second_queue('plimsoll_app') for _ in range(8)]
        with ThreadPoolExecutor() as pool:
            spent = sum(pool.map(lambda queue: queue.rows('select * from spend_sign_in_link(%s)', link), queues), [])
        self.assertEqual([(r.user_id, r.team_id) for r in spent], [(self.user, self.team)])

    def test_a_session_ends(self):
        hash = b's' * 32
        session = self.queue.one("insert into session (team_id, user_id, hash, csrf, expires_at) values (%s, %s, %s, 'csrf-of-sixteen-letters', %s) returning id",
                                 self.team, self.user, hash, self.seconds_from_now(86_400))
        seen = lambda: [(r.session_id, r.csrf) for r in self.app.rows('select * from authenticate_session(%s)', hash)]
        self.assertEqual(seen(), [(session, 'csrf-of-sixteen-letters')])
        self.queue.connection.execute('update session set ended_at = now()')
        self.assertEqual(seen(), [])

    def test_a_team_keeps_an_owner_even_when_two_leave_at_once(self):
        second = self.person('grace')
        self.member(self.team, second, 'owner')
        queues = [self.second_queue() for _ in range(2)]
        outcomes = []

        def leave(queue, user):
            try:
                queue.connection.execute('delete from membership where user_id = %s', (user,))
                return 'left'
            except psycopg.Error as error:
                return error.sqlstate

        with ThreadPoolExecutor() as pool:
            outcomes = sorted(pool.map(leave, queues, (self.user, second)))
        self.assertEqual(outcomes, ['PLM02', 'left'])
        with self.assertRaises(psycopg.Error) as raised:
            self.queue.connection.execute("update membership set role = 'viewer' where team_id = %s", (self.team,))
        self.assertEqual(raised.exception.sqlstate, 'PLM02')
        self.queue.connection.execute('delete from team where id = %s', (self.team,))  # a whole team may go


if __name__ == '__main__':
    unittest.main()
