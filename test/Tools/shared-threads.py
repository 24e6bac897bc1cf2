# A shared library with multithreaded code can be loaded: it depends on its OpenMP runtime.
# RUN: rm -rf %t && mkdir %t
# RUN: quant-float-compile %S/../EntryPoint/Inputs/environment.mlir -o %t/threads.so --threads 2
# RUN: %python %s %t/threads.so
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
assert library.f32_f8e4m3fn, "expected the entry point of environment.mlir"
