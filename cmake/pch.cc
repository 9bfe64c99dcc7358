// Exists so that the precompiled header belongs to one target, which all others reuse.
