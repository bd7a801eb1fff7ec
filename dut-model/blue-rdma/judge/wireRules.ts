/**
 * Rules of the wire of blue-rdma (blue-rdma.md sections 6 to 8, 10 and 11): what senders may send, what of it they may send
 * again, and what receivers may say. A receiver expects no PSN: packets of a message may reach it in any order, and what it
 * acknowledges is held against what has reached it.
 */
import { aMoment, aPacket, aPsnRange, aQueuePair } from '../../../rdma/subjectParts.ts';
import type { Subject } from '../../../rdma/subject.ts';
import type { ArrivalItem, FrameFate, FrameItem } from '../../../agents/link/linkItems.ts';
import type { QpInfo } from '../../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../../agents/verbs/verbsObserver.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { formatTime, MS } from '../../../uvm/kernel/time.ts';
import type { Findings } from '../../../uvm/report/findings.ts';
import { WINDOW_BACK, WINDOW_BITS } from '../layout/limits.ts';
import { BlueFrame } from './blueFrame.ts';
import { BusySenders } from './busySenders.ts';
import { Flow, isLoss, type SentPacket } from './flow.ts';
import type { Handover, HandoverUser } from './handovers.ts';
import { nextMsn, nextPsn, psnSteps } from './psnOrder.ts';
import type { BlueReportId } from './reportIds.ts';

/** A loss that a NIC reports is the peer's at most so many sequence numbers ahead. */
const SEQUENCES = 2 ** 16;

export class WireRules implements VerbsObserver, HandoverUser {
  /** Packets that have been judged. */
  judged = 0;
  readonly #frame: BlueFrame;
  readonly #findings: Findings<BlueReportId, Subject>;
  /** By receiver: host and queue pair. */
  readonly #flows = new Map<number, Flow>();
  /** The same by sender. */
  readonly #bySender = new Map<number, Flow[]>();
  /** Hosts of which it is not known what their NICs are given. */
  readonly #unknown = new Set<number>();
  readonly #senders = new BusySenders();
  readonly #clock: { readonly now: SimTime };
  readonly #reportsWhenIdle: (host: number) => boolean;
  #stamps = 0;

  /** @param reportsWhenIdle whether the NIC of a host reports bitmaps of queue pairs that are idle; others do behind each message */
  constructor(
    bytes: ByteStore,
    findings: Findings<BlueReportId, Subject>,
    clock: { readonly now: SimTime },
    reportsWhenIdle: (host: number) => boolean,
  ) {
    this.#clock = clock;
    this.#reportsWhenIdle = reportsWhenIdle;
    this.#frame = new BlueFrame(bytes);
    this.#findings = findings;
  }

  /** Whether the bitmap of a queue pair of a host is to be reported behind this packet, once nothing follows. */
  isShown(host: number, { ends }: SentPacket): boolean {
    return ends || this.#reportsWhenIdle(host);
  }

  /** What a queue pair receives; undefined where nobody sends to it. */
  flowTo(host: number, qpn: number): Flow | undefined {
    return this.#flows.get(keyOf(host, qpn));
  }

  /** Its peer may send from now on. */
  qpInRtr({ host, qpn, remoteHost, remoteQpn, mtu, rqPsn }: QpInfo): void {
    const key = keyOf(host, qpn);
    const isLater = this.#flows.has(key);
    this.#put(key, new Flow({ host: remoteHost, qpn: remoteQpn, destQpn: qpn, mtu, first: rqPsn, isLater }));
  }

  qpToReset(host: number, qpn: number): void {
    this.#end(host, qpn);
  }

  qpDestroying(host: number, qpn: number): void {
    this.#end(host, qpn);
  }

