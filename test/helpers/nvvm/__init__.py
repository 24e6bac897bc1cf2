"""Computations for NVIDIA GPUs: as kernels in PTX, and as CPU functions that call NVIDIA's host
functions."""
