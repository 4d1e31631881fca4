#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core: Program and Linker, from PTX; with a device the kernel runs, without one it is only linked."""
import sys

try:
    from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, ObjectCode, launch
except ImportError:
    from cuda.core.experimental import Device, LaunchConfig, Linker, LinkerOptions, ObjectCode, launch

PTX = """.version 8.0
.target sm_{arch}
.address_size 64
"""
KERNEL = PTX + """.extern .func (.param .b32 r) twice (.param .b32 x);
.visible .entry kernel(.param .u64 p) {{
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];
  {{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call.uni (r), twice, (x); ld.param.b32 %r2, [r]; }}
  st.global.u32 [%rd2], %r2; ret;
}}
"""
PART = PTX + """.visible .func (.param .b32 r) twice (.param .b32 x) {{
  .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
}}
"""


def device_arch():
    try:
        device = Device()
        device.set_current()
        return device, device.arch
    except Exception:  # whatever the driver's absence looks like
        return None, "90"


def main():
    device, arch = device_arch()
    pieces = [ObjectCode.from_ptx(text.format(arch=arch).encode()) for text in (KERNEL, PART)]
    linker = Linker(*pieces, options=LinkerOptions(arch=f"sm_{arch}", ptxas_options=None))
    code = linker.link("cubin")
    assert code.code[:4] == b"\x7fELF"
    if device:
        import numpy
        stream = device.create_stream()
        buffer = device.allocate(4, stream=stream)
        value = numpy.array([21], dtype=numpy.int32)
        from cuda.bindings import driver
        driver.cuMemcpyHtoD(int(buffer.handle), value.ctypes.data, 4)
        launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("kernel"), buffer)
        stream.sync()
        driver.cuMemcpyDtoH(value.ctypes.data, int(buffer.handle), 4)
        assert value[0] == 42, value
    print(f"right{'' if device else ', not run'}; {len(code.code)} bytes")


if __name__ == "__main__":
    sys.exit(main())
