import type { Frame, LinkUpstream, Nic, NicContext, PcieUpstream, Tlp } from '../../../dut-model/nic.ts';

/** Bytes of a frame in front of what is scrambled: MAC addresses, by which the link finds the other port. */
const PLAIN = 12;

/** A NIC whose frames only its own kind can read. */
export class Scrambled implements Nic, LinkUpstream {
  readonly #context: NicContext;
  readonly #inner: Nic;
  #link: LinkUpstream | null = null;

  constructor(context: NicContext, inner: Nic) {
    this.#context = context;
    this.#inner = inner;
  }

  connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    this.#link = links[0] as LinkUpstream;
    this.#inner.connect(host, [this]);
  }

  reset(): void {
    this.#inner.reset();
  }

  barWrite(tlp: Tlp): void {
    this.#inner.barWrite(tlp);
  }

  barRead(tlp: Tlp): void {
    this.#inner.barRead(tlp);
  }

  completion(tlp: Tlp, from: number, count: number): void {
    this.#inner.completion(tlp, from, count);
  }

  receive(frame: Frame, port: number): void {
    this.#scramble(frame);
    this.#inner.receive(frame, port);
  }

  get freeAt(): number {
    return (this.#link as LinkUpstream).freeAt;
  }

  acquire(): Frame {
    return (this.#link as LinkUpstream).acquire();
  }

  send(frame: Frame): void {
    this.#scramble(frame);
    (this.#link as LinkUpstream).send(frame);
  }

  /** Undoes itself. */
  #scramble({ data, length }: Frame): void {
    const { u8 } = this.#context.bytes;
    for (let i = data + PLAIN; i < data + length; i++) u8[i] = (u8[i] as number) ^ 0x5a;
  }
}
