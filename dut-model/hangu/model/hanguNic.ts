/**
 * The HanGu NIC: builds the blocks, joins them to the two ports, and routes what arrives.
 *
 *   BAR 0 ─ registers ─ command engine ─ tables (ICM, contexts, MPT, MTT)
 *   BAR 2 ─ doorbells ─ send queue ─ requester ─ gather ─ link            link ─ parser ─ per-QP queues
 *   DMA engine serves all of them                                              ├ requester receive (responses)
 *   completion unit, event unit, MSI-X                                         └ responder, receive queue, response unit
 *
 * The classes of the blocks are a parameter: a faulty NIC has another one in some place (dut-model/hangu/bugs).
 */
import { Frame } from '../../nic.ts';
import type { LinkUpstream, Nic, NicContext, PcieUpstream, Tlp } from '../../nic.ts';
import { EVENT_TYPE } from '../layout/queues.ts';
import { SRQN_MASK } from '../layout/sharedReceives.ts';
import { OP } from '../../roce/opcodeTable.ts';
import type { PacketEngine, RxPacket } from '../../roce/rxPacket.ts';
import type { AckQueue } from './transport/ackQueue/ackQueue.ts';
import type { AtomicUnit } from './transport/atomics/atomicUnit.ts';
import type { CommandEngine } from './control/commandEngine.ts';
import type { CompletionUnit } from './queues/completionUnit.ts';
import { HanguCore } from './core.ts';
import type { EgressUser } from '../../roce/egress.ts';
import type { EventUnit } from './queues/eventUnit.ts';
import type { FrameReceiver } from './transport/frameReceiver.ts';
import { type Gather, NO_NETWORK } from './memory/gather.ts';
import { HANGU_BLOCKS, type HanguBlocks } from './hanguBlocks.ts';
import type { HanguConfig } from './hanguConfig.ts';
import type { PacketJob, QpSlot, SendRequest, SlotEngine } from './transport/qpSlot.ts';
import type { PayloadWriter } from './memory/payloadWriter.ts';
import { OverflowStop } from './queues/overflowStop.ts';
import type { ReceiveFlush } from './transport/receiveFlush.ts';
import type { ReceiveQueue } from './queues/receiveQueue.ts';
import type { SharedReceives } from './queues/sharedReceives.ts';
import { BAR } from '../layout/addressMap.ts';
import { answerDword, type BarHandler } from './control/bars.ts';
import type { RegisterActions, Registers } from './control/registers.ts';
import type { Requester } from './transport/requester.ts';
import type { RequesterReceive } from './transport/requesterReceive.ts';
import type { CongestionUnit } from './transport/congestionUnit.ts';
import type { Responder } from './transport/responder.ts';
import type { ResponseUnit } from './transport/responseUnit.ts';
import type { SendCompletion } from './transport/sendCompletion.ts';
import type { SendQueue } from './queues/sendQueue.ts';

const RNR_TIMER = 1;

export class HanguNic implements Nic, SlotEngine, PacketEngine, RegisterActions, EgressUser {
  readonly core: HanguCore;
  readonly events: EventUnit;
  readonly completions: CompletionUnit;
  readonly receiveQueue: ReceiveQueue;
  readonly sharedReceives: SharedReceives;
  readonly receiveFlush: ReceiveFlush;
  readonly sendCompletion: SendCompletion;
  readonly sendQueue: SendQueue;
  readonly gather: Gather;
  readonly congestion: CongestionUnit;
  readonly requester: Requester;
  readonly requesterReceive: RequesterReceive;
  readonly responses: ResponseUnit;
  readonly payload: PayloadWriter;
  readonly atomics: AtomicUnit;
  readonly ackQueue: AckQueue;
  readonly responder: Responder;
  readonly frames: FrameReceiver;
  readonly commands: CommandEngine;
  readonly registers: Registers;
  /** What the BARs lead to, by number. A kind that has more puts them here; where nothing is, reads find 0. */
  protected readonly bars: (BarHandler | undefined)[] = [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ];
  #host!: PcieUpstream;

