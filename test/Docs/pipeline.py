# docs/pipeline.md is what its script writes.
# RUN: %python %src_root/scripts/docs/pipeline.py %tools_dir %t
# RUN: diff %src_root/docs/pipeline.md %t
