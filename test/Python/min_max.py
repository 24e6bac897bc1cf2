# Executes minima and maxima of chains of one to five operands, all combinations
# of zeros, infinities, NaN, subnormal and other numbers. numpy is the oracle.
# RUN: %python %s host
# RUN: %if host-x86_64 %{ %python %s x86-64 %}
# RUN: %if host-avx2 %{ %python %s x86-64-v3 %}
# RUN: %if host-avx512 %{ %python %s x86-64-v4 %}
import itertools
import sys

import numpy as np
import quant_float as qf

(cpu,) = sys.argv[1:]
SPECIAL = (0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1e-41, -1e-41)


def reduce_all(operands, is_maximum):
    """The minimum or maximum: -0 is less than +0, and NaN wins."""
    operands = np.stack(operands)
    result = (np.max if is_maximum else np.min)(operands, axis=0)
    negative = np.signbit(operands) & (operands == 0)
    positive = ~np.signbit(operands) & (operands == 0)
    is_positive = positive.any(axis=0) if is_maximum else ~negative.any(axis=0)
    return np.where(result == 0, np.where(is_positive, 0.0, -0.0), result).astype(operands.dtype)


def check(text, operands, expected, what):
    result = np.asarray(qf.parse(text).compile(cpu=cpu)(*operands))
    assert np.array_equal(result, expected, equal_nan=True), (what, result, expected)
    numbers = ~np.isnan(expected)
    signs = np.signbit(result[numbers]), np.signbit(expected[numbers])
    assert np.array_equal(*signs), what


for count, bits, is_maximum in itertools.product(range(1, 6), (32, 64), (True, False)):
    element = {32: np.float32, 64: np.float64}[bits]
    special = SPECIAL if count < 5 else SPECIAL[:2] + SPECIAL[3:8]
    operands = [
        np.array(column, element)
        for column in zip(*itertools.product(special, repeat=count), strict=True)
    ]
    name = "maximumf" if is_maximum else "minimumf"
    # With one operand: with the constant zero, as in Relu, and with other constants.
    constants = (0.0, -0.0, 6.0, np.inf) if count == 1 else (None,)
    for constant in constants:
        size = len(operands[0])
        type_ = f"tensor<{size}xf{bits}>"
        arguments = ", ".join(f"%a{i}: {type_}" for i in range(count))
        lines, last = [], "%a0"
        all_operands = list(operands)
        if constant is not None:
            number = "0x7F800000" if bits == 32 else "0x7FF0000000000000"
            number = number if np.isinf(constant) else f"{constant:.1f}"
            lines.append(f"%c = arith.constant dense<{number}> : {type_}")
            lines.append(f"%r = arith.{name} %a0, %c : {type_}")
            last = "%r"
            all_operands.append(np.full(size, constant, element))
        for i in range(1, count):
            lines.append(f"%r{i} = arith.{name} {last}, %a{i} : {type_}")
            last = f"%r{i}"
        body = "\n  ".join([*lines, f"return {last} : {type_}"])
        text = f"func.func @f({arguments}) -> {type_} {{\n  {body}\n}}"
        expected = reduce_all(all_operands, is_maximum)
        check(text, operands, expected, (cpu, name, bits, count, constant))
