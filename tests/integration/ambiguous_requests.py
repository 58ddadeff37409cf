"""Bytes on which two HTTP parsers could disagree about where a request ends, or whose it is."""

# Would answer 404 with this path in the log; the marker of a second request that was seen.
HIDDEN = b"GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = b'{"token":"x"}'


def post(*fields, body=BODY, host=b"Host: localhost"):
    return b"POST /v1/sessions HTTP/1.1\r\n" + b"\r\n".join((host, b"Content-Type: application/json", *fields)) + b"\r\n\r\n" + body


def get(*fields, line=b"GET /healthz HTTP/1.1", host=b"Host: localhost"):
    return b"\r\n".join((line, host, *fields)) + b"\r\n\r\n"


LENGTH = b"Content-Length: %d" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)

REFUSED = {
    # Two lengths.
    "length and chunked": post(LENGTH, CHUNKED, body=CHUNKS),
    "chunked and length": post(CHUNKED, LENGTH, body=CHUNKS),
    "two lengths that differ": post(LENGTH, b"Content-Length: 0"),
    "two lengths that agree": post(LENGTH, LENGTH),
    "a list of lengths": post(b"Content-Length: 13, 13"),
    "a list of lengths that differ": post(b"Content-Length: 13, 0"),
    # Lengths that readers take for different numbers.
    "a signed length": post(b"Content-Length: +13"),
    "a negative length": post(b"Content-Length: -1"),
    "a hexadecimal length": post(b"Content-Length: 0xd"),
    "a length with a point": post(b"Content-Length: 13.0"),
    "a length with a blank": post(b"Content-Length: 1 3"),
    "a length beyond 64 bits": post(b"Content-Length: 18446744073709551629"),
    "an empty length": post(b"Content-Length:"),
    "a length of letters": post(b"Content-Length: thirteen"),
    # Codings that some readers take for chunked, and others do not.
    "gzip, chunked": post(b"Transfer-Encoding: gzip, chunked", body=CHUNKS),
    "chunked, gzip": post(b"Transfer-Encoding: chunked, gzip", body=CHUNKS),
    "chunked, chunked": post(b"Transfer-Encoding: chunked, chunked", body=CHUNKS),
    "identity, chunked": post(b"Transfer-Encoding: identity, chunked", body=CHUNKS),
    "chunked twice": post(CHUNKED, CHUNKED, body=CHUNKS),
    "identity": post(b"Transfer-Encoding: identity", LENGTH),
    "xchunked": post(b"Transfer-Encoding: xchunked", body=CHUNKS),
    "chunked in quotes": post(b'Transfer-Encoding: "chunked"', body=CHUNKS),
    "chunked behind a vertical tab": post(b"Transfer-Encoding: \x0bchunked", body=CHUNKS),
    "chunked in HTTP/1.0": post(CHUNKED, body=CHUNKS).replace(b"HTTP/1.1", b"HTTP/1.0"),
    # Names that some readers trim.
    "a blank before the colon": post(b"Transfer-Encoding : chunked", body=CHUNKS),
    "a tab before the colon": post(b"Content-Length\t: 13"),
    "a blank before the first name": b"POST /v1/sessions HTTP/1.1\r\n Host: localhost\r\n" + LENGTH + b"\r\n\r\n" + BODY,
    "a NUL in a name": post(b"Content-Length\0: 13"),
    "a NUL in a value": post(b"X-Note: a\0b", LENGTH),
    "a field without a name": post(b": 13", LENGTH),
    "a field without a colon": post(b"Content-Length 13"),
    # Lines.
    "a folded coding": post(b"Transfer-Encoding:\r\n chunked", body=CHUNKS),
    "a folded field": post(LENGTH, b"X-Note: a\r\n\tb"),
    "bare line feeds": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
    "a bare line feed in a value": get(b"X-Note: a\nTransfer-Encoding: chunked"),
    "a bare carriage return": get(b"X-Note: a\rb"),
    "a carriage return in the request line": get(line=b"GET /healthz\r HTTP/1.1"),
    # Chunks.
    "a chunk size of letters": post(CHUNKED, body=b"zz\r\n"),
    "a chunk size with 0x": post(CHUNKED, body=b"0xd\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a signed chunk size": post(CHUNKED, body=b"+d\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a negative chunk size": post(CHUNKED, body=b"-d\r\n"),
    "a chunk size beyond 64 bits": post(CHUNKED, body=b"1000000000000000d\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "no line end behind a chunk": post(CHUNKED, body=b"d\r\n" + BODY + b"0\r\n\r\n"),
    "a chunk that is longer than said": post(CHUNKED, body=b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a chunk size on a bare line feed": post(CHUNKED, body=b"d\n" + BODY + b"\r\n0\r\n\r\n"),
    "a length in a trailer": post(CHUNKED, body=CHUNKS[:-2] + b"Content-Length: 500\r\n\r\n"),
    # Whose it is.
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": get(b"Host: evil.example"),
    "two equal hosts": get(b"Host: localhost"),
    "an empty host": get(host=b"Host:"),
    "a host with a path": get(host=b"Host: localhost/evil"),
    "a host with a user": get(host=b"Host: evil@localhost"),
    "another name": get(host=b"Host: evil.example"),
    "two credentials": get(b"Authorization: Bearer a", b"Authorization: Bearer b"),
    "two kinds of body": post(LENGTH, b"Content-Type: text/plain"),
    # Request lines.
    "two blanks": get(line=b"GET  /healthz HTTP/1.1"),
    "no version": get(line=b"GET /healthz"),
    "another version": get(line=b"GET /healthz HTTP/2.0"),
    "a lower-case protocol": get(line=b"GET /healthz http/1.1"),
    "a version of three": get(line=b"GET /healthz HTTP/1.1.1"),
    "a blank in the target": get(line=b"GET /healthz /v1/jobs HTTP/1.1"),
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}

# Where it ends is clear: it is refused alone, and the request behind it is answered.
REFUSED_ALONE = {
    "an authority alone": get(line=b"CONNECT localhost:1 HTTP/1.1"),
    "a target that goes up": get(line=b"GET /v1/../healthz HTTP/1.1"),
    "an encoded target that goes up": get(line=b"GET /v1/%2e%2e/healthz HTTP/1.1"),
    "a method that nothing knows": get(line=b"TRACE /healthz HTTP/1.1"),
}

# What one reader in front may send and must be understood, with the request behind it.
UNDERSTOOD = {
    "a length": post(LENGTH),
    "chunks": post(CHUNKED, body=CHUNKS),
    "chunks, said in capitals": post(b"Transfer-Encoding: CHUNKED", body=CHUNKS),
    "chunks with a trailer": post(CHUNKED, body=CHUNKS[:-2] + b"X-Sum: 1\r\n\r\n"),
    "a short extension": post(CHUNKED, body=b"d;a=b\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "zeros before a length": post(b"Content-Length: 0013"),
    "an upgrade that is not taken": get(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__"),
}
