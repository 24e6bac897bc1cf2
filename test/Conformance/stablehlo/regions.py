# Ops of StableHLO with regions, gathers and scatters in generic form, compiled, against NumPy: sorts, indices of extrema, control
# flow, and windows that are outside of the tensor.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np

NAMES = {"float32": "f32", "int32": "i32", "int64": "i64", "uint8": "ui8", "bool": "i1"}
f32, i32, nan, inf = np.float32, np.int32, np.nan, np.inf
tools, work = map(Path, sys.argv[1:])
failures = 0


def type_of(array):
    array = np.asarray(array)
    return f"tensor<{''.join(f'{size}x' for size in array.shape)}{NAMES[array.dtype.name]}>"


def check(label, inputs, lines, results):
    """Runs a function with the arguments %a0, %a1, ...; results are pairs of a value and what it must be."""
    global failures
    inputs = [np.asarray(array) for array in inputs]
    expected = [np.asarray(array) for _, array in results]
    arguments = ", ".join(f"%a{i}: {type_of(array)}" for i, array in enumerate(inputs))
    types = ", ".join(map(type_of, inputs))
    outputs = ", ".join(map(type_of, expected))
    text = (
        f'"builtin.module"() ({{\n"func.func"() <{{function_type = ({types}) -> ({outputs}), sym_name = "main"}}> ({{\n'
        f"^bb0({arguments}):\n{lines}\n"
        f'"func.return"({", ".join(value for value, _ in results)}) : ({outputs}) -> ()\n}}) : () -> ()\n}}) : () -> ()\n'
    )
    folder = work / label.replace(" ", "_")
    folder.mkdir()
    source = folder / "module.mlir"
    source.write_text(text)
    paths = []
    for i, array in enumerate(inputs):
        paths.append(folder / f"in{i}.npy")
        np.save(paths[-1], array)
    command = [tools / "quant-float-run", source, "--outputs", folder / "out", "--inputs", *paths]
    if subprocess.run(command, check=False).returncode:
        print(f"{label}: quant-float-run failed")
        failures += 1
        return
    for i, array in enumerate(expected):
        got = np.load(folder / "out" / f"output_{i}.npy").view(array.dtype).reshape(array.shape)
        same = got == array
        if array.dtype.kind == "f":
            same = (same & (np.signbit(got) == np.signbit(array))) | (
                np.isnan(got) & np.isnan(array)
            )
        if not same.all():
            print(f"{label}: result {i} is\n{got}, expected\n{array}")
            failures += 1


def compare(direction, lhs, rhs, kind="FLOAT", element="f32"):
    return (
        f'"stablehlo.compare"({lhs}, {rhs}) <{{comparison_direction = #stablehlo<comparison_direction {direction}>, '
        f"compare_type = #stablehlo<comparison_type {kind}>}}> : (tensor<{element}>, tensor<{element}>) -> tensor<i1>"
    )


def returned(*values):
    names, types = zip(*values, strict=True)
    return f'"stablehlo.return"({", ".join(names)}) : ({", ".join(types)}) -> ()'


# ---- Sorts ----


def canonical(name, result):
    """JAX's form of a float that is compared: one NaN, and no sign of zero."""
    return "\n".join(
        [
            f'%z{result} = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>',
            f'%n{result} = "stablehlo.constant"() <{{value = dense<0x7FC00000> : tensor<f32>}}> : () -> tensor<f32>',
            f"%e{result} = {compare('EQ', name, f'%z{result}')}",
            f'%s{result} = "stablehlo.select"(%e{result}, %z{result}, {name}) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>',
            f"%u{result} = {compare('NE', name, name)}",
            f'%k{result} = "stablehlo.select"(%u{result}, %n{result}, %s{result}) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>',
        ]
    )


def sort(operands, dimension, block, body):
    types = ", ".join(type_of(array) for array in operands)
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    count = f":{len(operands)}" if len(operands) > 1 else ""
    return (
        f'%r{count} = "stablehlo.sort"({names}) <{{dimension = {dimension} : i64, is_stable = true}}> ({{\n'
        f"^bb0({block}):\n{body}\n}}) : ({types}) -> ({types})"
    )


