import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { aeth, atomicEth, reth, word } from './roceFrame.ts';
import type { WireBench } from './wireBench.ts';

/** A request packet of the requester's plan. `first` is the PSN of its message, `packets` the PSNs that it takes. */
interface Packet {
  readonly psn: number;
  readonly opcode: number;
  readonly kind: 'plain' | 'read' | 'atomic';
  readonly packets: number;
  readonly payload: number;
  readonly ext: number[];
  readonly length: number;
  readonly end: boolean;
}

interface Response {
  readonly kind: 'ack' | 'nak' | 'data';
  readonly psn: number;
}

/** A packet, and what makes it reach its NIC. */
interface OnItsWay<P> {
  readonly packet: P;
  readonly arrives: () => void;
}

const MTU = 256;
const FIRST_PSN = 0xfffff0;
const add = (a: number, n: number) => (a + n) & 0xffffff;
const cmp = (a: number, b: number) => ((a - b) << 8) >> 8;

/**
 * A right requester and a right responder on a lossy wire, written from the rules and apart from every model:
 * go-back-N, one NAK per gap, partial READ requests, repeated answers. The monitor sees what they send.
 */
export class Conversation {
  readonly #bench: WireBench;
  readonly #random: FastStream;
  readonly #loss: number;
  readonly #plan: Packet[] = [];
  readonly #toResponder: OnItsWay<Packet>[] = [];
  readonly #toRequester: OnItsWay<Response>[] = [];
  #una = FIRST_PSN;
  #next = FIRST_PSN;
  #end = FIRST_PSN;
  #expected = FIRST_PSN;
  #msn = 0;
  #nakSent = false;
  /** Packets sent. */
  sent = 0;

  constructor(bench: WireBench, seed: number, messages: number, loss: number) {
    this.#bench = bench.connect({ sqPsn: FIRST_PSN, mtu: MTU });
    this.#random = new FastStream(`conversation ${seed}`);
    this.#loss = loss;
    for (let i = 0; i < messages; i++) this.#planMessage();
  }

  /** Plays until everything is answered. */
  run(): void {
    for (let step = 0; this.#una !== this.#end; step++) {
      if (step > 200_000) throw new Error('the conversation does not end');
      const choice = this.#random.below(3);
      if (choice === 0 && this.#next !== this.#end) this.#sendNext();
      else if (choice === 1 && this.#toResponder.length > 0) this.#arrive();
      else if (choice === 2 && this.#toRequester.length > 0) this.#answer();
      else if (this.#toResponder.length + this.#toRequester.length === 0 && this.#random.chance(0.3)) {
        this.#next = this.#una;
      }
      if (this.#random.chance(0.002)) this.#next = this.#una;
    }
  }

  #planMessage(): void {
    const kind = this.#random.below(4);
    const length = this.#random.chance(0.2) ? 0 : this.#random.below(4 * MTU);
    if (kind === 2) this.#planOne('read', 12, length, Math.max(1, Math.ceil(length / MTU)), reth(length));
    else if (kind === 3) this.#planOne('atomic', 19, 8, 1, atomicEth());
    else this.#planData(kind === 0 ? 0 : 6, length);
  }

  #planOne(kind: 'read' | 'atomic', opcode: number, length: number, packets: number, ext: number[]): void {
    this.#plan.push({ psn: this.#end, opcode, kind, packets, payload: 0, ext, length, end: true });
    this.#end = add(this.#end, packets);
  }

  #planData(base: number, length: number): void {
    const n = Math.max(1, Math.ceil(length / MTU));
    for (let i = 0; i < n; i++) {
      const opcode = base + (n === 1 ? 4 : i === 0 ? 0 : i === n - 1 ? 2 : 1);
      const payload = i === n - 1 ? length - i * MTU : MTU;
      const ext = base === 6 && i === 0 ? reth(length) : [];
      this.#plan.push({ psn: this.#end, opcode, kind: 'plain', packets: 1, payload, ext, length, end: i === n - 1 });
      this.#end = add(this.#end, 1);
    }
  }

  #covering(psn: number): Packet {
    return this.#plan.find((p) => cmp(psn, p.psn) >= 0 && cmp(psn, p.psn) < p.packets) as Packet;
  }