  /** Software takes a region away, maybe from under what it has posted: the NIC refuses the chunks (section 9). */
  mrDeregistering(host: number): void {
    for (const flow of this.#flows.values()) if (flow.host === host) flow.mayLackChunks = true;
  }

  /** A frame leaves a NIC. */
  sent(item: FrameItem): void {
    const f = this.#frame;
    f.decode(item.data, item.length);
    if (!f.ours) return;
    this.judged++;
    this.#senders.sent(item.host, this.#clock.now);
    const who = new SentFrame(item, f);
    if (f.wrong !== '') this.#findings.error('BLUE_FRAME', () => `${who.name}: ${f.wrong}`, who.about);
    if (f.checksumWrong) this.#findings.error('BLUE_CHECKSUM', () => `${who.name}: wrong UDP checksum`, who.about);
    if (f.wrong !== '' || f.kind === 'congestion') return;
    const flow = this.flowTo(item.to, f.destQpn);
    if (flow === undefined || flow.host !== item.host) return;
    if (f.kind === 'acknowledge') this.#answer(flow, item, who);
    else this.#data(flow, who);
  }

  /** The link does something to a frame that has just left. */
  fated(fate: FrameFate, told: { disturbed(from: number, to: number, destQpn: number): void }): void {
    const { frame } = fate;
    const f = this.#frame;
    f.decode(frame.data, frame.length);
    if (!f.ours) return;
    told.disturbed(frame.host, frame.to, f.destQpn);
    if (!fate.dropped && !fate.delayed && !fate.edited) return;
    if (f.kind === 'acknowledge') {
      for (const flow of this.#bySender.get(keyOf(frame.to, f.destQpn)) ?? []) flow.spoilt.answerHit();
      return;
    }
    const flow = this.flowTo(frame.to, f.destQpn);
    if (flow?.host === frame.host) flow.hit(f, this.#clock.now);
  }

  /**
   * At least so many of the tries of a queue pair since its last progress may have come to nothing by the link (see `LinkTries`),
   * or its peer's NIC has been sending ever since.
   */
  mayHaveSpoilt(host: number, qpn: number, tries: number): boolean {
    const flows = this.#bySender.get(keyOf(host, qpn)) ?? [];
    // Where it is not known what was sent, or what was heard, nothing can be said.
    if (flows.length !== 1 || this.#unknown.has(host)) return true;
    return flows.every(
      (flow) => flow.isLater || flow.mayLackChunks || flow.triesSpoilt >= tries || this.#isPeerBusy(flow, host, qpn),
    );
  }

  #isPeerBusy(flow: Flow, host: number, qpn: number): boolean {
    const since = flow.unansweredSince;
    const peer = this.#flows.get(keyOf(host, qpn))?.host;
    return since >= 0 && peer !== undefined && this.#senders.hasSentSince(peer, since, this.#clock.now);
  }

  /** A frame, or a copy of one, reaches a NIC. */
  arrived(item: ArrivalItem): void {
    const f = this.#frame;
    f.decode(item.data, item.length);
    if (!f.ours || item.edited) return;
    const flow = this.flowTo(item.host, f.destQpn);
    if (flow === undefined || flow.host !== item.from) return;
    if (f.kind === 'acknowledge') return;
    this.#owes(flow);
    flow.arrivedAt = this.#clock.now;
    flow.arrives(f, this.#clock.now);
  }

  stamp(): number {
    return ++this.#stamps;
  }

  handoversUnknown(host: number): void {
    this.#unknown.add(host);
  }

  told(host: number, qpn: number, psn: number): void {
    const stamp = this.stamp();
    for (const flow of this.#bySender.get(keyOf(host, qpn)) ?? []) flow.told(psn, stamp);
  }

  handed({ host, qpn, destQpn, psn, isRead, remoteLo, length, again, stamp }: Handover): void {
    for (const flow of this.#bySender.get(keyOf(host, qpn)) ?? []) {
      const known = flow.knownAt(stamp);
      if (!again || flow.destQpn !== destQpn || flow.isLater) continue;
      const packets = isRead ? 1 : packetsOf(remoteLo, length, flow.mtu);
      flow.ask(psn, packets);
      // A READ is asked for again when its data do not come.
      if (isRead || psnSteps(nextPsn(psn, packets - 1), known) <= 0) continue;
      this.#findings.error(
        'BLUE_NEEDLESS',
        () =>
          `host ${host} QP ${qpn}: the driver hands over PSN ${psn}, ${packets} packets, to be sent again, and has heard that all before PSN ${known} was received`,
        [aPsnRange(host, qpn, psn, packets)],
      );
    }
  }

  /** Nothing is under way any more: what NICs still owe. */
  finish(): void {
    for (const flow of this.#flows.values()) this.#owes(flow);
  }

  /** What the receiver's NIC owes when nothing has come for a time. */
  #owes({ host, qpn, destQpn, isLater, losses, lossesTold, toldAt, arrivedAt, unshownSince }: Flow): void {
    const { now } = this.#clock;
    if (isLater) return;
    const which = (): string => `what host ${host} QP ${qpn} has sent to QP ${destQpn}`;
    if (lossesTold > losses && now - toldAt > SOON)
      this.#findings.error(
        'BLUE_UNTOLD',
        () => `of ${which()}, the driver was notified of ${lossesTold} losses, and the peer of ${losses}`,
        [aQueuePair(host, qpn), aMoment(toldAt)],
      );
    if (unshownSince >= 0 && now - arrivedAt > IDLE)
      this.#findings.error(
        'BLUE_IDLE',
        () =>
          `of ${which()}, a packet was reported at ${formatTime(unshownSince)}, and no bitmap in the quiet since then`,
        [aQueuePair(host, qpn), aMoment(unshownSince)],
      );
  }

  #end(host: number, qpn: number): void {
    const flow = this.flowTo(host, qpn);
    if (flow === undefined) return;
    this.#owes(flow);
    this.#put(keyOf(host, qpn), new Flow({ ...flow, isLater: true }));
  }

  #put(key: number, flow: Flow): void {
    const before = this.#flows.get(key);
    if (before !== undefined) {
      const sender = keyOf(before.host, before.qpn);
      this.#bySender.set(
        sender,
        (this.#bySender.get(sender) ?? []).filter((other) => other !== before),
      );
    }
    const sender = keyOf(flow.host, flow.qpn);
    this.#bySender.set(sender, [...(this.#bySender.get(sender) ?? []), flow]);
    this.#flows.set(key, flow);
  }

