// Theoretical occupancy, as src/elf/target/occupancy.cc computes it; a test compares the two.

const kWarpThreads = 32;
const kParts = 4;
const kRegisterUnit = 256;
const kBlockSizes = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

function roundUp(value, unit) {
  return Math.ceil(value / unit) * unit;
}

// Blocks, warps, percent and what is exhausted first; undefined if that is not known.
function occupancy(sm, registers, shared, threads) {
  if (!sm || threads < 1 || threads > 1024 || registers < 0) return undefined;
  const blockWarps = Math.ceil(threads / kWarpThreads);
  const limits = {
    warps: Math.floor(sm.warps / blockWarps),
    blocks: sm.blocks,
    registers: blocksByRegisters(sm, blockWarps, registers),
    shared: blocksByShared(sm, shared),
  };
  const limit = Object.keys(limits).reduce((least, name) => (limits[name] < limits[least] ? name : least));
  const blocks = limits[limit];
  const warps = blocks * blockWarps;
  return { blocks, warps, percent: Math.floor((warps * 100) / sm.warps), limit };
}

function blocksByRegisters(sm, blockWarps, registers) {
  if (registers === 0) return sm.blocks;
  const ofWarp = roundUp(registers * kWarpThreads, kRegisterUnit);
  if (roundUp(blockWarps, kParts) * ofWarp > sm.registers) return 0;
  return Math.floor((Math.floor(sm.registers / kParts / ofWarp) * kParts) / blockWarps);
}

function blocksByShared(sm, shared) {
  if (shared > sm.blockShared) return 0;
  const ofBlock = roundUp(shared + sm.reservedShared, sm.sharedUnit);
  return ofBlock === 0 ? sm.blocks : Math.floor(sm.shared / ofBlock);
}

// Of a function with blocks of a size, or with those that it was compiled for if they are smaller.
function occupancyOf(report, f, threads) {
  const most = report.threads[f];
  const { sm, linked } = report.images[report.image[f]];
  if (!linked) return undefined; // registers and shared memory of what it calls may come
  return occupancy(sm, report.registers[f], report.shared[f], most > 0 ? Math.min(most, threads) : threads);
}