  /** @param blocks classes in place of the usual ones */
  constructor(context: NicContext, config: HanguConfig, blocks: Partial<HanguBlocks> = {}) {
    const made = { ...HANGU_BLOCKS, ...blocks };
    const core = new HanguCore(context, config, made);
    this.core = core;
    // With a bug anywhere the NIC looks at everything by itself.
    core.parser.takesSeals = new.target === HanguNic && Object.keys(blocks).length === 0;
    core.engine = this;
    core.keys = new made.keys(core);
    this.events = new made.events(core);
    this.completions = new made.completions(core, this.events);
    this.receiveQueue = new made.receiveQueue(core);
    this.sharedReceives = new made.sharedReceives(core, this.events);
    this.receiveQueue.shared = this.sharedReceives;
    this.receiveFlush = new made.receiveFlush(core, this.receiveQueue, this.completions);
    this.receiveFlush.events = this.events;
    this.sendCompletion = new made.sendCompletion(core, this.completions, this.events);
    this.gather = new made.gather(core);
    this.congestion = new made.congestion(core, this.gather);
    const packets = new made.requestPackets(core, this.gather);
    this.requester = new made.requester(core, this.gather, packets, this.sendCompletion);
    this.sendQueue = new made.sendQueue(core, this);
    this.requesterReceive = new made.requesterReceive(core, this.requester, this.sendCompletion, this.congestion);
    this.responses = new made.responses(core, this.gather);
    this.payload = new made.payload(core);
    this.atomics = new made.atomics(core);
    this.ackQueue = new made.ackQueue(core);
    const { ackQueue, atomics, completions, events, payload, receiveFlush, receiveQueue, responses } = this;
    this.responder = new made.responder(
      core,
      payload,
      receiveQueue,
      responses,
      completions,
      events,
      receiveFlush,
      atomics,
      ackQueue,
    );
    this.responder.congestion = this.congestion;
    this.frames = new made.frames(core, receiveQueue, payload, completions, receiveFlush);
    this.commands = new made.commands(core, completions, events, this.sendCompletion, receiveFlush);
    this.commands.shared = this.sharedReceives;
    this.registers = new made.registers(core, this.commands, this.events, this);
    this.bars[BAR.registers] = this.registers;
    this.bars[BAR.doorbell] = new made.doorbells(core, this.completions, this.events, this);
    this.receiveFlush.sendSide = this.sendCompletion;
    this.receiveFlush.responses = this.responses;
    this.sendCompletion.requester = this.requester;
    this.sendCompletion.sendQueue = this.sendQueue;
    this.sendCompletion.receiveSide = this.receiveFlush;
    this.requester.sendQueue = this.sendQueue;
    core.egress.user = this;
  }

  connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    const link = links[0] as LinkUpstream;
    this.#host = host;
    this.core.dma.connect(host);
    this.core.link = link;
    this.core.egress.link = link;
  }

  reset(): void {
    this.dropAll();
    this.commands.reset();
  }

  dropAll(): void {
    this.core.reset();
    this.events.reset();
    this.completions.reset();
    this.sharedReceives.reset();
    this.requester.reset();
    this.responses.reset();
    this.atomics.reset();
    this.ackQueue.reset();
  }

  dropWork(slot: QpSlot): void {
    // No answer to a fetch comes any more.
    slot.rqFetching = false;
    this.receiveFlush.forget(slot);
    this.sendCompletion.forget(slot);
    this.gather.discardAll(slot);
    slot.rxWrites?.forget();
    slot.rspWrites?.forget();
    this.#forgetReceived(slot, false);
    this.#forgetReceived(slot, true);
  }

  barWrite(tlp: Tlp): void {
    this.bars[tlp.bar]?.write(tlp);
  }

  barRead(tlp: Tlp): void {
    const bar = this.bars[tlp.bar];
    if (bar === undefined) answerDword(this.core.bytes, tlp, this.#host, 0);
    else bar.read(tlp, this.#host);
  }

  completion(tlp: Tlp): void {
    this.core.dma.completion(tlp);
  }

  receive(frame: Frame): void {
    const core = this.core;
    core.counters.framesReceived++;
    if ((frame.data & 3) !== 2) {
      this.#receiveCopy(frame);
      return;
    }
    const p = core.packets.acquire();
    if (core.running === true && core.parser.parse(frame, p) === true && this.#exists(p.destQpn)) {
      core.packets.retain(p, frame.block);
      this.congestion.arrived(p);
      this.#enqueue(p);
    } else if (this.frames.accepts(frame)) {
      core.packets.retain(p, frame.block);
      this.frames.load(p, frame);
      this.#enqueue(p);
    } else {
      core.counters.framesDropped++;
      core.packets.release(p);
    }
  }

  sendDoorbell(dw0: number, dw1: number): void {
    const slot = this.sendQueue.doorbell(dw0, dw1);
    if (slot === null) return;
    this.requester.schedule(slot);
    this.requester.pump();
  }

  receiveDoorbell(srqn: number, posted: number): void {
    this.sharedReceives.posted(srqn & SRQN_MASK, posted);
  }

  softReset(): void {
    this.reset();
  }

  fetching(change: 1 | -1): void {
    this.requester.fetching(change);
  }

  roomToSend(): void {
    this.responses.pump();
    this.requester.pump();
    this.core.qpc.wake();
  }

  requestReady(slot: QpSlot): void {
    this.requester.schedule(slot);
  }

  requestFlushed(request: SendRequest): void {
    this.sendCompletion.flushFetched(request);
  }

  resumeSlot(slot: QpSlot): void {
    this.requester.resume(slot);
    this.requester.pump();
  }

  contextLost(slot: QpSlot): void {
    if (this.core.config.contextFatal === 0) this.events.async(EVENT_TYPE.wqCatastrophic, slot.qpn);
    else this.deviceLost();
  }

  completionLost(slot: QpSlot): void {
    const { core, events, sendCompletion: sends, receiveFlush: receives } = this;
    new OverflowStop(slot, { core, events, sends, receives });
  }

  /** The whole device stops; overridable for planting. */
  protected deviceLost(): void {
    this.events.async(EVENT_TYPE.localCatastrophic, 0);
    this.core.loseAll();
  }

  slotTimer(slot: QpSlot, kind: number): void {
    if (slot.closed) return;
    if (kind === RNR_TIMER) {
      slot.rnrWait = false;
      this.resumeSlot(slot);
      return;
    }
    const { now } = this.core.scheduler;
    if (slot.timerAt !== now) return;
    slot.timerAt = 0;
    if (slot.deadline === 0) return;
    if (slot.deadline > now) {
      slot.timerAt = slot.deadline;
      this.core.scheduler.schedule(slot.deadline - now, slot, 0);
      return;
    }
    slot.deadline = 0;
    // An answer that is here and waits for a context or a translation is no silence of the peer.
    if (slot.rspHead !== null) {
      this.requester.restartTimer(slot);
      return;
    }
    slot.timeoutDue = true;
    this.resumeSlot(slot);
  }

  requestFetched(request: SendRequest, ok: boolean): void {
    this.sendQueue.fetched(request, ok);
    this.requester.pump();
    this.core.qpc.wake();
  }

  resumeRequest(request: SendRequest): void {
    this.sendQueue.proceed(request);
    this.requester.pump();
    this.core.qpc.wake();
  }

  jobDone(job: PacketJob, ok: boolean): void {
    this.gather.arrived(job, ok);
    if (job.response) this.responses.jobProgress(job);
    else this.requester.jobProgress(job);
  }

  resumeJob(job: PacketJob): void {
    if (job.response) this.responses.resumeJob(job);
    else this.requester.resumeJob(job);
  }

  resumePacket(p: RxPacket): void {
    const slot = p.slot as QpSlot;
    if (slot.closed) this.#forgetReceived(slot, (p.bits & OP.response) !== 0);
    else if (p.bits & OP.response) this.#drainResponses(slot);
    else this.#drainRequests(slot);
  }

  /** A frame whose headers are not aligned is received through a copy. */
  #receiveCopy(frame: Frame): void {
    const { blocks, bytes } = this.core;
    const copy = new Frame();
    copy.block = blocks.acquire();
    copy.data = blocks.offset(copy.block) + 2;
    copy.length = frame.length;
    bytes.copy(copy.data, frame.data, frame.length);
    this.receive(copy);
    blocks.release(copy.block);
  }

  #exists(qpn: number): boolean {
    if (qpn < this.core.icm.qpc.entries) return true;
    this.core.counters.noQp++;
    return false;
  }

  /** Packets that came for an earlier life of a queue pair. */
  #forgetReceived(slot: QpSlot, responses: boolean): void {
    for (let p = responses ? slot.rspHead : slot.rxHead; p !== null; ) {
      const { next } = p;
      this.#finished(slot, p);
      p = next;
    }
    if (responses) {
      slot.rspHead = null;
      slot.rspTail = null;
    } else {
      slot.rxHead = null;
      slot.rxTail = null;
    }
  }

  #enqueue(p: RxPacket): void {
    const slot = this.core.slot(p.destQpn);
    p.slot = slot;
    p.engine = this;
    if (p.bits & OP.response) {
      if (slot.rspTail === null) {
        slot.rspHead = p;
        slot.rspTail = p;
        this.#drainResponses(slot);
      } else {
        slot.rspTail.next = p;
        slot.rspTail = p;
      }
    } else if (slot.rxTail === null) {
      slot.rxHead = p;
      slot.rxTail = p;
      this.#drainRequests(slot);
    } else {
      slot.rxTail.next = p;
      slot.rxTail = p;
    }
  }

  #drainResponses(slot: QpSlot): void {
    let p = slot.rspHead;
    while (p !== null && this.requesterReceive.handle(slot, p) === true) {
      slot.rspHead = p.next;
      if (slot.rspHead === null) slot.rspTail = null;
      this.#finished(slot, p);
      p = slot.rspHead;
    }
    if (p !== null) this.core.keepContext(p, slot.qpn);
    this.requester.pump();
    this.core.qpc.wake();
  }

  #drainRequests(slot: QpSlot): void {
    let p = slot.rxHead;
    while (p !== null && this.#handle(slot, p) === true) {
      slot.rxHead = p.next;
      if (slot.rxHead === null) slot.rxTail = null;
      this.#finished(slot, p);
      p = slot.rxHead;
    }
    if (p !== null) this.core.keepContext(p, slot.qpn);
    this.responses.pump();
    this.requester.pump();
    this.core.qpc.wake();
    this.atomics.pump();
  }

  #handle(slot: QpSlot, p: RxPacket): boolean {
    return p.l3Bytes === NO_NETWORK ? this.frames.handle(slot, p) : this.responder.handle(slot, p);
  }

  #finished(slot: QpSlot, p: RxPacket): void {
    this.core.letContextGo(p, slot.qpn);
    this.core.xlate.drop(p);
    this.core.packets.release(p);
  }
}
