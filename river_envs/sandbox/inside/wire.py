"""Messages between the parent and its namespaces: a JSON head, a binary payload and descriptors, over a socket."""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

_HEAD = struct.Struct("!IQ")
_CREDENTIALS = struct.Struct("3i")
_MAX_DESCRIPTORS = 250  # the kernel passes at most 253 at once


class Channel:
    """One end of a stream socket. Not safe for several threads at once: the owner holds a lock."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection

    def fileno(self) -> int:
        """The descriptor, for poll."""
        return self.socket.fileno()

    def close(self) -> None:
        """Close this end."""
        self.socket.close()

    def send(self, message: dict[str, Any], payload: bytes | bytearray | memoryview = b"",
             descriptors: Sequence[int] = ()) -> None:
        """Send one message. Raises OSError when the other side is gone, ValueError for too many descriptors."""
        if len(descriptors) > _MAX_DESCRIPTORS:
            raise ValueError(f"{len(descriptors)} descriptors in one message; at most {_MAX_DESCRIPTORS} can be passed")
        head = json.dumps(message, separators=(",", ":")).encode()
        data = _HEAD.pack(len(head), len(payload)) + head
        ancillary = []
        if descriptors:
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        sent = self.socket.sendmsg([data], ancillary)
        if sent < len(data):
            self.socket.sendall(data[sent:])
        if payload:
            self.socket.sendall(payload)

    def receive(self) -> tuple[dict[str, Any], bytes, list[int]]:
        """Wait for one message. Raises EOFError when the other side closed, TimeoutError after the socket's timeout."""
        space = socket.CMSG_LEN(_MAX_DESCRIPTORS * 4)
        data, ancillary, _, _ = self.socket.recvmsg(_HEAD.size, space, socket.MSG_CMSG_CLOEXEC)
        if not data:
            raise EOFError("the other side closed the connection")
        descriptors = array.array("i")
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(content[: len(content) - len(content) % 4])
        data += self._exactly(_HEAD.size - len(data))
        head_size, payload_size = _HEAD.unpack(data)
        head = json.loads(self._exactly(head_size))
        return head, self._exactly(payload_size), list(descriptors)

    def _exactly(self, size: int) -> bytes:
        if not size:
            return b""
        buffer = bytearray(size)
        view = memoryview(buffer)
        done = 0
        while done < size:
            count = self.socket.recv_into(view[done:])
            if not count:
                raise EOFError("the other side closed the connection in the middle of a message")
            done += count
        return bytes(buffer)


def receive_hello(connection: socket.socket) -> int:
    """The process id of whoever sends one byte, as the receiver's own process namespace numbers it.

    ``SO_PASSCRED`` must have been set on ``connection`` before the byte was sent. Raises EOFError when nobody did.
    """
    data, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_LEN(_CREDENTIALS.size))
    for level, kind, content in ancillary:
        if data and level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return int(_CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0])
    raise EOFError("the sandbox process ended before it could start")


def close_all(descriptors: Sequence[int]) -> None:
    """Close every descriptor."""
    for descriptor in descriptors:
        os.close(descriptor)
