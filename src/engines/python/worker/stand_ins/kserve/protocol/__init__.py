"""The messages of V2."""