  // ---- data

  #data(flow: Flow, who: SentFrame): void {
    const f = this.#frame;
    // Its sender began before it could be received: what was sent then is not known.
    if (flow.newest === null && (f.retry || f.psn !== flow.first)) flow.isLater = true;
    // Of what follows a chunk that was refused it is not known where its message begins.
    if (flow.mayLackChunks && psnSteps(flow.next, f.psn) > 0) flow.isLater = true;
    if (flow.isLater) return;
    const before = flow.sent.get(f.psn);
    const isKnown = before !== undefined && psnSteps(f.psn, flow.next) > 0;
    if (f.retry !== isKnown)
      this.#findings.error(
        'BLUE_RETRY',
        () => `${who.name}: is_retry is ${f.retry ? 1 : 0}, and it was ${isKnown ? '' : 'not '}sent before`,
        who.about,
      );
    if (isKnown) this.#again(flow, before, who);
    else if (!f.retry) this.#fresh(flow, who);
  }

  #again(flow: Flow, before: SentPacket, who: SentFrame): void {
    const f = this.#frame;
    const differs = (['opcode', 'msn', 'vaHi', 'vaLo', 'rkey', 'total', 'bytes', 'imm'] as const).filter(
      (name) => f[name] !== before[name],
    );
    if (differs.length > 0)
      this.#findings.error(
        'BLUE_RESENT',
        () =>
          `${who.name} is sent again with another ${differs.map((n) => `${n} (${f[n]}, was ${before[n]})`).join(', ')}`,
        who.about,
      );
    if (!flow.sendsAsked(f.psn) && !this.#unknown.has(flow.host))
      this.#findings.error(
        'BLUE_UNASKED',
        () => `${who.name} is sent again, and its driver has not handed it over again since it was sent last`,
        who.about,
      );
  }

  #fresh(flow: Flow, who: SentFrame): void {
    const f = this.#frame;
    const { newest } = flow;
    if (f.psn !== flow.next) this.#findings.error('BLUE_PSN', () => `${who.name}: PSN ${flow.next} is next`, who.about);
    const msn = newest === null ? 0 : f.starts ? nextMsn(newest.msn) : newest.msn;
    if (!f.starts && newest !== null && f.ackRequest !== newest.ackRequest)
      this.#findings.error(
        'BLUE_ACK_REQUEST',
        () =>
          `${who.name} ${f.ackRequest ? 'asks' : 'does not ask'} for an acknowledgement, unlike the packet before it`,
        who.about,
      );
    if (f.msn !== msn)
      this.#findings.error('BLUE_MSN', () => `${who.name}: message number ${f.msn}, ${msn} is next`, who.about);
    if (f.starts !== (flow.left === 0))
      this.#findings.error(
        'BLUE_OPCODE',
        () => `${who.name}: ${flow.left} B of the message before are still to come`,
        who.about,
      );
    else this.#bytes(flow, who);
    flow.left = f.ends || f.kind === 'read' ? 0 : Math.max(0, (f.starts ? f.total : flow.left) - f.bytes);
    flow.add(f);
  }

  /** Lengths and addresses of a packet that is where it belongs in its message. */
  #bytes(flow: Flow, who: SentFrame): void {
    const f = this.#frame;
    if (f.kind === 'read') return;
    const { newest } = flow;
    const left = f.starts ? f.total : flow.left;
    const expected = Math.min(left, flow.mtu - (f.vaLo & (flow.mtu - 1)));
    if (f.bytes !== expected)
      this.#findings.error(
        'BLUE_PACKET',
        () => `${who.name}: ${f.bytes} B of payload, expected ${expected}`,
        who.about,
      );
    if (!f.starts && f.total !== f.bytes)
      this.#findings.error(
        'BLUE_PACKET',
        () => `${who.name}: its header says ${f.total} B, it has ${f.bytes}`,
        who.about,
      );
    if (!f.starts && newest !== null && (newest.vaLo + newest.bytes - f.vaLo) % 2 ** 32 !== 0)
      this.#findings.error(
        'BLUE_PACKET',
        () => `${who.name}: its address is not behind that of the packet before`,
        who.about,
      );
    if (f.ends !== (f.bytes === left))
      this.#findings.error('BLUE_OPCODE', () => `${who.name}: ${left - f.bytes} B of its message are left`, who.about);
  }

  // ---- answers

  #answer(flow: Flow, item: FrameItem, who: SentFrame): void {
    const f = this.#frame;
    // What is answered is what the other side sends to the queue pair that answers.
    const back = this.flowTo(item.host, flow.qpn);
    if (back === undefined || back.isLater || flow.isLater) return;
    if (f.byDriver) this.#driverAnswer(back, who);
    else this.#loss(back, who);
  }

  #driverAnswer(back: Flow, who: SentFrame): void {
    const f = this.#frame;
    const end = f.lost ? f.psnBefore : f.psn;
    const missing = back.arrivedTo;
    if (psnSteps(missing, end) <= 0) return;
    this.#findings.error(
      'BLUE_ACK',
      () => `${who.name} acknowledges all before PSN ${end}; PSN ${missing} has not reached its NIC`,
      who.about,
    );
  }

  /** What a NIC has reported to its driver is in its bitmap as long as that reaches back so far. */
  #missed(back: Flow, newest: number, who: SentFrame): void {
    const f = this.#frame;
    for (let bit = 0; bit < WINDOW_BITS; bit++) {
      const psn = nextPsn(newest, bit - WINDOW_BACK);
      if (f.isSet('before', bit) || back.sent.get(psn)?.reported !== true) continue;
      this.#findings.error(
        'BLUE_MISSED',
        () => `${who.name}: PSN ${psn} is missing by its bitmap, and was reported`,
        who.about,
      );
      return;
    }
  }

  #loss(back: Flow, who: SentFrame): void {
    const f = this.#frame;
    const [now, before] = [f.psn, f.psnBefore];
    if (!isLoss(before, now, (bit) => f.isSet('before', bit)))
      this.#findings.error(
        'BLUE_NAK',
        () => `${who.name} reports a loss: the window moved from ${before}, and nothing unseen has left it`,
        who.about,
      );
    if (f.msn !== back.losses % SEQUENCES)
      this.#findings.error(
        'BLUE_NAK',
        () => `${who.name} is report ${f.msn} of a loss, ${back.losses} is next`,
        who.about,
      );
    back.losses++;
    for (const [window, newest] of [
      ['before', before],
      ['now', now],
    ] as const) {
      if (window === 'before') this.#missed(back, before, who);
      const psn = back.notArrived(newest, (bit) => f.isSet(window, bit));
      if (psn >= 0)
        this.#findings.error(
          'BLUE_WINDOW',
          () => `${who.name}: its bitmap ${window} says that PSN ${psn} was received, which has not reached the NIC`,
          who.about,
        );
    }
  }
}

