# 4-bit weights in blocks of 32, with and without zero points, and with a scale per channel.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root/examples/digits %t digits:w4_blocks_of_32 digits:w4_blocks_of_32_symmetric digits:w4_per_channel
import sys

from networks import check

sys.exit(check.main(sys.argv[1:]))
