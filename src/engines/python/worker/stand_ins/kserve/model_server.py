"""The server that a model's file starts. It is inferd, which is already running."""

import argparse

parser = argparse.ArgumentParser(add_help=False)
for _flag, _type, _default in (("--http_port", int, 8080), ("--grpc_port", int, 8081), ("--workers", int, 1),
                               ("--max_threads", int, 4), ("--max_asyncio_workers", int, None), ("--log_config_file", str, None),
                               ("--access_log_format", str, None), ("--model_name", str, "model"), ("--predictor_host", str, None),
                               ("--predictor_protocol", str, "v1"), ("--explainer_host", str, None),
                               ("--predictor_request_timeout_seconds", int, 600), ("--predictor_request_retries", int, 0)):
    parser.add_argument(_flag, type=_type, default=_default)
for _flag in ("--enable_grpc", "--enable_docs_url", "--enable_latency_logging", "--configure_logging", "--predictor_use_ssl",
              "--enable_predictor_health_check"):
    parser.add_argument(_flag, type=lambda text: text.lower() in ("true", "1", "yes"), default=False)
args, _ = parser.parse_known_args()


class ModelServer:
    def __init__(self, *_, **__):
        self.registered = []

    def register_model(self, model, name=None):
        self.registered.append(model)

    def register_exception_handler(self, handler):
        """Does nothing: exceptions are answered like those of KServe's servers."""

    def start(self, models):
        """Replaced by the worker that runs the file, to get the models."""
        raise NotImplementedError("models are started by the server that loads their file")
