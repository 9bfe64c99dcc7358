"""Starts the built inferd as trtserver, with that program's flags."""

from support.server import Server


class TrtServer(Server):
    """One `inferd --as trtserver` on free ports, which looks at its store every second."""

    def __init__(self, store, *flags, ready=True, program="trtserver"):
        super().__init__(ready=ready)
        self.with_options(["--as", program, f"--model-store={store}", "--file-system-poll-secs=1", *flags])
