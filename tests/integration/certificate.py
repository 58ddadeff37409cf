"""Certificates for tests, created with openssl: an authority, and a certificate that it signed."""

import pathlib
import subprocess


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_authority(folder):
    """(certificate, key) of an authority."""
    certificate, key = pathlib.Path(folder) / "ca.pem", pathlib.Path(folder) / "ca.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=Test authority", "-keyout", key, "-out", certificate)
    return certificate, key


def make_certificate(folder, authority, name="server", names="IP:127.0.0.1,DNS:localhost"):
    """(certificate, key) for these names."""
    folder = pathlib.Path(folder)
    request, certificate, key, extensions = (folder / f"{name}.{end}" for end in ("csr", "pem", "key", "ext"))
    extensions.write_text(f"subjectAltName={names}\n")
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", f"/CN={name}", "-keyout", key, "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", authority[0], "-CAkey", authority[1], "-CAcreateserial",
            "-days", "2", "-extfile", extensions, "-out", certificate)
    return certificate, key
