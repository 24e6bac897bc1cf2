# Static int8, per tensor and per channel, and the same with com.microsoft's nodes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:u8s8_per_tensor conv:u8s8_per_tensor
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:s8s8_per_channel conv:s8s8_per_channel
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:u8u8_contrib conv:u8u8_contrib
import sys

from networks import check

sys.exit(check.main(sys.argv[1:]))
