# The page contains the IR as printed by versions of LLVM before 24.
# UNSUPPORTED: llvm-at-least-24
# docs/pipeline.md equals the output of its script.
# RUN: %python %src_root/scripts/docs/pipeline.py %tools_dir %t
# RUN: diff %src_root/docs/pipeline.md %t
