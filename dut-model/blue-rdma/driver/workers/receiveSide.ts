/**
 * Completion worker of the receive queues (blue-rdma.md sections 11.2, 11.6 and 12): messages are told of in the order of
 * their numbers. The NIC is told first to discard what comes again, then software hears of a message, then its sender.
 */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { SEND_OPCODE } from '../../layout/descriptors.ts';
import { ACCESS, WC_STATUS } from '../../../../rdma/verbs.ts';
import type { BlueQp } from '../blueObjects.ts';
import type { CompletionQueues } from '../completionQueues.ts';
import type { Regions } from '../regions.ts';
import type { CommandQueue } from '../rings/commandQueue.ts';
import { psnAfter, psnDistance } from '../tracking/psn.ts';
import { MESSAGE_KIND, type MessageKind, type ReceivedMessage } from '../tracking/receivedMessages.ts';
import { SendRequest } from '../tracking/sendRequest.ts';
import type { WindowBits } from '../tracking/windowBits.ts';
import type { Worker } from '../worker.ts';
import type { Acknowledger } from './acknowledger.ts';
import type { PacketReport } from './reportReader.ts';
import type { RequestStarter } from './requestStarter.ts';
import type { SendSide } from './sendSide.ts';

export interface ReceiveSideParts {
  readonly regions: Regions;
  readonly commands: CommandQueue;
  readonly completions: CompletionQueues;
  readonly acknowledger: Acknowledger;
  readonly starter: RequestStarter;
  readonly sendSide: SendSide;
  /** See `BlueSettings`. */
  readonly floor: boolean;
  /** The peer's driver is told that a READ is refused. */
  refuse(qp: BlueQp, msn: number, status: number): void;
}

const FIRST = 1;
const LAST = 2;
const IMM = 4;
const ENDS: Readonly<Record<number, readonly [MessageKind, number]>> = {
  [BTH_OP.writeFirst]: [MESSAGE_KIND.write, FIRST],
  [BTH_OP.writeLast]: [MESSAGE_KIND.write, LAST],
  [BTH_OP.writeOnly]: [MESSAGE_KIND.write, FIRST | LAST],
  [BTH_OP.writeLastImm]: [MESSAGE_KIND.writeImm, LAST | IMM],
  [BTH_OP.writeOnlyImm]: [MESSAGE_KIND.writeImm, FIRST | LAST | IMM],
  [BTH_OP.sendFirst]: [MESSAGE_KIND.send, FIRST],
  [BTH_OP.sendLast]: [MESSAGE_KIND.send, LAST],
  [BTH_OP.sendOnly]: [MESSAGE_KIND.send, FIRST | LAST],
  [BTH_OP.sendLastImm]: [MESSAGE_KIND.send, LAST | IMM],
  [BTH_OP.sendOnlyImm]: [MESSAGE_KIND.send, FIRST | LAST | IMM],
  [BTH_OP.readRequest]: [MESSAGE_KIND.readRequest, FIRST | LAST],
  [BTH_OP.readResponseFirst]: [MESSAGE_KIND.readResponse, FIRST],
  [BTH_OP.readResponseLast]: [MESSAGE_KIND.readResponse, LAST],
  [BTH_OP.readResponseOnly]: [MESSAGE_KIND.readResponse, FIRST | LAST],
};

export class ReceiveSide {
  /** Set once after construction. */
  worker!: Worker;
  /** Messages that found no receive, and READ responses that nobody waits for. */
  stray = 0;
  protected readonly parts: ReceiveSideParts;
  #touched = new Set<BlueQp>();

  constructor(parts: ReceiveSideParts) {
    this.parts = parts;
  }

  packet(qp: BlueQp, p: PacketReport): void {
    this.parts.completions.established(qp);
    qp.received.packet(p.psn);
    const ends = ENDS[p.opcode];
    if (this.isOld(qp, p.msn)) this.duplicate(qp, p);
    else if (ends !== undefined) {
      this.#note(qp, p, ends[0], ends[1]);
      if (p.retry && p.ackRequest && (ends[1] & LAST) !== 0) this.#answer(qp, p.psn);
    }
    this.touch(qp);
  }

  localAck(qp: BlueQp, now: WindowBits): void {
    qp.received.localAck(now);
    this.touch(qp);
  }

  localNak(qp: BlueQp, before: WindowBits, now: WindowBits): void {
    qp.received.localNak(before, now);
    this.touch(qp);
  }

  touch(qp: BlueQp): void {
    this.#touched.add(qp);
    this.worker.wake();
  }

  work(): void {
    const touched = this.#touched;
    this.#touched = new Set();
    for (const qp of touched) {
      if (qp.alive && qp.failed) {
        if (qp.stopped) this.flush(qp);
      } else if (qp.running) this.#advance(qp);
    }
  }

  /** The NIC of a queue pair that has failed has been told. */
  stopped(qp: BlueQp): void {
    const { ending } = qp;
    if (ending !== null && ending.receive !== null && ending.receive === qp.receives[0]) {
      qp.receives.shift();
      this.parts.completions.receiveFailed(qp, ending.receive, ending.status);
    }
    this.flush(qp);
  }

  /** Ends all receives of a queue pair that has failed. */
  flush(qp: BlueQp): void {
    for (let r = qp.receives.shift(); r !== undefined; r = qp.receives.shift()) {
      this.parts.completions.receiveFailed(qp, r, WC_STATUS.wrFlushErr);
    }
  }

