"""A page served to browsers on this machine, to nobody else unless asked to.

The server listens on the loopback address. A request must have the token of the printed address,
name the server by the address it listens on (`Host`: no foreign name that resolves to it) and, if
it comes from a page, come from our own (`Origin`). One port takes HTTP and websockets, which need
the same; without a `socket` there is only the page. Anybody on this machine can connect, so a fault
of a connection gets one line of the log, without a traceback.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import http
import logging
import secrets
import socket as sockets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from robot.live.ending_signals import NotedSignals, noted_signals
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

    Socket = Callable[[ServerConnection], Awaitable[None]]

LOOPBACK, PORT, TRIED = "127.0.0.1", 8800, 20  # first port of those tried by default
MESSAGE = 1 << 14  # bytes of a message of a page
BUFFER = 1 << 15  # bytes that a connection may have in store: they are read at one go
OPEN, CLOSE, END = 5.0, 0.3, 0.5  # s for a request, for a goodbye, for all goodbyes at the end
LINE = 300  # characters of a line of the log
ANYWHERE = ("", "0.0.0.0", "::")  # hosts that mean all addresses of this machine
SAFE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, kw_only=True)
class Served:
    """Address of a page: `host` and `port` that listen, and the `token` that a request needs."""

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    @property
    def url(self) -> str:
        """Address for a browser on this machine."""
        return f"http://{self._named}:{self.port}/?token={self.token}"

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach the port."""
        return self.host != "localhost" and not self.host.startswith("127.") and self.host != "::1"

    @property
    def _named(self) -> str:
        host = sockets.gethostname() if self.host in ANYWHERE else self.host
        return f"[{host}]" if ":" in host else host

    def refusal(self, path: str, host: str, origin: str | None) -> str:
        """Return why a request for `path` with these headers is refused; "" if it is not."""
        names = {f"{self._named}:{self.port}"}
        if not self.open_to_others:
            names |= {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        if self.host not in ANYWHERE and host not in names:
            return "wrong host: open the address that was printed"
        if origin is not None and origin != f"http://{host}":
            return "wrong origin: another page asks"
        given = parse_qs(urlsplit(path).query).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return "wrong token: open the address that was printed"
        return ""


def serve_page(
    text: str,
    ready: Callable[[Served], None],
    *,
    host: str = LOOPBACK,
    port: int | None = None,
    socket: Socket | None = None,
    leave: Callable[[], None] = lambda: None,
) -> int:
    """Serve a page until Ctrl-C, SIGTERM or SIGHUP; return the number of the signal.

    Parameters
    ----------
    text : the page. ready : called with the address once the port listens.
    port : None takes the first free one of twenty. socket : serves the page's websockets.
    leave : called when a signal has come, before connections are closed.

    Raises
    ------
    SoleError
        The port is taken, the host is none of this machine's, or websockets is not installed.
    """
    try:
        import websockets  # noqa: F401
    except ImportError as error:
        raise SoleError(
            "serving pages needs the package websockets: `pip install websockets`"
        ) from error
    with noted_signals() as asked:
        asyncio.run(_serve(text, ready, host, port, socket, leave, asked))
    return asked.number


async def _serve(
    text: str,
    ready: Callable[[Served], None],
    host: str,
    port: int | None,
    socket: Socket | None,
    leave: Callable[[], None],
    asked: NotedSignals,
) -> None:
    from websockets.asyncio.server import serve

    listening = _listen(host, port)
    served = Served(host=host, port=int(listening.getsockname()[1]))
    page = text.encode()

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        told = request.headers
        try:
            refused = served.refusal(request.path, told.get("Host", ""), told.get("Origin"))
            path = urlsplit(request.path).path
        except (ValueError, LookupError):  # no address; a header that came twice
            return _response(http.HTTPStatus.BAD_REQUEST, b"malformed request\n", "text/plain")
        if refused:
            return _response(http.HTTPStatus.FORBIDDEN, f"{refused}\n".encode(), "text/plain")
        if path == "/":
            return _response(http.HTTPStatus.OK, page, "text/html")
        if path == "/socket" and socket is not None:
            return None  # go on with the websocket
        return _response(http.HTTPStatus.NOT_FOUND, b"there is nothing here\n", "text/plain")

    async def nobody(connection: ServerConnection) -> None:
        """Never called: without a socket there is no handshake."""

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.set_exception_handler(_log_fault)
    server = await serve(
        socket or nobody,
        sock=listening,
        process_request=answer,
        compression=None,  # on this machine it costs more than it saves
        max_size=MESSAGE,
        open_timeout=OPEN,
        close_timeout=CLOSE,
        logger=log,
    )
    try:
        ready(served)
        asked.call(lambda: loop.call_soon_threadsafe(stop.set))
        await stop.wait()
        leave()
    finally:
        asked.call(lambda: None)
        loop.set_exception_handler(lambda *_: None)  # asyncio may go on to listen where nothing is
        server.close()
        with contextlib.suppress(TimeoutError):  # whoever does not say goodbye is cut off
            async with asyncio.timeout(END):
                await server.wait_closed()


class _OneLine(logging.Filter):
    """Shortens each record to a line without a traceback; drops what repeats the last one."""

    last = ""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is new."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        said = record.getMessage() + (f": {error!r}" if error else "")
        line = " ".join(said.split())[:LINE]
        record.msg, record.args, record.exc_info = line, (), None
        self.last, before = line, self.last
        return line != before


log = logging.getLogger(__name__)
log.addFilter(_OneLine())


def _log_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong in a callback, such as a connection for which no file was left."""
    log.error("%s: %r", context["message"], context.get("exception"))


def _response(status: http.HTTPStatus, body: bytes, kind: str) -> Response:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers(
        {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), **SAFE}
    )
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)


def check_port(host: str, port: int | None) -> None:
    """Refuse an address that cannot be listened on now; errors as for `serve_page`."""
    _listen(host, port).close()


def _listen(host: str, port: int | None) -> sockets.socket:
    """Return a bound socket; `port` None: the first free one from `PORT` on."""
    tried = range(PORT, PORT + TRIED) if port is None else (port,)
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    for number in tried:
        made = sockets.socket(family, sockets.SOCK_STREAM)
        made.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        made.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, BUFFER)  # connections inherit it
        try:
            made.bind((host, number))
        except (OSError, OverflowError) as error:
            made.close()
            if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
                continue
            raise SoleError(
                f"cannot listen on {host}, port {number}: {getattr(error, 'strerror', error)}"
            ) from error
        return made
    last = (
        f"ports {tried[0]} to {tried[-1]} are all taken"
        if port is None
        else f"port {port} is taken"
    )
    raise SoleError(f"{last} on {host}: choose another with --port")
