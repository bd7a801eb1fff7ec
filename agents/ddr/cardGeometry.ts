/** How the memory of a card is built: chips in banks, and which byte of which bank a card address is. */

/** Address of a byte in the memory of a card, 0 to its size. */
export interface CardGeometry {
  /** A power of two. */
  readonly banks: number;
  /** Bytes of each, a power of two. */
  readonly bankBytes: number;
  /** Bytes that lie together in one bank before the next one has its turn, a power of two; 0: a bank follows the other. */
  readonly interleave: number;
}

/** Card addresses have this bit in the upper half of what the harness calls a physical address; host memory has it nowhere. */
export const CARD_SPACE_HI = 0x4000_0000;
/** Bytes of all banks. */
export function cardBytes({ banks, bankBytes }: CardGeometry): number {
  return banks * bankBytes;
}

/** Card address of byte `offset` of a bank: what undoes the way that controllers spread addresses. */
export function cardAddressOf({ banks, bankBytes, interleave }: CardGeometry, bank: number, offset: number): number {
  if (interleave === 0) return bank * bankBytes + offset;
  const unit = Math.floor(offset / interleave);
  return (unit * banks + bank) * interleave + (offset % interleave);
}
