"""The four kinds of call of the echo service on a channel, sync or asyncio: messages are bytes, as they are on the wire."""

import random
import struct

from support.echo import SERVICE


def unary(channel):
    return channel.unary_unary(SERVICE + "Unary")


def server_stream(channel):
    return channel.unary_stream(SERVICE + "ServerStream")


def client_stream(channel):
    return channel.stream_unary(SERVICE + "ClientStream")


def bidi(channel):
    return channel.stream_stream(SERVICE + "Bidi")


def copies(count, text=b""):
    """A message that ServerStream answers `count` times."""
    return struct.pack("<I", count) + text


def compressible(size):
    """Bytes that shrink to half: more would look like a bomb to the server."""
    return random.Random(1).randbytes(size // 2).hex().encode()
