/** Answer of `readFrom`: nobody has written the page. */
export const UNWRITTEN = -2;

/**
 * Host memory as the PCIe agent needs it. Addresses are physical, in two signed 32-bit halves; `dst` and `src` are
 * byte-store offsets. A range never crosses 4 GiB; it crosses a 4 KiB page only if the NIC broke that rule.
 */
export interface HostMemoryPort {
  /** Copies `length` bytes of host memory to `dst`. */
  read(hi: number, lo: number, length: number, dst: number): void;
  /** Copies `length` bytes from `src` to host memory. */
  write(hi: number, lo: number, length: number, src: number): void;
  /**
   * Byte-store offset of bytes that may be copied from it; `UNWRITTEN`: they are the seeded contents that `pageKey`
   * names, the position being that in the page; or -1: `read` gives them.
   */
  readFrom(hi: number, lo: number, length: number): number;
  /** Key of `ByteStore.fillSeeded` for the bytes that page `page` (address bits [31:12]) holds before its first write. */
  pageKey(hi: number, page: number): number;
  /** Byte-store offset that the bytes of a write may be copied to, or -1: then `write` takes them. */
  writeTo(hi: number, lo: number, length: number): number;
}
