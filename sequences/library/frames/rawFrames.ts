import type { PortAddress } from '../../../agents/wire/pathChecker.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RawSide } from '../../user/rawSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const ETHERNET = 14;
const SHORTEST = 60;
/** Bytes of a frame without extensions of Ethernet. */
const USUAL_MOST = 1514;
const BROADCAST: Pick<PortAddress, 'macHigh' | 'macLow'> = { macHigh: 0xffff, macLow: -1 };
/** Nobody's: locally administered, of no host. */
const NOBODY: Pick<PortAddress, 'macHigh' | 'macLow'> = { macHigh: 0x0266, macLow: 0x6666_6666 };
const TYPES = { ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, ipv6: 0x86dd, lldp: 0x88cc } as const;
const UDP = 17;
const ICMP = 1;
const ICMPV6 = 58;
/** Bytes up to the end of a UDP header. */
const IPV4_LEAST = 42;
/** Frames of a round that wait for their completions. */
const ROUND = 8;
const MESSAGE_BYTES = 3000;

/**
 * Frames of software between the first two hosts, of any length and of protocols of all kinds, both ways, while messages go over
 * the connections: for a host, for all, and for nobody; with receives posted, and none; some too long or too short to be sent.
 */
export class RawFrames extends UserSequence {
  static readonly typeName: string = 'raw_frames';
  static readonly description: string = 'raw frames of software in both directions between two hosts, beside messages';

  override readonly needs = { capabilities: ['raw'] as const };

  override *body(): Proc<void> {
    const [first] = this.connections;
    if (first === undefined) return;
    const left = yield* this.openRaw(first.left, USUAL_MOST);
    const right = yield* this.openRaw(first.right, USUAL_MOST);
    const work = [
      this.run.processes.spawn(
        'messages',
        this.forEachConnection((connection) => this.#messages(connection)),
      ),
      this.run.processes.spawn('framesRight', this.#frames(left, right, this.streamOf(first, 'frames right'))),
      this.run.processes.spawn('framesLeft', this.#frames(right, left, this.streamOf(first, 'frames left'))),
    ];
    yield* joinAll(work);
    yield* this.quiet();
    yield* this.#unwanted(left, right, this.streamOf(first, 'unwanted'));
    yield* this.#unsendable(left);
    for (const side of [left, right]) yield* side.close();
  }

  /** Rounds of frames, with a receive for each. */
  *#frames(from: RawSide, to: RawSide, random: RandomStream): Proc<void> {
    for (let round = 0; round < this.count; round++) {
      for (let left = ROUND - to.qp.recvOutstanding; left > 0; left--) yield* to.receive();
      for (let i = 0; i < ROUND; i++) yield* from.send(this.#frame(from, to, random));
      for (let i = 0; i < ROUND; i++) this.expectSuccess(yield* from.sent(), 'frame');
      // Nobody sends a frame again that the link has lost.
      if (this.given.env.lossAllowed) continue;
      for (let i = 0; i < ROUND; i++) this.expectSuccess((yield* to.received()).completion, 'receive of a frame');
    }
  }

  /** Nobody takes what is for another port, finds no receive, or does not fit into the one that there is. */
  *#unwanted(from: RawSide, to: RawSide, random: RandomStream): Proc<void> {
    const own = header(to.address, from.address, TYPES.arp);
    if (to.qp.recvOutstanding === 0) yield* to.receive();
    yield* this.#sent(from, header(NOBODY, from.address, TYPES.arp), random);
    // The receive is still there for what is meant.
    while (to.qp.recvOutstanding > 0) yield* this.#sent(from, own, random);
    yield* this.#sent(from, own, random);
    yield* to.receive(SHORTEST - 1);
    yield* this.#sent(from, own, random);
  }

  /** Sends a frame, and waits until nothing moves. */
  *#sent(from: RawSide, head: Uint8Array, random: RandomStream): Proc<void> {
    yield* from.send(withBody(head, random.range(SHORTEST, USUAL_MOST), random));
    this.expectSuccess(yield* from.sent(), 'frame');
    yield* this.quiet();
  }

  /** Shorter than a header: refused by the NIC, which then sends nothing more. */
  *#unsendable(from: RawSide): Proc<void> {
    yield* from.send(new Uint8Array(ETHERNET - 1));
    (yield* from.sent()).expected();
    yield* this.quiet();
  }

  #frame(from: RawSide, to: RawSide, random: RandomStream): Uint8Array {
    const [destination, source] = [random.range(0, 4) === 0 ? BROADCAST : to.address, from.address];
    const length = random.pick([ETHERNET, SHORTEST - 1, SHORTEST, USUAL_MOST, random.range(ETHERNET, USUAL_MOST)]);
    const drawn = random.pick(Object.values(TYPES));
    const type = drawn === TYPES.ipv4 && length < IPV4_LEAST ? TYPES.arp : drawn;
    const frame = withBody(header(destination, source, type), length, random);
    if (type === TYPES.ipv4) ipv4(frame, to.address, random.pick([UDP, ICMP]));
    // What a tag, or another header, would have UDP port 4791 behind it by chance is no frame of software.
    if (type === TYPES.vlan && length >= 18) frame.set([TYPES.lldp >> 8, TYPES.lldp & 0xff], 16);
    if (type === TYPES.ipv6 && length > ETHERNET + 6) frame.set([0x60, 0, 0, 0, 0, 0, ICMPV6], ETHERNET);
    return frame;
  }

  /** What goes on beside them. */
  *#messages({ type, left, right }: Connection): Proc<void> {
    const bytes = type === QP_TYPE.ud ? Math.min(MESSAGE_BYTES, this.values.MTU) : MESSAGE_BYTES;
    const [data, into] = [yield* left.source(bytes), yield* right.sink(bytes)];
    for (let i = 0; i < this.count * 2; i++) {
      yield* right.receive(into);
      yield* left.send(data);
      this.expectSuccess(yield* left.sent(), 'message');
      if (type === QP_TYPE.rc) this.expectSuccess(yield* right.received(), 'receive');
      else yield* this.quiet();
    }
  }
}

type Mac = Pick<PortAddress, 'macHigh' | 'macLow'>;

function header(destination: Mac, source: Mac, type: number): Uint8Array {
  return Uint8Array.from([...mac(destination), ...mac(source), type >> 8, type & 0xff]);
}

function mac({ macHigh, macLow }: Mac): number[] {
  return [macHigh >> 8, macHigh & 0xff, macLow >>> 24, (macLow >>> 16) & 0xff, (macLow >>> 8) & 0xff, macLow & 0xff];
}

/** A frame of `length` bytes that begins with `head` and goes on anyhow. */
function withBody(head: Uint8Array, length: number, random: RandomStream): Uint8Array {
  const frame = Uint8Array.from({ length }, () => random.range(0, 255));
  frame.set(head.subarray(0, length));
  return frame;
}

/** An IPv4 header of no options, to a host, and a UDP port that is not that of RoCEv2. */
function ipv4(frame: Uint8Array, { ipv4: to }: PortAddress, protocol: number): void {
  frame.set(
    [0x45, 0, (frame.length - ETHERNET) >> 8, (frame.length - ETHERNET) & 0xff, 0, 0, 0x40, 0, 64, protocol],
    ETHERNET,
  );
  frame.set([to >>> 24, (to >>> 16) & 0xff, (to >>> 8) & 0xff, to & 0xff], ETHERNET + 16);
  frame.set([0x13, 0x88, 0x13, 0x88], ETHERNET + 20);
}
