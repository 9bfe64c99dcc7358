"""The logger for models. It writes to stderr, which the server logs."""

import logging as _logging

KSERVE_LOGGER_NAME = "kserve"
logger = _logging.getLogger(KSERVE_LOGGER_NAME)


def configure_logging(log_config=None):
    """Does nothing: the server's options decide on the log."""
