"""What an authenticator app shows (RFC 6238), written anew so that it shares no fault with the server."""

import base64
import hashlib
import hmac
import struct
import time

STEP = 30  # seconds


def code_of(secret, later=0):
    """The code of a secret in base 32, now or some seconds later."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, struct.pack(">Q", int(time.time() + later) // STEP), hashlib.sha1)
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1000000:06}"