ties = f32(
    [
        [1, 3, 3, 2, nan, 5, 5, -1],
        [0, -0.0, 0, -1, -1, 2, 2, -0.0],
        [inf, 1, inf, 2, nan, -5, -inf, nan],
    ]
)
places = np.broadcast_to(np.arange(8, dtype=i32), ties.shape).copy()
# NumPy sorts NaN to the end, too.
order = np.argsort(ties, 1, kind="stable")
pair = "%p: tensor<f32>, %q: tensor<f32>"
quad = pair + ", %v: tensor<i32>, %w: tensor<i32>"
jax_order = "\n".join(
    [
        canonical("%p", 0),
        canonical("%q", 1),
        f"%c = {compare('LT', '%k0', '%k1', 'TOTALORDER')}",
        returned(("%c", "tensor<i1>")),
    ]
)
check(
    "sort", [ties], sort([ties], 1, pair, jax_order), [("%r", np.take_along_axis(ties, order, 1))]
)
check(
    "argsort",
    [ties, places],
    sort([ties, places], 1, quad, jax_order),
    [("%r#0", np.take_along_axis(ties, order, 1)), ("%r#1", order.astype(i32))],
)
# The total order is that of the bits.
signed = f32([nan, 1, -nan, -0.0, 0, -inf, inf, -1])
bits = signed.view(i32)
total = np.argsort(np.where(bits < 0, bits ^ 0x7FFFFFFF, bits), kind="stable")
body = f"%c = {compare('LT', '%p', '%q', 'TOTALORDER')}\n{returned(('%c', 'tensor<i1>'))}"
check(
    "total order",
    [signed, places[0]],
    sort([signed, places[0]], 0, quad, body),
    [("%r#1", total.astype(i32))],
)
whole = i32([[3, -1, 3, 2], [0, 5, -7, 5]])
descending = np.argsort(-whole, 0, kind="stable")
ints = "%p: tensor<i32>, %q: tensor<i32>"
body = f"%c = {compare('GT', '%p', '%q', 'SIGNED', 'i32')}\n{returned(('%c', 'tensor<i1>'))}"
check(
    "descending",
    [whole],
    sort([whole], 0, ints, body),
    [("%r", np.take_along_axis(whole, descending, 0))],
)
# Two keys.
first, second = i32([2, 1, 2, 1, 1, 0]), i32([5, 9, 4, 3, 9, 1])
lexical = np.lexsort((second, first))
body = "\n".join(
    [
        f"%0 = {compare('LT', '%p', '%q', 'SIGNED', 'i32')}",
        f"%1 = {compare('EQ', '%p', '%q', 'SIGNED', 'i32')}",
        f"%2 = {compare('LT', '%v', '%w', 'SIGNED', 'i32')}",
        '%3 = "stablehlo.and"(%1, %2) : (tensor<i1>, tensor<i1>) -> tensor<i1>',
        '%4 = "stablehlo.or"(%0, %3) : (tensor<i1>, tensor<i1>) -> tensor<i1>',
        returned(("%4", "tensor<i1>")),
    ]
)
third = np.arange(6, dtype=i32)
check(
    "two keys",
    [first, second, third],
    sort(
        [first, second, third],
        0,
        ints + ", %v: tensor<i32>, %w: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>",
        body,
    ),
    [("%r#0", first[lexical]), ("%r#1", second[lexical]), ("%r#2", lexical.astype(i32))],
)
unique = f32([[3, -1, 7, 2], [0.5, 5, -7, 4]])
check(
    "top k",
    [unique],
    f'%r:2 = "chlo.top_k"(%a0) <{{k = 2 : i64}}> : ({type_of(unique)}) -> (tensor<2x2xf32>, tensor<2x2xi32>)',
    [("%r#0", -np.sort(-unique)[:, :2]), ("%r#1", np.argsort(-unique)[:, :2].astype(i32))],
)


# ---- Indices of extrema ----


