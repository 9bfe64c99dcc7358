"""Lines of models: to stderr, which is the server's."""

import logging as _logging

KSERVE_LOGGER_NAME = "kserve"
logger = _logging.getLogger(KSERVE_LOGGER_NAME)


def configure_logging(log_config=None):
    """The server's options say where lines go."""
