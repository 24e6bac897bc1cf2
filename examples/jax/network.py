# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A JAX layer with weights in MXFP4 and activations in float8, trained through its quantization."""

import jax
import jax.numpy as jnp
import quant_float.jax as qj


def quantize_weights(w: jax.Array) -> jax.Array:
    """The weights in the format of a model with MXFP4."""
    values, scales = qj.block_quantize(w, "float4e2m1", "float8e8m0", 32, "rceil")
    return qj.block_dequantize(values, scales, 32)


def loss(w: jax.Array, x: jax.Array, wanted: jax.Array) -> jax.Array:
    # The gradient of the weights is that of the quantized ones.
    weights = w + jax.lax.stop_gradient(quantize_weights(jax.lax.stop_gradient(w)) - w)
    made = qj.qdq(x, 1 / 64, storage="float8e4m3fn") @ weights.T
    return jnp.mean((made - wanted) ** 2)


@jax.jit
def step(w: jax.Array, x: jax.Array, wanted: jax.Array) -> tuple[jax.Array, jax.Array]:
    value, gradient = jax.value_and_grad(loss)(w, x, wanted)
    return w - 2 * gradient, value


def main() -> None:
    keys = jax.random.split(jax.random.key(0), 3)
    teacher, x = jax.random.normal(keys[0], (8, 64)) / 8, jax.random.normal(keys[1], (256, 64))
    w = jax.random.normal(keys[2], (8, 64)) / 8
    losses = []
    for _ in range(100):
        w, value = step(w, x, x @ teacher.T)
        losses.append(float(value))
    last = "below" if losses[-1] < 0.1 else "above"
    print(f"the loss falls from {losses[0]:.1f} to {last} 0.1")


if __name__ == "__main__":
    main()