  // What follows is overridable for planting.

  protected isOld(qp: BlueQp, msn: number): boolean {
    return qp.messages.isOld(msn);
  }

  /** A packet of a message that was complete before: its sender may not know that. */
  protected duplicate(qp: BlueQp, p: PacketReport): void {
    if (!p.retry || !p.ackRequest) return;
    this.#answer(qp, p.psn);
    if (p.opcode === BTH_OP.readRequest) this.parts.sendSide.askedAgain(qp);
  }

  /** The receive that a message takes: the oldest. */
  protected takeReceive(qp: BlueQp): ReturnType<BlueQp['receives']['shift']> {
    return qp.receives.shift();
  }

  protected mayRead(qp: BlueQp, m: ReceivedMessage): boolean {
    return m.total === 0 || this.parts.regions.allows(m.key, qp.pd, m.vaHi, m.vaLo, m.total, ACCESS.remoteRead);
  }

  protected deliver(qp: BlueQp, m: ReceivedMessage): void {
    if (m.kind === MESSAGE_KIND.send || m.kind === MESSAGE_KIND.writeImm) this.#takeReceive(qp, m);
    else if (m.kind === MESSAGE_KIND.readRequest) this.#respond(qp, m);
    else if (m.kind === MESSAGE_KIND.readResponse) this.#dataCame(qp, m);
  }

  #note(qp: BlueQp, p: PacketReport, kind: MessageKind, ends: number): void {
    const m = qp.messages.at(p.msn);
    m.ackRequest = p.ackRequest;
    if ((ends & FIRST) !== 0) {
      m.begun = true;
      m.total = p.total;
      m.vaHi = p.vaHi;
      m.vaLo = p.vaLo;
      m.key = p.rkey;
    }
    if ((ends & LAST) !== 0) {
      m.end = psnAfter(p.psn, 1);
      m.kind = kind;
      m.solicited = p.solicited;
      m.withImm = (ends & IMM) !== 0;
      m.imm = p.imm;
    }
    if (kind !== MESSAGE_KIND.readRequest) return;
    m.localHi = p.localHi;
    m.localLo = p.localLo;
    m.localKey = p.lkey;
  }

  #answer(qp: BlueQp, psn: number): void {
    if (qp.answer < 0 || psnDistance(qp.answer, psn) > 0) qp.answer = psn;
  }

  /** Takes what has become complete, and tells of it. */
  #advance(qp: BlueQp): void {
    for (let m = qp.messages.take(qp.received.base); m !== null; m = qp.messages.take(qp.received.base)) {
      qp.complete.push(m);
    }
    if (qp.flooring) return;
    if (qp.complete.length === 0 || !this.parts.floor) {
      this.#tell(qp);
      return;
    }
    qp.flooring = true;
    const { life } = qp;
    const batch = qp.complete;
    qp.complete = [];
    this.parts.commands.setFloor(qp.qpn, qp.received.base, () => {
      if (qp.life !== life) return;
      qp.flooring = false;
      if (!qp.running) return;
      qp.complete.unshift(...batch);
      const later = qp.complete.splice(batch.length);
      this.#tell(qp);
      qp.complete = later;
      if (later.length > 0 || qp.answer >= 0) this.touch(qp);
    });
  }

  #tell(qp: BlueQp): void {
    let acknowledge = false;
    for (const m of qp.complete) {
      this.deliver(qp, m);
      if (m.ackRequest) acknowledge = true;
      qp.deliveredEnd = m.end;
      if (!qp.running) return;
    }
    qp.complete = [];
    if (qp.answer >= 0 && psnDistance(qp.received.base, qp.answer) > 0) {
      this.parts.acknowledger.nak(qp, qp.received.base, qp.answer);
    } else if (acknowledge || qp.answer >= 0) this.parts.acknowledger.ack(qp, qp.deliveredEnd);
    qp.answer = -1;
  }

  #takeReceive(qp: BlueQp, m: ReceivedMessage): void {
    const receive = this.takeReceive(qp);
    if (receive === undefined) this.stray++;
    else this.parts.completions.received(qp, receive, m);
  }

  /** A READ is answered by a write of the data. */
  #respond(qp: BlueQp, m: ReceivedMessage): void {
    if (!this.mayRead(qp, m)) {
      this.parts.refuse(qp, m.msn, WC_STATUS.remAccessErr);
      return;
    }
    const response = new SendRequest();
    response.opcode = SEND_OPCODE.readResponse;
    response.remoteHi = m.localHi;
    response.remoteLo = m.localLo;
    response.rkey = m.localKey;
    response.localHi = m.vaHi;
    response.localLo = m.vaLo;
    response.lkey = m.key;
    response.length = m.total;
    qp.responses.push(response);
    this.parts.starter.wake(qp);
  }

  #dataCame(qp: BlueQp, m: ReceivedMessage): void {
    const read = this.findRead(qp, m);
    if (read === undefined) {
      this.stray++;
      return;
    }
    read.dataHere = true;
    this.parts.sendSide.answered(qp, read);
  }

  /** The READ that a response is for: by target and length. */
  protected findRead(qp: BlueQp, m: ReceivedMessage): SendRequest | undefined {
    return qp.list
      .all()
      .find((r) => r.isRead && !r.dataHere && r.localHi === m.vaHi && r.localLo === m.vaLo && r.length === m.total);
  }
}
