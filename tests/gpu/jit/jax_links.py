#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: programs of many kernels, which XLA compiles in parallel and links with libnvJitLink."""
import jax
import jax.numpy as jnp
import numpy


def softmax_rows(x):
    return jax.nn.softmax(jnp.sin(x) * 3 + jnp.cumsum(x, axis=1), axis=1)


def sorted_norms(x):
    return jnp.sort(jnp.sqrt(jnp.sum(x * x, axis=1)))[::-1]


def scan_of_products(x):
    return jax.lax.scan(lambda c, row: (jnp.tanh(c + row), jnp.max(c * row)), x[0], x)[1]


def main():
    x = numpy.random.default_rng(7).standard_normal((64, 48)).astype(numpy.float32)
    cpu = jax.devices("cpu")[0]
    for function in (softmax_rows, sorted_norms, scan_of_products, jax.grad(lambda y: softmax_rows(y).max())):
        got = numpy.asarray(jax.jit(function)(x))
        with jax.default_device(cpu):
            expected = numpy.asarray(jax.jit(function)(x))
        numpy.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-5)
        print(f"{getattr(function, '__name__', 'gradient')}: right")
    print(f"jax {jax.__version__} on {jax.devices()[0].device_kind}")


if __name__ == "__main__":
    main()
