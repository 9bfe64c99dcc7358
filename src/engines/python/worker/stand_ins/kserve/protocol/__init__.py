"""The messages of Predict V2."""