def indexed_reduction(array, axis, direction, initial):
    element = NAMES[array.dtype.name]
    rest = np.delete(np.asarray(array.shape), axis)
    result = type_of(np.zeros(rest, array.dtype)), type_of(np.zeros(rest, i32))
    return "\n".join(
        [
            f'%i = "stablehlo.iota"() <{{iota_dimension = {axis} : i64}}> : () -> {type_of(np.zeros(array.shape, i32))}',
            f'%v = "stablehlo.constant"() <{{value = dense<{initial}> : tensor<{element}>}}> : () -> tensor<{element}>',
            '%w = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>',
            f'%r:2 = "stablehlo.reduce"(%a0, %i, %v, %w) <{{dimensions = array<i64: {axis}>}}> ({{',
            f"^bb0(%a: tensor<{element}>, %b: tensor<i32>, %c: tensor<{element}>, %d: tensor<i32>):",
            f"%0 = {compare(direction, '%a', '%c', element=element)}",
            f"%1 = {compare('NE', '%a', '%a', element=element)}",
            '%2 = "stablehlo.or"(%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>',
            f"%3 = {compare('EQ', '%a', '%c', element=element)}",
            f"%4 = {compare('LT', '%b', '%d', 'SIGNED', 'i32')}",
            '%5 = "stablehlo.and"(%3, %4) : (tensor<i1>, tensor<i1>) -> tensor<i1>',
            '%6 = "stablehlo.or"(%2, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>',
            f'%7 = "stablehlo.select"(%2, %a, %c) : (tensor<i1>, tensor<{element}>, tensor<{element}>) -> tensor<{element}>',
            '%8 = "stablehlo.select"(%6, %b, %d) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>',
            returned(("%7", f"tensor<{element}>"), ("%8", "tensor<i32>")),
            f"}}) : ({type_of(array)}, {type_of(np.zeros(array.shape, i32))}, tensor<{element}>, tensor<i32>) -> ({', '.join(result)})",
        ]
    )


check(
    "argmax",
    [ties],
    indexed_reduction(ties, 1, "GT", "0xFF800000"),
    [("%r#1", np.argmax(ties, 1).astype(i32)), ("%r#0", np.max(ties, 1))],
)
check(
    "argmin",
    [whole],
    indexed_reduction(whole, 0, "LT", 2147483647),
    [("%r#1", np.argmin(whole, 0).astype(i32)), ("%r#0", np.min(whole, 0))],
)


# ---- Control flow ----

x = f32([1, -2, 3])
double = '%d = "stablehlo.add"(%a1, %a1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>'
for flag in (True, False):
    check(
        f"if {flag}",
        [np.bool_(flag), x],
        f'%r = "stablehlo.if"(%a0) ({{\n{double}\n{returned(("%d", "tensor<3xf32>"))}\n}}, {{\n{returned(("%a1", "tensor<3xf32>"))}\n}})'
        " : (tensor<i1>) -> tensor<3xf32>",
        [("%r", x * 2 if flag else x)],
    )


def branch(factor):
    return (
        f'%c = "stablehlo.constant"() <{{value = dense<{factor}.0> : tensor<3xf32>}}> : () -> tensor<3xf32>\n'
        '%d = "stablehlo.multiply"(%a1, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n'
        + returned(("%d", "tensor<3xf32>"))
    )


for index in (-3, 0, 1, 2, 3, 4, 5):
    factors = (2, 3, 5, 7, 11)
    regions = "}, {\n".join(branch(factor) + "\n" for factor in factors)
    chosen = factors[index if 0 <= index < 5 else 4]
    check(
        f"case {index}",
        [i32(index), x],
        f'%r = "stablehlo.case"(%a0) ({{\n{regions}}}) : (tensor<i32>) -> tensor<3xf32>',
        [("%r", x * chosen)],
    )
