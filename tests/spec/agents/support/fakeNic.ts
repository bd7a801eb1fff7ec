import type { CplStatus, Frame, LinkUpstream, Nic, PcieUpstream, Tlp } from '../../../../dut-model/nic.ts';

/** What a `FakeNic` notes of a part of an answer. */
export interface SeenCompletion {
  readonly tlp: Tlp;
  readonly tag: number;
  readonly from: number;
  readonly count: number;
  readonly remaining: number;
  readonly status: CplStatus;
  readonly poisoned: boolean;
  readonly time: number;
}

/** A NIC that does nothing by itself and notes what it is given. */
export class FakeNic implements Nic {
  host: PcieUpstream | null = null;
  link: LinkUpstream | null = null;
  readonly completions: SeenCompletion[] = [];
  readonly barWrites: { bar: number; offset: number; bytes: number[]; time: number }[] = [];
  readonly barReads: { tlp: Tlp; time: number }[] = [];
  readonly frames: { bytes: number[]; time: number }[] = [];
  onBarRead: (tlp: Tlp) => void = () => {};
  readonly #clock: { readonly now: number };
  readonly #bytes: { readonly u8: Uint8Array };

  constructor(clock: { readonly now: number }, bytes: { readonly u8: Uint8Array }) {
    this.#clock = clock;
    this.#bytes = bytes;
  }

  connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    this.host = host;
    this.link = links[0] as LinkUpstream;
  }

  reset(): void {}

  barWrite(tlp: Tlp): void {
    const bytes = [...this.#bytes.u8.subarray(tlp.data, tlp.data + tlp.length)];
    this.barWrites.push({ bar: tlp.bar, offset: tlp.lo, bytes, time: this.#clock.now });
  }

  barRead(tlp: Tlp): void {
    this.barReads.push({ tlp, time: this.#clock.now });
    this.onBarRead(tlp);
  }

  completion(tlp: Tlp, from: number, count: number): void {
    const { tag, remaining, status, poisoned } = tlp;
    this.completions.push({ tlp, tag, from, count, remaining, status, poisoned, time: this.#clock.now });
  }

  receive(frame: Frame): void {
    const bytes = [...this.#bytes.u8.subarray(frame.data, frame.data + frame.length)];
    this.frames.push({ bytes, time: this.#clock.now });
  }
}
