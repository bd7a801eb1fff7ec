/** Which byte of which bank a card address is: LINEAR, one bank behind the other, or interleaved by units. */
import type { CardLayout } from '../layout/geometry.ts';

export class BankMap {
  /** Results of `locate`. */
  bank = 0;
  offset = 0;
  protected readonly layout: CardLayout;

  constructor(layout: CardLayout) {
    this.layout = layout;
  }

  /** Overridable for planting. @param card below the bytes of all banks */
  locate(card: number): void {
    const { banks, bankBytes, interleave } = this.layout;
    if (interleave === 0) {
      this.bank = Math.floor(card / bankBytes);
      this.offset = card % bankBytes;
      return;
    }
    const unit = Math.floor(card / interleave);
    this.bank = unit % banks;
    this.offset = Math.floor(unit / banks) * interleave + (card % interleave);
  }

  /** Bytes from a card address on that lie together in its bank; overridable for planting. */
  together(card: number): number {
    const { bankBytes, interleave } = this.layout;
    const unit = interleave === 0 ? bankBytes : interleave;
    return unit - (card % unit);
  }
}
