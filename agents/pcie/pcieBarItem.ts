import { hex } from '../../uvm/report/hexTexts.ts';
import { SequenceItem } from '../../uvm/seq/sequenceItem.ts';
import { PcieUsageError } from './pcieError.ts';

/** One access of the host to a BAR of its NIC, for sequences. @public */
export class PcieBarItem extends SequenceItem {
  /** Default read, which is of 32 bits. */
  rw: 'read' | 'write' = 'read';
  bar = 0;
  /** Bytes from the start of the BAR, a multiple of 4. */
  offset = 0;
  /** 32-bit words of a write, sent in little-endian byte order. Of a read: its answer, once the item is done. */
  data: readonly number[] = [];

  /** A read of a register; its answer is `value` when the item is done. */
  static read(bar: number, offset: number): PcieBarItem {
    const item = new PcieBarItem();
    item.bar = bar;
    item.offset = offset;
    return item;
  }

  /** A write of 32-bit words. It is posted: the item is done before the NIC has it. */
  static write(bar: number, offset: number, data: readonly number[]): PcieBarItem {
    const item = PcieBarItem.read(bar, offset);
    item.rw = 'write';
    item.data = data;
    return item;
  }

  /** The answer to a read, without sign. @throws PcieUsageError before the item is done */
  get value(): number {
    const [first] = this.data;
    if (first !== undefined) return first;
    throw new PcieUsageError('value', this.convertToString(), 'send the item first, and wait until it is done');
  }

  override convertToString(): string {
    const { rw, bar, offset, data } = this;
    const words = data.length === 0 ? '' : `${rw === 'read' ? ' =' : ':'} ${data.map((word) => hex(word)).join(' ')}`;
    return `${this.name === '' ? '' : `${this.name} `}BAR ${bar} ${rw} ${hex(offset)}${words}`;
  }
}
