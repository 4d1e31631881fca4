// Only sm_90a has this instruction.
__global__ void registers(int *out) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  *out = 1;
}
