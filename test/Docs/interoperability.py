# The table in docs/interoperability.md equals the output of its script.
# RUN: cp %src_root/docs/interoperability.md %t
# RUN: %python %src_root/scripts/docs/interoperability.py %tools_dir %t
# RUN: diff %src_root/docs/interoperability.md %t
