/**
 * Host memory as the PCIe agent needs it. Addresses are physical, in two signed 32-bit halves; `dst` and `src` are
 * byte-store offsets. A range never crosses 4 GiB; it crosses a 4 KiB page only if the NIC broke that rule.
 */
export interface HostMemoryPort {
  /** Copies `length` bytes of host memory to `dst`. */
  read(hi: number, lo: number, length: number, dst: number): void;
  /** Copies `length` bytes from `src` to host memory. */
  write(hi: number, lo: number, length: number, src: number): void;
}
