"""The helpers of KServe that models use."""
