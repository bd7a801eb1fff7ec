/**
 * The room of the Ethernet between the NICs: cables, switch, faults, capture. NICs send by `port(host)`; frames are published
 * as they leave a NIC (`frames`), then faults act, then they are delivered. It knows frames, not packets: who reads headers
 * imports `agents/wire`. Speed and delays are settings (`linkSettings`); a fault is a rule, not a change of this file.
 */

import { aFrame } from '../../rdma/subjectParts.ts';
import type { Frame, LinkUpstream, Nic } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import type { EventHandler, Scheduler } from '../../uvm/kernel/scheduler.ts';
import { UVM_HIGH } from '../../uvm/report/verbosity.ts';
import type { Run } from '../../uvm/run.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { FramePool, type LinkFrame } from './framePool.ts';
import { HeldFrames } from './heldFrames.ts';
import { type LinkFaultHook, LinkVerdict } from './linkFaults.ts';
import { ArrivalItem, FrameFate, FrameItem } from './linkItems.ts';
import { type LinkSettings, LinkUsageError, resolveLinkSettings } from './linkSettings.ts';
import { LinkStatistics } from './linkStatistics.ts';
import { INJECTED_TAG } from './inject/injectedPacket.ts';
import { LINK_TRANSCRIPT } from './linkTranscript.ts';
import { HEADER_BYTES, SEAL, type Seal, SealCheck } from '../wire/frameSeal.ts';
import { traceLink } from '../wire/linkTrace.ts';
import { MacTable } from './macTable.ts';
import { MAX_FRAME_BYTES, MOST_PORTS } from '../../dut-model/nic.ts';

/** Frames up to this length cost no more as a whole. */
const LONG_FRAME = 256;

/** What a link agent is built with. */
export interface LinkAgentOptions {
  /** Two are joined by a cable for each port number, more by a store-and-forward switch for each. */
  readonly hosts: number;
  /** Ports of the NIC of each host. Default 1 each. */
  readonly ports?: readonly number[];
  /** Pool of frame blocks, at least `MAX_FRAME_BYTES` each. */
  readonly blocks: BlockPool;
  readonly settings?: Partial<LinkSettings>;
}

/** Report ids of the link agent with their meaning. */
export const LINK_REPORT_IDS = {
  LINK_MISUSE: 'a NIC sent a frame that it did not own at that time, or after it was finished',
  LINK_LENGTH: 'a NIC sent a frame shorter than an Ethernet header or longer than the link carries',
  LINK_DATA: 'bytes of a frame are not in the byte store',
  LINK_READY: 'start time of a frame is no whole number of picoseconds',
  LINK_STATS: 'statistics of a port (information)',
} as const satisfies Readonly<Record<string, string>>;

type LinkReportId = keyof typeof LINK_REPORT_IDS;

/**
 * The Ethernet between the NICs: takes frames from each port, publishes them, and delivers them in order after their
 * time on the wire. With two hosts every frame goes to the other one; with more, a switch looks at the destination
 * address, and group or unknown addresses go to everybody else.
 */
export class LinkAgent extends Component implements EventHandler {
  /** Every frame as its NIC sends it, before any fault. Order: that of the `send` calls. */
  readonly frames = new AnalysisPort<FrameItem>('frames');
  /** What fault rules do to a frame, right after it was sent; of a frame that they let alone nothing is said. */
  readonly fates = new AnalysisPort<FrameFate>('fates');
  /** Every frame, copies too, the moment before a NIC is given it. */
  readonly arrivals = new AnalysisPort<ArrivalItem>('arrivals');
  /** Frames that reach nobody: a fault rule swallowed them, or nobody has their address. For close looks alone. */
  readonly losses = new AnalysisPort<FrameItem>('losses');
  /** Per host, over all its ports. */
  readonly statistics: readonly LinkStatistics[];
  /** Asked about each frame; null lets everything pass. */
  faults: LinkFaultHook | null = null;
  /** Frames sent and not yet delivered. */
  inFlight = 0;
  /** When the last frame on the way arrived, the latest time that happened, ps. */
  emptyAt = Number.NaN;

