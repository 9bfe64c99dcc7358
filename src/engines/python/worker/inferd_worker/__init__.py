"""The code that runs beside a model in its process. Models must not import it."""
