"""Follows a job's numbered events through cut connections and server restarts, as a browser would."""

import http.client
import threading

from patience import PATIENCE, until


class Follower:
    """`port` is asked before each connection, and may wait until there is a server."""

    def __init__(self, port, token, job):
        self.port, self.token, self.job, self.connections = port, token, job, 0
        self.seen = []  # number and type
        self.news = threading.Condition()

    def follow(self):
        """Returns at the end of the stream."""
        until(self.connect, f'events of {self.job}')
        return self

    def wait_for(self, events):
        """Until that many were seen."""
        with self.news:
            assert self.news.wait_for(lambda: len(self.seen) >= events, PATIENCE), self.seen

    def connect(self):
        """True when the server says that nothing more will come."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port(), timeout=60)
        self.connections += 1
        headers = {'Authorization': 'Bearer ' + self.token, 'Accept': 'text/event-stream'}
        if self.seen:
            headers['Last-Event-ID'] = str(self.seen[-1][0])
        try:
            connection.request('GET', f'/v1/jobs/{self.job}/events', headers=headers)
            answer = connection.getresponse()
            if answer.status == 204:
                return True
            assert answer.status in (200, 429, 503), answer.status
            if answer.status == 200:
                self.read(answer)
            # 429: the server has not noticed yet that earlier streams were cut. 503: its database is down.
        finally:
            connection.close()
        return None

    def read(self, answer):
        fields = {}
        while line := answer.readline():
            name, _, value = line.decode().rstrip('\r\n').partition(': ')
            if name:
                fields[name] = value
                continue
            if 'id' in fields:  # only a blank line makes an event of what came
                with self.news:
                    self.seen.append((int(fields['id']), fields['event']))
                    self.news.notify_all()
            fields = {}