  readonly #hosts: number;
  readonly #settings: LinkSettings;
  readonly #psPerByte: number;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #transcript: Transcript;
  readonly #blocks: BlockPool;
  readonly #pool: FramePool;
  /** By port number, from 0. */
  readonly #macs: readonly MacTable[];
  readonly #portsOf: readonly number[];
  readonly #nics: (Nic | null)[];
  readonly #ports: LinkPort[] = [];
  readonly #item = new FrameItem();
  readonly #fate = new FrameFate(this.#item);
  readonly #arrival = new ArrivalItem();
  readonly #arrived = new FrameItem();
  /** Looks at frames where no monitor does; made for the first one. */
  #seals: SealCheck | null = null;
  readonly #verdict = new LinkVerdict();
  /** Frames that a fault rule holds back; made for the first one. */
  #held: HeldFrames | null = null;
  /** When each transmitter of a host, and each port of a switch, is free: by line. */
  readonly #txFree: Float64Array;
  readonly #egressFree: Float64Array;

  /** @throws LinkUsageError for a wrong number of hosts or a wrong setting. */
  constructor(name: string, parent: Component | Run, options: LinkAgentOptions) {
    super(name, parent);
    const { hosts } = options;
    if (!Number.isInteger(hosts) || hosts < 1 || hosts > 64) throw new LinkUsageError('hosts', hosts, 'use 1 to 64');
    this.#hosts = hosts;
    // Not a number until here, so that the engine keeps a double from the start.
    this.emptyAt = 0;
    this.#settings = resolveLinkSettings(options.settings);
    this.#psPerByte = 8000 / this.#settings.rate;
    this.#scheduler = this.run.scheduler;
    this.#bytes = this.run.bytes;
    this.#transcript = this.run.transcript;
    this.#blocks = options.blocks;
    this.#pool = new FramePool(options.blocks);
    this.#portsOf = Array.from({ length: hosts }, (_, host) => options.ports?.[host] ?? 1);
    const most = Math.max(...this.#portsOf);
    if (!Number.isInteger(most) || Math.min(...this.#portsOf) < 1 || most > MOST_PORTS)
      throw new LinkUsageError('ports', most, `use 1 to ${MOST_PORTS}`);
    this.#macs = Array.from({ length: most }, () => new MacTable(hosts));
    this.#nics = new Array<Nic | null>(hosts).fill(null);
    this.#txFree = new Float64Array(hosts * most);
    this.#egressFree = new Float64Array(hosts * most);
    this.statistics = Array.from({ length: hosts }, () => new LinkStatistics());
    for (let line = 0; line < hosts * most; line++)
      this.#ports.push(new LinkPort(this, line % hosts, Math.floor(line / hosts) + 1));
  }

  /** The link as the NIC of a host sees it at one of its ports. */
  port(host: number, port = 1): LinkUpstream {
    return this.#ports[this.#lineOf(host, port)] as LinkPort;
  }

  /** Plugs a port of a host's NIC in: frames for its Ethernet address (upper 16, lower 32 bits) go to it. */
  attach(host: number, nic: Nic, macHigh: number, macLow: number, port = 1): void {
    if (host >>> 0 >= this.#hosts) throw new LinkUsageError('host', host, `use 0 to ${this.#hosts - 1}`);
    const ports = this.#portsOf[host] as number;
    if (port < 1 || port > ports) throw new LinkUsageError('port', port, `use 1 to ${ports}`);
    this.#nics[host] = nic;
    (this.#macs[port - 1] as MacTable).set(host, macHigh, macLow);
  }

  /** When a transmitter is free. Used by the ports. */
  freeAt(host: number, port: number): number {
    return this.#txFree[this.#lineOf(host, port)] as number;
  }

  /** A port of a host in one number; of port 1 it is that of the host. */
  #lineOf(host: number, port: number): number {
    return host + (port - 1) * this.#hosts;
  }

  /** A frame for a sender to fill. Used by the ports. */
  acquire(): Frame {
    return this.#pool.acquire();
  }

  /** Least time in ps from the first bit of a frame on its sender's cable to its arrival. */
  get shortestTrip(): number {
    const { latency, switchLatency } = this.#settings;
    const cable = this.shortestFrame + latency;
    return this.#hosts === 2 ? cable : 2 * cable + switchLatency;
  }

  /** Least time in ps that a frame takes on its sender's cable. */
  get shortestFrame(): number {
    return this.#duration(0);
  }

  /** Takes over a frame from a host's NIC. Used by the ports. */
  send(host: number, frame: Frame, port: number): void {
    const f = frame as LinkFrame;
    if (!this.#pool.isAcquired(f)) {
      const id: LinkReportId = 'LINK_MISUSE';
      const why = this.#pool.isClosed ? 'although its NIC was finished' : 'that is not its own at this moment';
      this.error(id, `host ${host} sent a frame of ${f.length} bytes ${why}`, [aFrame(host, this.run.scheduler.now)]);
      return;
    }
    f.acquired = false;
    f.port = port;
    const fault = this.#faultOf(f);
    if (fault !== null) {
      this.#refuse(host, f, fault);
      return;
    }
    const end = this.#transmit(host, f);
    if (this.faults === null) this.#forward(f, this.#item.to, end);
    else this.#forwardJudged(f, this.faults, end);
  }

  /**
   * Sends a frame that no NIC has sent: it begins at once, arrives as others do, and is told to `arrivals` alone.
   * @param from host from which it seems to come @param fill writes it at an offset of the byte store, and returns its length
   * @param port of both NICs, from 1
   */
  inject(from: number, to: number, fill: (data: number) => number, port = 1): void {
    const f = this.#pool.acquire();
    f.acquired = false;
    f.from = from;
    f.port = port;
    f.tag = INJECTED_TAG;
    f.edited = true;
    f.damaged = true;
    f.length = fill(f.data);
    this.#forward(f, to, this.#scheduler.now + this.#duration(f.length));
  }

  /** The NICs are finished: what they send from now on is refused. */
  close(): void {
    this.#pool.close();
  }

  /** A frame has reached the switch or a NIC. */
  fire(slot: number): void {
    const f = this.#pool.slots[slot] as LinkFrame;
    if (f.egress >= 0) this.#leaveSwitch(f);
    else this.#deliver(f);
  }

  override startOfSimulationPhase(): void {
    traceLink(this);
  }

  override reportPhase(): void {
    for (let host = 0; host < this.#hosts; host++) {
      this.info('LINK_STATS' satisfies LinkReportId, () => `host ${host}: ${this.statistics[host]}`, UVM_HIGH);
    }
  }

  /** What is wrong with a frame by itself, null where nothing is. */
  #faultOf({ length, data, readyAt }: LinkFrame): LinkReportId | null {
    if (!(length >= 14 && length <= MAX_FRAME_BYTES)) return 'LINK_LENGTH';
    if (!Number.isSafeInteger(readyAt)) return 'LINK_READY';
    return data >>> 0 === data && data + length <= this.run.bytes.u8.length ? null : 'LINK_DATA';
  }

  #refuse(host: number, f: LinkFrame, fault: LinkReportId): void {
    const { length, data, readyAt } = f;
    const what =
      fault === 'LINK_LENGTH'
        ? `of ${length} bytes; 14 to ${MAX_FRAME_BYTES} are possible`
        : fault === 'LINK_READY'
          ? `from time ${readyAt} on, which is no time in whole ps`
          : `with its bytes at ${data}; the byte store has ${this.run.bytes.u8.length}`;
    this.error(fault, `host ${host} sent a frame ${what}`, [aFrame(host, this.run.scheduler.now)]);
    this.#drop(host, f);
  }

  /** Puts a frame on the sender's cable and publishes it. @returns the time of its last bit. */
  #transmit(host: number, f: LinkFrame): number {
    const stats = this.statistics[host] as LinkStatistics;
    const line = this.#lineOf(host, f.port);
    const free = this.#txFree[line] as number;
    let start = this.#scheduler.now;
    if (f.readyAt > start) start = f.readyAt;
    if (free > start) start = free;
    const time = this.#duration(f.length);
    this.#txFree[line] = start + time;
    stats.sends(f.length, start, start + time);
    f.from = host;
    const item = this.#item;
    item.host = host;
    item.port = f.port;
    item.to = this.#hosts === 2 ? 1 - host : (this.#macs[f.port - 1] as MacTable).destination(this.#bytes, f.data);
    item.data = f.data;
    item.length = f.length;
    item.time = start;
    item.tag = 0;
    item.end = start + time;
    // Not by the port, whose `write` is shared with all others: here the engine knows whom it calls.
    const { subscribers } = this.frames;
    item.seal = SEAL.unknown;
    item.icrc = 0;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<FrameItem>).write(item);
    f.tag = item.tag;
    f.sentIcrc = item.icrc;
    this.#note(f, host, start, item.seal);
    return start + time;
  }

