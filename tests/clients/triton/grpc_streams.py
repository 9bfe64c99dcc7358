"""A stream of tritonclient.grpc."""

import queue

from tritonclient.grpc import InferenceServerClient


class Stream:
    """A client with a stream whose answers are taken by next()."""

    def __init__(self, server, **options):
        self._answers = queue.Queue()
        self._client = InferenceServerClient(server.grpc_address)
        self._client.start_stream(lambda result, error: self._answers.put((result, error)), **options)
        self.send = self._client.async_stream_infer
        self.stop = self._client.stop_stream

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._client.stop_stream(cancel_requests=True)
        self._client.close()

    def next(self):
        """(result, error)"""
        return self._answers.get(timeout=30)

    def results(self, count):
        answers = [self.next() for _ in range(count)]
        assert [error for _, error in answers if error] == []
        return [result for result, _ in answers]
