# DynamicQuantizeLinear before integer matmuls.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:dynamic_s8 conv:dynamic_s8
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:dynamic_u8 conv:dynamic_u8
import sys

from networks import check

sys.exit(check.main(sys.argv[1:]))
