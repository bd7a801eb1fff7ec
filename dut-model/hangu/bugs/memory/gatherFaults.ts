/** Bugs of the gathering of payload. */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import { Gather } from '../../model/memory/gather.ts';
import type { PayloadReader } from '../../model/memory/gather.ts';
import type { PacketJob, SendRequest } from '../../model/transport/qpSlot.ts';
import { psnCmp } from '../../../roce/psn.ts';
import { Every, type Fault, faultsOf, planted } from '../fault.ts';
import { GATHER_ROWS } from './rows/gatherRows.ts';

/** As many as 16 bits count. */
const PACKETS = 2 ** 16;

/** What comes between the gathering of payload and the DMA engine. */
abstract class FaultyReader implements PayloadReader {
  protected readonly dma: PayloadReader;

  constructor(dma: PayloadReader) {
    this.dma = dma;
  }

  abstract read(hi: number, lo: number, n: number, at: number, client: DmaClient): void;
}

/** Odd-sized pieces lose their last byte: the frame keeps what its block held before. */
class ShortReader extends FaultyReader {
  override read(hi: number, lo: number, n: number, at: number, client: DmaClient): void {
    this.dma.read(hi, lo, n < 3 || n % 2 === 0 ? n : n - 1, at, client);
  }
}

/** The second page of a packet is read at the start of the first one's page. */
class SamePageReader extends FaultyReader {
  #hi = 0;
  #lo = 0;
  #packet: DmaClient | null = null;
  override read(hi: number, lo: number, n: number, at: number, client: DmaClient): void {
    const again = this.#packet === client && (lo & 0xfff) === 0;
    this.dma.read(again ? this.#hi : hi, again ? this.#lo & ~0xfff : lo, n, at, client);
    this.#packet = client;
    this.#hi = hi;
    this.#lo = lo;
  }
}

/** Every 20th piece comes from eight bytes further on. */
class ShiftedReader extends FaultyReader {
  readonly #turn = new Every(20);
  override read(hi: number, lo: number, n: number, at: number, client: DmaClient): void {
    this.dma.read(hi, this.#turn.hit() && (lo & 0xfff) + n <= 4088 ? lo + 8 : lo, n, at, client);
  }
}

/** Before every 16th piece, something is read that nobody has named: what a wild pointer finds. */
class StrayReader extends FaultyReader implements DmaClient {
  readonly #turn = new Every(16);
  #waste = -1;
  readonly #bytes: ByteStore;

  constructor(dma: PayloadReader, bytes: ByteStore) {
    super(dma);
    this.#bytes = bytes;
  }

  override read(hi: number, lo: number, n: number, at: number, client: DmaClient): void {
    if (this.#turn.hit()) {
      if (this.#waste < 0) this.#waste = this.#bytes.alloc(64, 16);
      this.dma.read(0x7f00, 0x1000, 64, this.#waste, this);
    }
    this.dma.read(hi, lo, n, at, client);
  }

  dmaDone(): void {}
}

/** Keeps its place in a list of entries in three bits. */
class ShortCursor extends Gather {
  override advance(r: SendRequest, bytes: number): void {
    super.advance(r, bytes);
    r.sge &= 7;
  }
}

/** Counts the packets of an answer to a READ in 16 bits. */
class ShortAnswer extends Gather {
  override run(j: PacketJob): void {
    const read = j.response && j.left > 0 ? j.slot.savedReads?.at(-1) : undefined;
    if (read !== undefined) {
      const packet = psnCmp(j.psn, read.psn);
      const mtu = Math.ceil(read.length / read.psns);
      const isNew = j.vaLo === ((read.vaLo + packet * mtu) | 0);
      if (packet >= PACKETS && isNew) j.vaLo = (j.vaLo - PACKETS * mtu) | 0;
    }
    super.run(j);
  }
}

function reader(R: new (dma: PayloadReader, bytes: ByteStore) => FaultyReader): Fault['create'] {
  class FaultyGather extends Gather {
    protected override reader = new R(this.core.dma, this.core.bytes);
  }
  return planted({ gather: FaultyGather });
}

export const GATHER_FAULTS = faultsOf(GATHER_ROWS, {
  gather_short: reader(ShortReader),
  gather_long_list: planted({ gather: ShortCursor }),
  gather_same_page: reader(SamePageReader),
  gather_shifted: reader(ShiftedReader),
  gather_stray: reader(StrayReader),
  gather_long_read: planted({ gather: ShortAnswer }),
});
