"""A worker of class host that helps class cpu."""

import datetime

from queue_case import QueueCase
from queue_client import job, task


class HelpCase(QueueCase):
    def setUp(self):
        super().setUp()
        # As fast as the estimates, both of them.
        self.helper = self.queue.register('helper', 'host', helps=['test:1'])
        self.queue.heartbeat(self.helper, slowness=1)
        self.queue.heartbeat(self.cpu, slowness=1)

    def backlog(self, tasks=20, seconds=1.0, team=None, age=2, **given):
        now = self.queue.now
        self.queue.now = now - datetime.timedelta(seconds=age)
        try:
            return self.submit(job(team or self.team, [task(seconds=seconds)] * tasks, **given))[0]
        finally:
            self.queue.now = now

    def state_of(self, team=None, device_class='cpu'):
        return self.queue.rows("""select s.* from account_state s join account a on a.id = s.account_id join device_class c on c.id = a.class_id
            where a.team_id = %s and c.name = %s""", team or self.team, device_class)[0]

    def helped(self, **given):
        return len(self.queue.claim_elsewhere(self.helper, **given))
