"""Computations for NVIDIA GPUs: as kernels in PTX, and as functions of the CPU by NVIDIA's host functions."""
