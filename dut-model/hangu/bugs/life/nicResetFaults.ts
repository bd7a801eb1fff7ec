/** Bugs of a NIC that is reset at its port in the middle of its work: something of its life before is still there. */
import { DmaEngine } from '../../../roce/dmaEngine.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { type Frame, type LinkUpstream, MAX_FRAME_BYTES, type NicContext, type PcieUpstream } from '../../../nic.ts';
import { faultsOf } from '../fault.ts';
import { NIC_RESET_ROWS } from './rows/nicResetRows.ts';

/** From the reset until what was kept shows, ps. */
const SOON = 1_000_000;

const LONGEST_WRITE = 4096;

/** The transmit FIFO, which keeps the frame that it has sent last. */
class TransmitFifo implements LinkUpstream {
  readonly #link: LinkUpstream;
  readonly #context: NicContext;
  readonly #last: number;
  #length = 0;

  constructor(link: LinkUpstream, context: NicContext) {
    this.#link = link;
    this.#context = context;
    this.#last = context.bytes.alloc(MAX_FRAME_BYTES, 64);
  }

  get freeAt(): number {
    return this.#link.freeAt;
  }

  acquire(): Frame {
    return this.#link.acquire();
  }

  send(frame: Frame): void {
    this.#length = frame.length;
    this.#context.bytes.copy(this.#last, frame.data, frame.length);
    this.#link.send(frame);
  }

  sendLast(): void {
    if (this.#length === 0) return;
    const frame = this.acquire();
    frame.length = this.#length;
    this.#context.bytes.copy(frame.data, this.#last, this.#length);
    this.#link.send(frame);
  }
}

/** A reset does not empty the transmit FIFO. */
class FifoKept extends HanguNic {
  #fifo!: TransmitFifo;

  override connect(host: PcieUpstream, [link]: readonly LinkUpstream[]): void {
    this.#fifo = new TransmitFifo(link as LinkUpstream, this.core.context);
    super.connect(host, [this.#fifo]);
  }

  override reset(): void {
    super.reset();
    this.core.scheduler.schedule(SOON, { fire: () => this.#fifo.sendLast() });
  }
}

/** Only the command register is reset. */
class QueuePairsKept extends HanguNic {
  override reset(): void {
    this.commands.reset();
  }
}

/** The write that was sent last is sent again. */
class WriteKept extends DmaEngine {
  #copy = -1;
  #hi = 0;
  #lo = 0;
  #length = 0;
  #context: NicContext | undefined;

  /** Where time and bytes come from. */
  use(context: NicContext): void {
    this.#context = context;
    this.#copy = context.bytes.alloc(LONGEST_WRITE, 64);
  }

  override write(hi: number, lo: number, length: number, src: number, block: number): void {
    this.#hi = hi;
    this.#lo = lo;
    this.#length = Math.min(length, LONGEST_WRITE);
    this.#context?.bytes.copy(this.#copy, src, this.#length);
    super.write(hi, lo, length, src, block);
  }

  override reset(): void {
    super.reset();
    if (this.#length > 0) this.#context?.scheduler.schedule(SOON, { fire: () => this.#again() });
  }

  #again(): void {
    this.writeCopy(this.#hi, this.#lo, this.#length, this.#copy);
    this.endCopies();
  }
}

export const NIC_RESET_FAULTS = faultsOf(NIC_RESET_ROWS, {
  nic_reset_frame_kept: (context, config) => new FifoKept(context, config),
  nic_reset_write_kept: (context, config) => {
    const nic = new HanguNic(context, config, { dma: WriteKept });
    (nic.core.dma as WriteKept).use(context);
    return nic;
  },
  nic_reset_contexts_kept: (context, config) => new QueuePairsKept(context, config),
});
