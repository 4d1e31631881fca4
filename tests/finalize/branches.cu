// Branch tables of two functions, of which the second one's is not at the start of its bank.
__device__ __noinline__ int first(int x) {
  switch (x) {
  case 0:
    return 11;
  case 1:
    return x * 7;
  case 2:
    return x ^ 5;
  case 3:
    return -x;
  case 4:
    return x << 3;
  case 5:
    return x * x;
  case 6:
    return x - 100;
  case 7:
    return x | 64;
  default:
    return 1;
  }
}

__global__ void branches(int *out) {
  int x = out[threadIdx.x];
  switch (x & 15) {
  case 0:
    x += 1000;
    break;
  case 1:
    x = first(x * 3);
    break;
  case 2:
    x *= 77;
    break;
  case 3:
    x ^= out[1];
    break;
  case 4:
    x -= first(out[2]);
    break;
  case 5:
    x = x / 3;
    break;
  case 6:
    x = x % 7;
    break;
  case 7:
    x <<= 5;
    break;
  case 8:
    x = ~x;
    break;
  case 9:
    x |= 8;
    break;
  default:
    x = 3;
  }
  out[threadIdx.x] = x;
}
