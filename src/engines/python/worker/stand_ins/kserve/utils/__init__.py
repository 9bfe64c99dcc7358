"""What models use of KServe's helpers."""