  /** Folds a frame into the transcript: of a long one whose invariant CRC is right the headers and that. */
  #note(f: LinkFrame, host: number, start: number, seen: Seal): void {
    const { length, data } = f;
    const seal = seen === SEAL.unknown && length > LONG_FRAME ? this.#look(data, length) : seen;
    f.sealed = seal === SEAL.right;
    if (f.sealed && length > LONG_FRAME) {
      const icrc = lastWord(this.#bytes.u8, data + length);
      this.#transcript.beginning(
        LINK_TRANSCRIPT.sent,
        placeOf(host, f.port),
        start,
        1,
        icrc,
        length,
        data,
        HEADER_BYTES,
      );
    } else this.#transcript.message(LINK_TRANSCRIPT.sent, placeOf(host, f.port), start, 0, 0, length, data);
  }

  #look(data: number, length: number): Seal {
    this.#seals ??= new SealCheck(this.#bytes);
    return this.#seals.look(data, length);
  }

  #duration(length: number): number {
    const s = this.#settings;
    return Math.ceil(((length > s.minFrame ? length : s.minFrame) + s.overheadBytes) * this.#psPerByte);
  }

  /** Sends a frame on its way to host `to`, or to all others when that is -1; `end` is when it has left its sender. */
  #forward(f: LinkFrame, to: number, end: number): void {
    if (to >= 0 && f.port > (this.#portsOf[to] as number)) this.#lose(f, to);
    else if (this.#hosts === 2) {
      f.to = to;
      this.#schedule(f, end + this.#settings.latency);
    } else if (to >= 0 && to !== f.from) this.#enterSwitch(f, to, end);
    else if (to < 0) this.#flood(f, end);
    else this.#lose(f, to);
  }

  #enterSwitch(f: LinkFrame, to: number, end: number): void {
    f.to = to;
    f.egress = this.#lineOf(to, f.port);
    this.#schedule(f, end + this.#settings.latency + this.#settings.switchLatency);
  }

  #flood(f: LinkFrame, end: number): void {
    for (let host = 0; host < this.#hosts; host++) {
      if (host !== f.from && f.port <= (this.#portsOf[host] as number)) this.#enterSwitch(this.#twin(f), host, end);
    }
    this.#pool.release(f);
  }

  #leaveSwitch(f: LinkFrame): void {
    const now = this.#scheduler.now;
    const free = this.#egressFree[f.egress] as number;
    const end = (free > now ? free : now) + this.#duration(f.length);
    this.#egressFree[f.egress] = end;
    f.egress = -1;
    this.inFlight--;
    this.#schedule(f, end + this.#settings.latency);
  }

  #schedule(f: LinkFrame, time: number): void {
    this.inFlight++;
    this.#scheduler.scheduleAt(time, this, f.slot);
  }

  #deliver(f: LinkFrame): void {
    if (--this.inFlight === 0) this.emptyAt = this.#scheduler.now;
    const stats = this.statistics[f.to] as LinkStatistics;
    stats.receives(f.length, this.#scheduler.now);
    const kind = f.edited ? LINK_TRANSCRIPT.receivedEdited : LINK_TRANSCRIPT.received;
    this.#transcript.record(kind, placeOf(f.to, f.port), this.#scheduler.now, 0, f.from, f.length);
    if (f.edited) this.#transcript.bytes(f.data, f.length);
    this.#announce(f);
    if (this.faults !== null) this.#tellFaults(f, this.faults);
    const nic = this.#nics[f.to] as Nic | null;
    if (nic !== null) nic.receive(f, f.port);
    this.#pool.release(f);
  }

  #announce(f: LinkFrame): void {
    const { subscribers } = this.arrivals;
    if (subscribers.length === 0) return;
    const item = this.#arrival;
    item.host = f.to;
    item.from = f.from;
    item.port = f.port;
    item.tag = f.tag;
    item.data = f.data;
    item.length = f.length;
    item.edited = f.edited;
    item.fcsError = f.fcsError;
    item.sentIcrc = f.sentIcrc;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<ArrivalItem>).write(item);
  }

  /** Tells what the verdict does to the frame that was published last. */
  #tellFate({ drop, duplicates, delay, holdFrames, edit }: LinkVerdict, teller: LinkFaultHook): void {
    const delayed = delay > 0 || holdFrames > 0;
    if (!drop && duplicates === 0 && !delayed && edit === null) return;
    const fate = this.#fate;
    fate.dropped = drop;
    fate.duplicates = duplicates;
    fate.delayed = delayed;
    fate.edited = edit !== null;
    fate.teller = teller;
    this.fates.write(fate);
  }

  #forwardJudged(f: LinkFrame, faults: LinkFaultHook, end: number): void {
    const verdict = this.#verdict;
    verdict.clear();
    const to = this.#item.to;
    faults.judge(this.#item, verdict);
    this.#tellFate(verdict, faults);
    const changed = verdict.edit === null ? f : this.#edited(f, verdict);
    changed.damaged = verdict.damaged;
    changed.fcsError = verdict.fcsError;
    for (let i = 1; i <= verdict.duplicates; i++) {
      this.#forward(this.#twin(changed), to, end + verdict.delay + i * verdict.duplicateDelay);
    }
    const { from, port } = changed;
    if (verdict.drop) this.#lose(changed, to);
    else if (verdict.holdFrames > 0) this.#hold(changed, to, end, verdict);
    else {
      this.#forward(changed, to, end + verdict.delay);
      this.#held?.passed(from, port, to, end + verdict.delay);
    }
  }

  #hold(f: LinkFrame, to: number, end: number, { holdFrames, holdTime, delay }: LinkVerdict): void {
    this.#held ??= new HeldFrames(this.#scheduler, (held, time) => {
      this.inFlight--;
      this.#forward(held.frame, held.to, time);
    });
    this.inFlight++;
    this.#held.hold(f, to, holdFrames, end + delay, end + delay + holdTime);
  }

  #tellFaults(f: LinkFrame, faults: LinkFaultHook): void {
    if (faults.arrived === undefined) return;
    const item = this.#arrived;
    item.host = f.from;
    item.port = f.port;
    item.to = f.to;
    item.data = f.data;
    item.length = f.length;
    item.time = this.#scheduler.now;
    item.end = item.time;
    faults.arrived(item, f.damaged);
  }

  /** A frame with the same bytes, in the same block. */
  #twin(f: LinkFrame): LinkFrame {
    const twin = this.#pool.take();
    this.#blocks.retain(f.block);
    twin.block = f.block;
    twin.data = f.data;
    twin.length = f.length;
    twin.from = f.from;
    twin.port = f.port;
    twin.edited = f.edited;
    twin.tag = f.tag;
    twin.sentIcrc = f.sentIcrc;
    twin.damaged = f.damaged;
    twin.fcsError = f.fcsError;
    twin.sealed = f.sealed;
    return twin;
  }

  /** A changed copy in place of the frame: the sender may still hold its block for a retransmission. */
  #edited(f: LinkFrame, verdict: LinkVerdict): LinkFrame {
    const copy = this.#pool.acquire();
    copy.acquired = false;
    copy.from = f.from;
    copy.edited = true;
    copy.tag = f.tag;
    copy.sentIcrc = f.sentIcrc;
    this.#bytes.copy(copy.data, f.data, f.length);
    copy.length = verdict.edit === null ? f.length : verdict.edit.edit(this.#bytes, copy.data, f.length);
    this.#pool.release(f);
    return copy;
  }

  /** A frame that was sent, and is delivered to nobody. */
  #lose(f: LinkFrame, to: number): void {
    if (this.losses.size > 0) {
      const item = new FrameItem();
      item.host = f.from;
      item.to = to;
      item.data = f.data;
      item.length = f.length;
      item.time = this.#scheduler.now;
      item.end = item.time;
      this.losses.write(item);
    }
    this.#drop(f.from, f);
  }

  #drop(host: number, f: LinkFrame): void {
    (this.statistics[host] as LinkStatistics).droppedFrames++;
    this.#pool.release(f);
  }
}

/** The four bytes in front of `end`. */
function lastWord(u8: Uint8Array, end: number): number {
  const low = (u8[end - 4] as number) | ((u8[end - 3] as number) << 8);
  return low | ((u8[end - 2] as number) << 16) | ((u8[end - 1] as number) << 24);
}

/** A port of a host as the transcript has it: of port 1, the host. */
function placeOf(host: number, port: number): number {
  return host + 256 * (port - 1);
}

/** One port's side of the link. */
class LinkPort implements LinkUpstream {
  readonly #link: LinkAgent;
  readonly #host: number;
  readonly #port: number;

  constructor(link: LinkAgent, host: number, port: number) {
    this.#link = link;
    this.#host = host;
    this.#port = port;
  }

  get freeAt(): number {
    return this.#link.freeAt(this.#host, this.#port);
  }

  acquire(): Frame {
    return this.#link.acquire();
  }

  send(frame: Frame): void {
    this.#link.send(this.#host, frame, this.#port);
  }
}