  #sendNext(): void {
    let p = this.#covering(this.#next);
    if (p.psn !== this.#next) p = rest(p, this.#next);
    const { opcode, psn, ext, payload, end: ackRequest } = p;
    const arrives = this.#bench.request({ opcode, psn, ext, payload, ackRequest });
    this.sent++;
    this.#next = add(p.psn, p.packets);
    if (!this.#random.chance(this.#loss)) this.#toResponder.push({ packet: p, arrives });
  }

  /** A request reaches the responder. */
  #arrive(): void {
    const { packet: p, arrives } = this.#toResponder.shift() as OnItsWay<Packet>;
    arrives();
    const ahead = cmp(p.psn, this.#expected);
    if (ahead > 0) {
      if (!this.#nakSent) this.#respond({ kind: 'nak', psn: this.#expected }, 17, aeth(0x60, this.#msn));
      this.#nakSent = true;
      return;
    }
    if (ahead === 0) {
      this.#nakSent = false;
      if (p.kind === 'plain' && this.#random.chance(0.05)) {
        this.#respond({ kind: 'nak', psn: p.psn }, 17, aeth(0x21, this.#msn));
        return;
      }
      this.#expected = add(p.psn, p.packets);
      if (p.end) this.#msn++;
    }
    if (p.kind === 'read') this.#readData(p);
    else if (p.kind === 'atomic')
      this.#respond({ kind: 'data', psn: p.psn }, 18, [...aeth(0x1f, this.#msn), ...word(0), ...word(0)]);
    else if (p.end || ahead < 0) {
      const psn = add(this.#expected, -1);
      this.#respond({ kind: 'ack', psn }, 17, aeth(0x1f, this.#msn));
    }
  }

  #readData(p: Packet): void {
    for (let i = 0; i < p.packets; i++) {
      const last = i === p.packets - 1;
      const opcode = p.packets === 1 ? 16 : i === 0 ? 13 : last ? 15 : 14;
      const payload = last ? p.length - i * MTU : MTU;
      this.#respond({ kind: 'data', psn: add(p.psn, i) }, opcode, opcode === 14 ? [] : aeth(0x1f, this.#msn), payload);
    }
  }

  #respond(r: Response, opcode: number, ext: number[], payload = 0): void {
    const arrives = this.#bench.response({ opcode, psn: r.psn, ext, payload });
    if (!this.#random.chance(this.#loss)) this.#toRequester.push({ packet: r, arrives });
  }

  /** A response reaches the requester. */
  #answer(): void {
    const { packet: r, arrives } = this.#toRequester.shift() as OnItsWay<Response>;
    arrives();
    if (cmp(r.psn, this.#una) < 0 || cmp(r.psn, this.#end) >= 0) return;
    const done = r.kind === 'nak' ? r.psn : add(r.psn, 1);
    const missing = this.#plan.find((p) => p.kind !== 'plain' && cmp(add(p.psn, p.packets), this.#una) > 0);
    const open = missing === undefined ? this.#end : cmp(missing.psn, this.#una) > 0 ? missing.psn : this.#una;
    if (r.kind === 'data' ? r.psn !== open : cmp(done, open) > 0) {
      if (cmp(open, this.#una) >= 0) this.#una = open;
      this.#next = this.#una;
      return;
    }
    this.#una = done;
    if (r.kind === 'nak' || cmp(this.#next, this.#una) < 0) this.#next = this.#una;
  }
}

/** The part of a READ that is still wanted from a PSN on. */
function rest(p: Packet, psn: number): Packet {
  const skipped = cmp(psn, p.psn);
  const length = p.length - skipped * MTU;
  return { ...p, psn, packets: p.packets - skipped, length, ext: reth(length, 0x77, 0x1000 + skipped * MTU) };
}
