"""Constants with which models compare."""

from types import SimpleNamespace

KSERVE_LOGLEVEL = "INFO"
constants = SimpleNamespace(KSERVE_LOGLEVEL=KSERVE_LOGLEVEL)
