"""What would miss a model: list_model_use."""

import json
import unittest

from queue_case import QueueCase
from queue_client import job


class ModelUse(QueueCase):
    def use(self, model='a'):
        return {row.sort: (row.own, row.ids, row.names, row.others)
                for row in self.queue.rows('select * from list_model_use(%s, %s)', self.team, model)}

    def test_jobs_that_have_not_ended_use_their_models(self):
        self.queue.register('with', capabilities=['model a 1', 'model b 2', 'model ab 3'])
        waits, both, measures, other, foreign = self.submit(
            job(self.team, capability='model a 1', name='first'), job(self.team, capability='model b 2,model a 1 int8', name=None),
            job(self.team, capability='measure a 1 fp32', name=None), job(self.team, capability='model ab 3', name=None),
            job(self.other_team, capability='model a 1', name='theirs'))
        self.assertEqual(self.use(), {'job': (3, [str(waits), str(both), str(measures)], ['first', '', ''], 1)})
        self.assertEqual(self.use('c'), {})
        for id in (waits, both, measures):
            self.queue.cancel(self.team, id)
        self.assertEqual(self.use(), {'job': (0, None, None, 1)})

    def test_policies_and_schedules_use_the_models_that_they_name(self):
        run = self.queue.connection.execute
        self.addCleanup(run, 'truncate team_record, schedule cascade')
        policies = {'fixed': {'model': 'a'}, 'ruled': {'model': 'b', 'rules': [{'model': 'a'}]},
                    'spare': {'model': 'b', 'fallback': ['c', 'a']}, 'others': {'model': 'ab'}}
        for name, definition in policies.items():
            run("insert into team_record (team_id, collection, section, name, data, user_id) values (%s, 'sentiment_policy', '', %s, %s, 1)",
                (self.team, name, json.dumps(definition)))
        specs = {'one': {'model': 'a'}, 'many': {'models': ['b', 'a']}, 'speed': {'sentiment_model': 'a'}, 'none': {'texts': []}}
        for team in (self.team, self.other_team):
            for name, args in specs.items():
                run("insert into schedule (team_id, user_id, name, spec, cron, time_zone, misfire, misfire_limit, overlap) "
                    "values (%s, 1, %s, %s, '0 3 * * *', 'UTC', 'skip', 1, 'skip')", (team, name, json.dumps({'args': args})))
        used = self.use()
        self.assertEqual(used['policy'], (3, ['fixed', 'ruled', 'spare'], ['fixed', 'ruled', 'spare'], 0))
        self.assertEqual((used['schedule'][0], used['schedule'][2:]), (3, (['one', 'many', 'speed'], 3)))


if __name__ == '__main__':
    unittest.main()
