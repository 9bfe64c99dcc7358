"""One HTTP/2 connection (with prior knowledge) to a server; the same calls as connection.Connection."""

import socket

import h2.config
import h2.connection
import h2.events


class Http2Connection:
    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def send(self, method, target, headers, body):
        """Sends `body` within the peer's flow-control window, reading what it says meanwhile."""
        fields = [(":method", method), (":path", target), (":scheme", "http"), (":authority", "localhost")]
        fields += [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(":") for line in headers)]
        self._stream = self._h2.get_next_available_stream_id()
        self._status, self._headers, self._body, self._ended = None, {}, b"", False
        self.trailers = Headers()  # behind the body of what was received last
        self._h2.send_headers(self._stream, fields, end_stream=not body)
        while body and not self._ended:
            window = min(self._h2.local_flow_control_window(self._stream), self._h2.max_outbound_frame_size)
            chunk, body = body[:window], body[window:]
            if chunk or not body:
                self._h2.send_data(self._stream, chunk, end_stream=not body)
            self._flush()
            if body and window == 0:
                self._read()
        self._flush()

    def receive(self, _):
        """(status, headers, body)."""
        while not self._ended:
            self._read()
        return self._status, self._headers, self._body

    def _flush(self):
        self._socket.sendall(self._h2.data_to_send())

    def _read(self):
        data = self._socket.recv(65536)
        assert data, "the server closed the connection"
        for event in self._h2.receive_data(data):
            assert not isinstance(event, h2.events.ConnectionTerminated), event
            if getattr(event, "stream_id", None) != self._stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                fields = dict(event.headers)
                self._status = int(fields.pop(":status"))
                self._headers = Headers(fields)
            elif isinstance(event, h2.events.TrailersReceived):
                self.trailers = Headers(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                self._body += event.data
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamReset):
                # RFC 9113, 8.1: the whole answer is there, and no more of the request is wanted.
                assert self._status is not None, f"reset without an answer: {event}"
                self._ended = True
            elif isinstance(event, h2.events.StreamEnded):
                self._ended = True
        self._flush()


class Headers(dict):
    """Names in lower case; asked for in any."""

    def get(self, name, default=None):
        return super().get(name.lower(), default)
