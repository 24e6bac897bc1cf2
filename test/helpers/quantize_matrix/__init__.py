"""Every QuantizeLinear and DequantizeLinear that the standard allows, as node cases with data, and what each of them gives."""
