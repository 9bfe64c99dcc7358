"""What runs beside a model in its process. Nothing here is for models to import."""
