# The page has the IR as versions of LLVM before 24 print it.
# UNSUPPORTED: llvm-at-least-24
# docs/pipeline.md is what its script writes.
# RUN: %python %src_root/scripts/docs/pipeline.py %tools_dir %t
# RUN: diff %src_root/docs/pipeline.md %t
