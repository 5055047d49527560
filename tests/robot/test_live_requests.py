"""What anybody on this machine can send to `sole live`'s port: a request costs a line at most."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

PROGRAM = """
import asyncio
from robot.live import serve_page
async def socket(connection):
    async for text in connection:
        raise ValueError("a fault\\nof two lines")
number = serve_page("the page", lambda s: print(s.url, flush=True), port=0, socket=socket)
print(number)
"""
TOKEN = b"TOKEN"  # replaced by the right one
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
BAD = [
    b"GET //[::1 HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET //[?token=x HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET http://[x/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HOST\r\nOrigin: a\r\nOrigin: b\r\n\r\n",
    b"GET /?token=%ff%fe%00 HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET /?token=\xff HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: HOST\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n\r\nabc",
    b"POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nno header\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    b"\r\n" * 500,
    b"\n",
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n" + UPGRADE + b"\r\n",
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n" + UPGRADE + b"Upgrade: \xff\r\n\r\n",
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n" + UPGRADE
    + b"Sec-WebSocket-Key: \xe4\xff\r\nSec-WebSocket-Version: 13\r\n\r\n",
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n" + UPGRADE
    + b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    + b"\xff" * 50,
]  # fmt: skip
UPGRADED = (
    b"GET /socket?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n" + UPGRADE
    + b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)  # fmt: skip


def mixed(count):
    """`count` requests of parts of the bad ones, with bytes changed."""
    draw, parts = random.Random(4), [p + b"\r\n" for b in BAD for p in b[:400].split(b"\r\n")]
    for _ in range(count):
        made = bytearray(b"GET " + b"".join(draw.choices(parts, k=draw.randint(1, 5))))
        for _ in range(draw.randint(0, 8)):
            made[draw.randrange(len(made))] = draw.randrange(256)
        yield bytes(made) + b"\r\n" * draw.randint(0, 2)


@pytest.fixture
def server(root):
    """A server of one page; its process and address."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
    )  # fmt: skip
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@contextmanager
def sent(url, data):
    """A connection on which a request was sent."""
    host, token = url.split("/")[2], url.partition("token=")[2]
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=10) as link:
        link.sendall(data.replace(b"HOST", host.encode()).replace(TOKEN, token.encode()))
        yield link


def test_no_request_costs_more_than_a_line_and_the_server_goes_on(server):
    process, url = server
    requests = [*BAD, *mixed(150)]
    answers = []
    for k, data in enumerate(requests):
        try:
            with sent(url, data) as link:
                if k > 7:  # the first are whole and are answered; others would be waited for
                    link.shutdown(socket.SHUT_WR)
                while got := link.recv(1 << 16):
                    answers.append(got[:12])
        except OSError:
            pass  # it was cut off
    assert len(requests) > 170 and {b"HTTP/1.1 400", b"HTTP/1.1 403"} <= set(answers)
    assert b"HTTP/1.1 500" not in answers
    with sent(url, UPGRADED + b"\x81\x81\0\0\0\0x") as link:  # a text, "x"
        while link.recv(1 << 16):
            pass
    half = sent(url, b"GET / HTTP/1.1\r\nHost: HO"), sent(url, UPGRADED)
    with half[0], half[1]:  # neither says goodbye
        assert urllib.request.urlopen(url, timeout=20).read() == b"the page"
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        out, errors = process.communicate(timeout=60)
        assert time.monotonic() - begun < 3  # s: the bound
    assert (process.returncode, int(out)) == (0, signal.SIGTERM)
    # websockets 15 logs requests that it cannot read, 17 does not
    assert len(errors.splitlines()) <= len(requests) + 3 and "Traceback" not in errors
    (fault,) = [line for line in errors.splitlines() if "a fault" in line]
    assert fault == "connection handler failed: ValueError('a fault\\nof two lines')"


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_connections_beyond_the_files_of_the_process_cost_one_line(server):
    import resource

    process, url = server
    assert urllib.request.urlopen(url, timeout=20).read() == b"the page"
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (12, 12))
    links = [sent(url, b"GET") for _ in range(30)]
    for link in links:
        link.__enter__()
    time.sleep(0.3)
    for link in links:
        link.__exit__(None, None, None)
    assert urllib.request.urlopen(url, timeout=20).read() == b"the page"
    process.send_signal(signal.SIGHUP)
    out, errors = process.communicate(timeout=60)
    lines = errors.splitlines()
    assert any("Too many open files" in line for line in lines) and len(lines) <= 31
    assert "Traceback" not in errors
    assert (process.returncode, int(out)) == (0, signal.SIGHUP)
