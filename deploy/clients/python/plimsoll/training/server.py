"""The two calls of Plimsoll's API that this package makes."""

import json
import os
import urllib.error
import urllib.request


class ServerError(Exception):
    """The server refused or did not respond."""


class Server:
    """A server and an API token: given, or from PLIMSOLL_SERVER and PLIMSOLL_TOKEN."""

    def __init__(self, address=None, token=None, timeout=30):
        self.address = (address or os.environ.get('PLIMSOLL_SERVER', '')).rstrip('/')
        self.token = token or os.environ.get('PLIMSOLL_TOKEN', '')
        self.timeout = timeout  # seconds
        if not self.address or not self.token:
            raise ServerError('Set PLIMSOLL_SERVER and PLIMSOLL_TOKEN.')

    def report(self, measurement):
        """Stores a TrainingMeasurementCreate of the API; returns it beside the prediction."""
        request = urllib.request.Request(
            self.address + '/v1/training-measurements', json.dumps(measurement).encode(),
            {'Authorization': f'Bearer {self.token}', 'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise ServerError(_reason(refused)) from refused
        except OSError as unreachable:
            raise ServerError(f'{self.address} does not respond: {unreachable}') from unreachable


def _reason(refused):
    try:
        problem = json.load(refused)
    except ValueError:
        return f'The server answered {refused.code}.'
    details = ' '.join(f"{error.get('pointer', '')} {error.get('detail', '')}".strip()
                       for error in problem.get('errors', []))
    return f"{problem.get('detail') or problem.get('title')} {details}".strip()
