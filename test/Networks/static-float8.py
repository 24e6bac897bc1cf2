# Static float8 E4M3FN, with scales from the distribution of values.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:f8_per_tensor conv:f8_per_tensor
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:f8_per_channel conv:f8_per_channel
import sys

from networks import check

sys.exit(check.main(sys.argv[1:]))
