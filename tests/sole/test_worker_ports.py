"""Ports of our own workers: nobody gets in without the certificate of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from sole.studies.cluster import hire_workers
from sole.studies.workforce import Workforce

NOBODY = 65534
# As the owner without a certificate, then as another user: asks every port for its identity, in
# plain text and with a certificate of its own, and asks for a page. Prints what was answered.
STRANGER = """
import asyncio, json, os, sys, urllib.request
from distributed.comm import connect
from distributed.security import Security
ports, user = json.loads(sys.argv[1])
own = Security.temporary()
async def ask(port, scheme, **options):
    comm = await connect(f"{scheme}://127.0.0.1:{port}", timeout=0.5, **options)
    try:
        await comm.write({"op": "identity", "reply": True})
        return [port, scheme, str(await comm.read())[:80]]
    finally:
        comm.abort()
def page(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=0.5) as answer:
        return [port, "http", answer.read().decode()]
async def ask_all():
    plain = [ask(p, "tcp") for p in ports]
    foreign = [ask(p, "tls", **own.get_connection_args("client")) for p in ports]
    pages = [asyncio.to_thread(page, p) for p in ports]
    asked = [asyncio.wait_for(a, 1) for a in (*plain, *foreign, *pages)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    return [os.getuid(), len(found), [a for a in found if not isinstance(a, BaseException)]]
answers = [asyncio.run(ask_all())]
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    answers.append(asyncio.run(ask_all()))
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def client():
    with hire_workers(Workforce(workers=1)) as client:
        yield client


@pytest.fixture(scope="module")
def ports(client):
    own = psutil.Process()
    return [
        found.laddr.port
        for process in (own, *own.children(recursive=True))
        for found in process.net_connections()
        if found.status == psutil.CONN_LISTEN
    ]


def test_strangers_are_refused_at_every_port(client, ports):
    assert len(ports) == 5  # scheduler, nanny, worker; two HTTP servers without pages
    root = os.getuid() == 0
    asked = [sys.executable, "-c", STRANGER, json.dumps([ports, NOBODY if root else 0])]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    users = [os.getuid(), NOBODY] if root else [os.getuid()]
    assert json.loads(done.stdout) == [[u, 3 * len(ports), []] for u in users]
    assert client.run_on_scheduler(os.getuid) == os.getuid()  # with the certificate
    assert client.submit(os.getuid).result() == os.getuid()
    if not root:
        pytest.skip("only root can try as another user; refused as the owner")


def test_the_folder_of_the_workers_and_the_key_are_for_their_owner(client):
    (folder,) = client.run(lambda dask_worker: dask_worker.local_directory).values()
    closed = [p for p in Path(folder).parents if p.name.startswith("sole-workers-")]
    assert [p.stat().st_mode & 0o077 for p in closed] == [0]
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        assert "PRIVATE KEY" not in " ".join([*process.cmdline(), *process.environ().values()])
