"""No Python process of the tests reaches beyond this machine: whatever tries is stopped where it tries."""

import ipaddress
import socket
import sys
from typing import Any


class OutgoingRequest(OSError):
    """Something wanted to leave this machine."""


def _stays(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or host in ("", "localhost", socket.gethostname()):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified or _is_own(address)


def _is_own(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether it is one of this machine's, where a server may listen."""
    try:
        with socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6) as trying:
            trying.bind((str(address), 0))
    except OSError:
        return False
    return True


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = args[1]
        if isinstance(address, tuple) and not _stays(address[0]):
            raise OutgoingRequest(f"{event} to {address}: tests stay on this machine")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname") and not _stays(args[0]):
        raise OutgoingRequest(f"{event} of {args[0]!r}: tests stay on this machine")


sys.addaudithook(_watch)
