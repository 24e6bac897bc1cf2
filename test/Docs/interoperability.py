# The table of docs/interoperability.md is what its script writes.
# RUN: cp %src_root/docs/interoperability.md %t
# RUN: %python %src_root/scripts/docs/interoperability.py %tools_dir %t
# RUN: diff %src_root/docs/interoperability.md %t