/** A frame of the protocol that leaves a NIC, for findings. */
class SentFrame {
  readonly #item: FrameItem;
  readonly #frame: BlueFrame;

  constructor(item: FrameItem, frame: BlueFrame) {
    this.#item = item;
    this.#frame = frame;
  }

  get name(): string {
    const { host, to } = this.#item;
    const { destQpn, opcode, psn } = this.#frame;
    return `host ${host} to host ${to} QP ${destQpn}: opcode 0x${opcode.toString(16)}, PSN ${psn}`;
  }

  get about(): Subject {
    const { host, to, time } = this.#item;
    const { destQpn, psn } = this.#frame;
    return [aPacket({ host, to, destQp: destQpn, psn, time }, -1)];
  }
}

/** A queue pair that is idle for so long has its bitmap reported, whatever its NIC's delay for that is, ps. */
const IDLE = 5 * MS;
/** So long after it has told its driver of a loss, a NIC has told the peer, ps. */
const SOON = 1 * MS;

/** Packets of a chunk: each ends at a multiple of the MTU of its remote address, but for the last. */
function packetsOf(remoteLo: number, length: number, mtu: number): number {
  if (length === 0) return 1;
  const from = remoteLo & (mtu - 1);
  return Math.ceil((from + length) / mtu);
}

function keyOf(host: number, qpn: number): number {
  return host * 2 ** 24 + qpn;
}