# The condition is evaluated before the first step.
for limit in (0, 1, 7):
    expected = np.zeros(3, f32)
    for step in range(limit):
        expected = expected + x * f32(step)
    loop = "\n".join(
        [
            '%i = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>',
            '%o = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>',
            '%z = "stablehlo.constant"() <{value = dense<0.0> : tensor<3xf32>}> : () -> tensor<3xf32>',
            '%r:2 = "stablehlo.while"(%i, %z) ({',
            "^bb0(%p: tensor<i32>, %q: tensor<3xf32>):",
            f"%c = {compare('LT', '%p', '%a0', 'SIGNED', 'i32')}",
            returned(("%c", "tensor<i1>")),
            "}, {",
            "^bb0(%p: tensor<i32>, %q: tensor<3xf32>):",
            '%f = "stablehlo.convert"(%p) : (tensor<i32>) -> tensor<f32>',
            '%b = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>',
            '%m = "stablehlo.multiply"(%a1, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>',
            '%s = "stablehlo.add"(%q, %m) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>',
            '%n = "stablehlo.add"(%p, %o) : (tensor<i32>, tensor<i32>) -> tensor<i32>',
            returned(("%n", "tensor<i32>"), ("%s", "tensor<3xf32>")),
            "}) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)",
        ]
    )
    check(f"while {limit}", [i32(limit), x], loop, [("%r#0", i32(limit)), ("%r#1", expected)])


# ---- Gathers and scatters ----

table = np.arange(30, dtype=f32).reshape(5, 6)


def gather(numbers, sizes, index, result):
    return (
        f'%r = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = #stablehlo.gather<{numbers}>, '
        f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> : ({type_of(table)}, {type_of(index)}) -> {type_of(result)}"
    )


# Starts are clamped so that windows are inside.
starts = i32([[1, 2], [4, 5], [9, -3]])
points = f32([table[np.clip(a, 0, 4), np.clip(b, 0, 5)] for a, b in starts])
check(
    "gather points",
    [table, starts],
    gather(
        "collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1",
        (1, 1),
        starts,
        points,
    ),
    [("%r", points)],
)
windows = f32(
    [
        table[np.clip(a, 0, 3) : np.clip(a, 0, 3) + 2, np.clip(b, 0, 3) : np.clip(b, 0, 3) + 3]
        for a, b in starts
    ]
)
check(
    "gather windows",
    [table, starts],
    gather(
        "offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1",
        (2, 3),
        starts,
        windows,
    ),
    [("%r", windows)],
)
turned = windows[:, :, :].transpose(1, 0, 2)
check(
    "gather order",
    [table, starts[:, ::-1].copy()],
    gather(
        "offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 1",
        (2, 3),
        starts,
        turned,
    ),
    [("%r", turned)],
)
columns = i32([[[0], [5]], [[1], [1]], [[2], [7]], [[3], [0]], [[-1], [4]]])
along = np.take_along_axis(table, np.clip(columns[..., 0], 0, 5), 1)
check(
    "gather batches",
    [table, columns],
    gather(
        "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2",
        (1, 1),
        columns,
        along,
    ),
    [("%r", along)],
)


def scatter(operand, index, updates, numbers, op=None):
    element = NAMES[operand.dtype.name]
    value, lines = "%q", ""
    if op:
        lines = f'%0 = "stablehlo.{op}"(%p, %q) : (tensor<{element}>, tensor<{element}>) -> tensor<{element}>\n'
        value = "%0"
    return (
        f'%r = "stablehlo.scatter"(%a0, %a1, %a2) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> ({{\n'
        f"^bb0(%p: tensor<{element}>, %q: tensor<{element}>):\n{lines}{returned((value, f'tensor<{element}>'))}\n}})"
        f" : ({type_of(operand)}, {type_of(index)}, {type_of(updates)}) -> {type_of(operand)}"
    )


