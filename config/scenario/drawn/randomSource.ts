/**
 * Random stimulus: the same queue pairs, doorbells and numbers of requests as the parameters say, but every request
 * of its own length, cut into unequal entries (some of them empty), at odd addresses, in random order; receives that
 * are cut differently from the messages they take, and sometimes longer.
 *
 * A request is drawn in two steps, each from draws of its own: what it is (kind, length, immediate), which the peer
 * repeats to post its receives, and how it is laid out. Where things lie follows `randomLayout.ts`.
 */
import { GRH_BYTES, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { hash32 } from '../../../uvm/random/hash.ts';
import { type RunConfig, sgBytes } from '../../runConfig.ts';
import { AREA } from '../scenario.ts';
import { drawAtomic, WORD_BYTES, withWords, wordsOffset } from './atomicDraws.ts';
import { CompactSource, MINIMAL_RIGHTS, placeOf } from './compactSource.ts';
import { CounterDraws } from './counterDraws.ts';
import { typeOf } from './pairing.ts';
import { LANE, MAX_SPARE, laneStart, randomExtent } from './randomLayout.ts';
import { drawLength } from './randomLength.ts';
import { cutMessage } from './randomCut.ts';
import type { WorkPlan } from '../workPlan.ts';
import { PAGE_BYTES } from '../../../uvm/bytes/byteStore.ts';

/** Shares in percent. */
const IDLE_QP = 6;
const LONGER_RECEIVE = 40;
const INLINE = 50;
/** Share of buffers put at a page boundary, of 128. */
const BOUNDARY_GAP = 26;

/** Draws of atomics, and their key. */
interface AtomicShare {
  readonly key: number;
  readonly draws: CounterDraws;
}

export class RandomSource extends CompactSource {
  /** As few as a doorbell needs, so that rings wrap. */
  protected readonly usualSendWr: number;
  protected readonly usualRecvWr: number;
  readonly #keys: { readonly shape: number; readonly layout: number; readonly receive: number };
  readonly #draws = new CounterDraws();
  /** Offset of the words in the receive area; which requests are atomics is drawn apart from all else. */
  readonly #words: number;
  readonly #atomics: AtomicShare | null;
  /** Next free byte of each lane of the doorbell that is being laid out. */
  readonly #cursor = new Float64Array(6);
  /** What the requests of a doorbell are; filled by `#shape`. */
  readonly #opcodes: Uint8Array;
  readonly #lengths: Float64Array;
  readonly #imms: Uint32Array;
  #shaped = 0;
  readonly #cuts: Float64Array;

  /** @param key key of all draws */
  constructor(config: RunConfig, key: number) {
    const bytes = randomExtent(config.values);
    const atomics = config.values.ATOMIC_PCT > 0;
    super(config, key, MINIMAL_RIGHTS, atomics ? withWords(bytes) : bytes);
    this.#words = wordsOffset(bytes);
    this.#atomics = atomics ? { key: hash32(key, 4, 0), draws: new CounterDraws() } : null;
    this.usualSendWr = this.maxRequests;
    this.usualRecvWr = this.maxRequests;
    this.#keys = { shape: hash32(key, 1, 0), layout: hash32(key, 2, 0), receive: hash32(key, 3, 0) };
    this.#opcodes = new Uint8Array(this.maxRequests);
    this.#lengths = new Float64Array(this.maxRequests);
    this.#imms = new Uint32Array(this.maxRequests);
    this.#cuts = new Float64Array(config.values.SG_NUM);
  }

  override hasInline(): boolean {
    return this.config.values.MAX_INLINE > 0;
  }

  protected override addSends(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    this.#shape(host, qp, doorbell);
    this.#openLanes(doorbell);
    this.#draws.seek(this.#keys.layout, placeOf(host, qp, doorbell));
    this.#atomics?.draws.seek(this.#atomics.key, placeOf(host, qp, doorbell));
    for (let i = 0; i < this.#shaped; i++) {
      const opcode = this.#opcodes[i] as number;
      const length = this.#lengths[i] as number;
      const k = out.add(opcode);
      if (this.#isAtomic(qp, opcode)) {
        this.#addAtomic(out, k, host, qp);
        continue;
      }
      out.at(k).imm = this.#imms[i] as number;
      const read = opcode === WR_OPCODE.rdmaRead;
      const area = read ? AREA.receive : AREA.source;
      this.#addEntries(out, k, area, read ? LANE.read : LANE.own, length, true);
      if (!read && this.#isInline(length)) out.at(k).flags = SEND_FLAG.inline;
      if (isRdma(opcode)) this.#addRemote(out, k, read ? AREA.source : AREA.receive, length);
    }
  }

  protected override hasWords(): boolean {
    return this.counts.rc > 0;
  }

  #isAtomic(qp: number, opcode: number): boolean {
    if (this.#atomics === null || typeOf(this.counts, qp) !== QP_TYPE.rc) return false;
    const may = opcode === WR_OPCODE.rdmaRead || opcode === WR_OPCODE.rdmaWrite;
    return may && this.#atomics.draws.percent(this.config.values.ATOMIC_PCT);
  }

  #addAtomic(out: WorkPlan, k: number, host: number, qp: number): void {
    const { draws } = this.#atomics as AtomicShare;
    const request = out.at(k);
    const at = drawAtomic(draws, request);
    // Its operands take the place of an entry in the slot of a request.
    const most = Math.max(1, this.config.values.SG_NUM - 1);
    this.#addEntries(out, k, AREA.receive, LANE.read, WORD_BYTES, true, most);
    out.setRemote(k, AREA.receive, this.#words + at, this.numbering.words);
    request.remoteQp = this.ownerOf((this.peerOf(host, qp) as { qp: number }).qp);
  }

  recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    const peer = this.peerOf(host, qp);
    if (peer === undefined) return;
    this.#shape(peer.host, peer.qp, doorbell);
    this.#openLanes(doorbell);
    this.#draws.seek(this.#keys.receive, placeOf(host, qp, doorbell));
    const ud = typeOf(this.counts, qp) === QP_TYPE.ud;
    for (let i = 0; i < this.#shaped; i++) {
      const opcode = this.#opcodes[i] as number;
      if (!takesReceive(opcode)) continue;
      const k = out.add(0);
      if (ud) {
        const at = this.#place(AREA.receive, LANE.own, GRH_BYTES);
        out.at(k).addSge(AREA.receive, at, GRH_BYTES, this.numbering.grh(k));
      }
      // A WRITE with immediate uses up a receive but none of its memory.
      const length = isRdma(opcode) ? this.#draws.below(MAX_SPARE) : (this.#lengths[i] as number);
      const spare = this.#draws.percent(LONGER_RECEIVE) ? this.#draws.below(MAX_SPARE) : 0;
      this.#addEntries(out, k, AREA.receive, LANE.own, length + spare, false);
    }
  }

  /** Decides what a queue pair posts with a doorbell: kinds in random order, lengths, immediate data. */
  #shape(host: number, qp: number, doorbell: number): void {
    this.#shaped = 0;
    if (!this.launches(host) || this.peerOf(host, qp) === undefined) return;
    const draws = this.#draws;
    draws.seek(this.#keys.shape, placeOf(host, qp, doorbell));
    const v = this.config.values;
    const type = typeOf(this.counts, qp);
    if (draws.percent(IDLE_QP) && doorbell > 0) return;
    let sends = v.SEND_WQE_NUM;
    let writes = type === QP_TYPE.ud ? 0 : v.WRITE_WQE_NUM;
    let reads = type === QP_TYPE.rc ? v.READ_WQE_NUM : 0;
    const longest = sgBytes(v) * v.SG_NUM;
    for (let left = sends + writes + reads; left > 0; left--) {
      const pick = draws.below(left);
      let opcode: number = WR_OPCODE.rdmaRead;
      if (pick < sends) {
        opcode = WR_OPCODE.send;
        sends--;
      } else if (pick < sends + writes) {
        opcode = WR_OPCODE.rdmaWrite;
        writes--;
      } else reads--;
      this.#shapeRequest(opcode, type === QP_TYPE.ud ? Math.min(longest, v.MTU) : longest);
    }
  }

  #shapeRequest(opcode: number, longest: number): void {
    const draws = this.#draws;
    const i = this.#shaped++;
    this.#lengths[i] = drawLength(draws, longest, this.config.values.MTU);
    const immediate = opcode !== WR_OPCODE.rdmaRead && draws.percent(this.config.values.IMM);
    this.#opcodes[i] = immediate ? opcode + 1 : opcode;
    this.#imms[i] = immediate ? draws.uint32() : 0;
  }

  /** Cuts `total` bytes into `most` entries of request `k` at the most, and places each. */
  #addEntries(
    out: WorkPlan,
    k: number,
    area: number,
    lane: number,
    total: number,
    send: boolean,
    most = this.config.values.SG_NUM,
  ): void {
    const pieces = cutMessage(this.#draws, total, most, this.#cuts);
    const request = out.at(k);
    for (let g = 0; g < pieces; g++) {
      const length = this.#cuts[g] as number;
      const region = send ? this.numbering.send(k, g, area) : this.numbering.recv(k, g);
      request.addSge(area, this.#place(area, lane, length), length, region);
    }
  }

  #isInline(length: number): boolean {
    const { MAX_INLINE } = this.config.values;
    return MAX_INLINE > 0 && length <= MAX_INLINE && this.#draws.percent(INLINE);
  }

  #addRemote(out: WorkPlan, k: number, area: number, length: number): void {
    out.setRemote(k, area, this.#place(area, LANE.peer, length), this.numbering.remote(k, area));
  }

  #openLanes(doorbell: number): void {
    for (let lane = 0; lane < 3; lane++) {
      const start = laneStart(this.config.values, doorbell, lane);
      this.#cursor[lane] = start;
      this.#cursor[3 + lane] = start;
    }
  }

  /**
   * Takes `length` bytes of a lane: 1 .. 64 bytes behind the last buffer, or so that a page boundary is inside or at
   * its ends. One draw decides all of it, because this runs for every entry: its low bits the gap, the next ones
   * whether a boundary is sought, the rest where it falls.
   */
  #place(area: number, lane: number, length: number): number {
    const draw = this.#draws.uint32();
    const at = area * 3 + lane;
    let start = (this.#cursor[at] as number) + 1 + (draw & 63);
    if (((draw >>> 6) & 127) < BOUNDARY_GAP) {
      const inside = length < 32 ? length : 32;
      const before = (((draw >>> 13) * (inside + 1)) / 2 ** 19) | 0;
      start += (PAGE_BYTES - ((start + before) & (PAGE_BYTES - 1))) & (PAGE_BYTES - 1);
    }
    this.#cursor[at] = start + length;
    return start;
  }
}

function isRdma(opcode: number): boolean {
  return opcode === WR_OPCODE.rdmaWrite || opcode === WR_OPCODE.rdmaWriteWithImm || opcode === WR_OPCODE.rdmaRead;
}

/** Whether a request uses up a receive of its peer. */
export function takesReceive(opcode: number): boolean {
  return opcode === WR_OPCODE.send || opcode === WR_OPCODE.sendWithImm || opcode === WR_OPCODE.rdmaWriteWithImm;
}
