"""Every QuantizeLinear and DequantizeLinear that the standard allows, as node cases with data and
expected results."""
