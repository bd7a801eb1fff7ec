/** Bugs of the gathering of payload. */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import { Gather } from '../../model/memory/gather.ts';
import type { PayloadReader } from '../../model/memory/gather.ts';
import type { PacketJob, SendRequest } from '../../model/transport/qpSlot.ts';
import { psnCmp } from '../../../roce/psn.ts';
import { Every, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

export const GATHER_FAULTS: readonly Fault[] = [
  {
    name: 'gather_short',
    block: 'gather',
    description: 'the last byte of odd-sized pieces is not fetched',
    caughtBy: ['SCB_DATA', 'SCB_REVERIFY'],
    create: reader(ShortReader),
  },
  {
    name: 'gather_long_list',
    block: 'gather',
    description: 'a packet that begins behind the eighth entry of a list takes its data from the first ones',
    caughtBy: ['SCB_DATA'],
    needs: ['+SG_NUM=12', '+READ_WQE_NUM=0'],
    create: planted({ gather: ShortCursor }),
  },
  {
    name: 'gather_same_page',
    block: 'gather',
    description: 'payload that crosses a page is read from the first page twice',
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B'],
    create: reader(SamePageReader),
  },
  {
    name: 'gather_shifted',
    block: 'gather',
    description: 'every 20th piece is read eight bytes too far',
    caughtBy: ['SCB_DATA'],
    create: reader(ShiftedReader),
  },
  {
    name: 'gather_stray',
    block: 'gather',
    description: 'memory that was never registered is read besides the payload',
    caughtBy: ['PCIE_READ'],
    create: reader(StrayReader),
  },
  {
    name: 'gather_long_read',
    block: 'gather',
    description: 'what is behind the first 65536 packets of an answer to a READ is taken from its start again',
    caughtBy: ['SCB_DATA'],
    needs: [
      ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1', '+ONE_SIDE_LAUNCH=1', '+DB_NUM=1'],
      ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=1'],
      ...['+SG_NUM=1', '+DATA_CNT=20', '+DATA_UNIT=MB', '+MTU=256'],
    ],
    create: planted({ gather: ShortAnswer }),
  },
];
