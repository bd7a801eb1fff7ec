/**
 * Host memory as the PCIe agent needs it. Addresses are physical, in two signed 32-bit halves; `dst` and `src` are
 * byte-store offsets. A range never crosses 4 GiB; it crosses a 4 KiB page only if the NIC broke that rule.
 */
export interface HostMemoryPort {
  /** Copies `length` bytes of host memory to `dst`. */
  read(hi: number, lo: number, length: number, dst: number): void;
  /** Copies `length` bytes from `src` to host memory. */
  write(hi: number, lo: number, length: number, src: number): void;
  /** Byte-store offset of bytes that may be copied from it, or -1: then `read` gives them. */
  readFrom(hi: number, lo: number, length: number): number;
  /** Byte-store offset that the bytes of a write may be copied to, or -1: then `write` takes them. */
  writeTo(hi: number, lo: number, length: number): number;
}
