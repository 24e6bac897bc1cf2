# Static 16-bit activations, with weights of 16, 8 and 4 bits.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:u16u16_per_tensor conv:u16u16_per_tensor
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:s16s16_per_channel conv:s16s16_per_channel
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:u16s4_per_channel conv:u16s4_per_channel
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:u16s8_contrib conv:u16s8_contrib
import sys

from networks import check

sys.exit(check.main(sys.argv[1:]))