# Windows that are not inside are ignored.
rows, values = i32([[1], [4], [9], [-1], [1]]), f32(np.arange(30).reshape(5, 6) - 40)
ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
functions = {
    None: lambda a, b: b,
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
for op, function in functions.items():
    for dtype in (f32, i32):
        expected = table.astype(dtype)
        for (row,), update in zip(rows, values.astype(dtype), strict=True):
            if 0 <= row < 5:
                expected[row] = function(expected[row], update)
        check(
            f"scatter {op} {dtype.__name__}",
            [table.astype(dtype), rows, values.astype(dtype)],
            scatter(table.astype(dtype), rows, values.astype(dtype), ROWS, op),
            [("%r", expected)],
        )
blocks = f32(np.arange(18).reshape(3, 2, 3) + 100)
expected = table.copy()
for (a, b), block in zip(starts, blocks, strict=True):
    if 0 <= a <= 3 and 0 <= b <= 3:
        expected[a : a + 2, b : b + 3] = block
check(
    "scatter windows",
    [table, starts, blocks],
    scatter(
        table,
        starts,
        blocks,
        "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
    ),
    [("%r", expected)],
)
updates = f32(np.arange(10).reshape(5, 2) + 100)
expected = table.copy()
for row in range(5):
    for (column,), update in zip(columns[row], updates[row], strict=True):
        if 0 <= column < 6:
            expected[row, column] = update
check(
    "scatter batches",
    [table, columns, updates],
    scatter(
        table,
        columns,
        updates,
        "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
    ),
    [("%r", expected)],
)
# Starts of slices are clamped, as those of a cache are.
for a, b in ((1, 2), (7, -4), (-1, 9)):
    block, expected = blocks[0], table.copy()
    row, column = np.clip(a, 0, 3), np.clip(b, 0, 3)
    expected[row : row + 2, column : column + 3] = block
    check(
        f"dynamic_update_slice {a} {b}",
        [table, block, i32(a), i32(b)],
        f'%r = "stablehlo.dynamic_update_slice"(%a0, %a1, %a2, %a3) : ({type_of(table)}, {type_of(block)}, tensor<i32>, tensor<i32>) -> {type_of(table)}',
        [("%r", expected)],
    )


# ---- Cumulative windows ----


def window(op, size, padding, initial, result, element="f32"):
    return (
        f'%v = "stablehlo.constant"() <{{value = dense<{initial}> : tensor<{element}>}}> : () -> tensor<{element}>\n'
        f'%r = "stablehlo.reduce_window"(%a0, %v) <{{padding = dense<{padding}> : tensor<2x2xi64>, window_dimensions = array<i64: {size[0]}, {size[1]}>, '
        "window_strides = array<i64: 1, 1>}> ({\n"
        f"^bb0(%p: tensor<{element}>, %q: tensor<{element}>):\n"
        f'%0 = "stablehlo.{op}"(%p, %q) : (tensor<{element}>, tensor<{element}>) -> tensor<{element}>\n{returned(("%0", f"tensor<{element}>"))}\n}})'
        f" : (tensor<5x6x{element}>, tensor<{element}>) -> {type_of(result)}"
    )


whole = table.astype(i32) - 9
check(
    "cumsum",
    [whole],
    window("add", (1, 6), "[[0, 0], [5, 0]]", 0, whole, "i32"),
    [("%r", np.cumsum(whole, 1, dtype=i32))],
)
check(
    "reverse cumsum",
    [whole],
    window("add", (1, 6), "[[0, 0], [0, 5]]", 0, whole, "i32"),
    [("%r", np.cumsum(whole[:, ::-1], 1, dtype=i32)[:, ::-1])],
)
small = whole % 3 - 1
check(
    "cumprod",
    [small],
    window("multiply", (5, 1), "[[4, 0], [0, 0]]", 1, small, "i32"),
    [("%r", np.cumprod(small, 0, dtype=i32))],
)
smallest = np.min(np.lib.stride_tricks.sliding_window_view(table, (2, 3)), (2, 3))
check(
    "minimum of windows",
    [table],
    window("minimum", (2, 3), "[[0, 0], [0, 0]]", "0x7F800000", smallest),
    [("%r", smallest)],
)
lowest = np.min(np.lib.stride_tricks.sliding_window_view(whole, (2, 3)), (2, 3))
check(
    "minimum of integers",
    [whole],
    window("minimum", (2, 3), "[[0, 0], [0, 0]]", 2147483647, lowest, "i32"),
    [("%r", lowest)],
)
sys.exit(failures != 0)
