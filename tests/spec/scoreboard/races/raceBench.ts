/**
 * A reliable connection between two hosts whose packets and requests are written down line by line (`raceScript.ts`), and the
 * whole judge beside it: wire monitor, transport monitor and oracle, told by their public face alone.
 */

import { ArrivalItem, FrameFate, FrameItem } from '../../../../agents/link/linkItems.ts';
import type { PostedSend, QpInfo } from '../../../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../../../agents/verbs/verbsObserver.ts';
import { WireMonitor } from '../../../../agents/wire/wireMonitor.ts';
import { Profiles } from '../../../../scoreboard/model/profiles.ts';
import { HANGU_PROFILE } from '../../../../dut-model/hangu/driver/kind/profile.ts';
import { BTH_OP, PSN_MASK, SYNDROME } from '../../../../rdma/bth.ts';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { WireView } from '../../../../scoreboard/model/wireView.ts';
import { TransportMonitor } from '../../../../scoreboard/reference/transportMonitor.ts';
import { SEVERITY } from '../../../../uvm/report/severity.ts';
import { Run } from '../../../../uvm/run.ts';
import { aeth, atomicEth, type RoceFields, roceFrame, word } from '../../agents/support/roceFrame.ts';
import { JUDGE_WITHOUT } from '../../support/judgeWithout.ts';
import { FakeMemory } from '../fakeMemory.ts';
import { DST_HI, FakeWorld, QPN, SRC_HI } from '../fakeWorld.ts';
import { type Answer, isAnswer, isRequest, type RaceLine, type Request, type Way, raceLines } from './raceScript.ts';

const MTU = 256;
/** Bytes of a last packet. */
const REST = 8;
const US = 1_000_000;
/** From the first bit of a frame until it arrives. */
const TRIP = US;
/** A NIC at whose ports nothing has moved for so long does nothing more by itself. */
const REST_TIME = 5 * US;
/** Code of an RNR timer of 10 us. */
const RNR_CODE = 1;

/** What a connection is made with; times as codes. */
export interface RaceOptions {
  readonly ackTimeout?: number;
  readonly retryCnt?: number;
  readonly rnrRetry?: number;
  readonly maxRdAtomic?: number;
}

/** Request that was sent: what its packets carry. */
interface SentMessage {
  readonly kind: Request;
  readonly first: number;
  readonly last: number;
  /** Of a READ: the packet from which it was asked for last. */
  askedFrom: number;
  readonly item: PostedSend;
  /** Where its bytes lie, in source and target. */
  readonly lo: number;
}

const WR_OF: Readonly<Record<Request, number>> = {
  write: WR_OPCODE.rdmaWrite,
  send: WR_OPCODE.send,
  read: WR_OPCODE.rdmaRead,
  add: WR_OPCODE.atomicFetchAndAdd,
};

const SYNDROME_OF: Readonly<Record<Exclude<Answer, 'data' | 'value'>, number>> = {
  ack: SYNDROME.ack,
  nak: SYNDROME.nakSequence,
  rnr: SYNDROME.rnr | RNR_CODE,
  refuse: SYNDROME.nakAccess,
};

/** When frames moved at the ports of both hosts. */
class Ports {
  inFlight = 0;
  emptyAt = 0;
  readonly moves: [number[], number[]] = [[0], [0]];
  readonly sent: [number, number] = [0, 0];

  /** Whether nothing moved at a host's port for long enough, at a time after `since`. */
  paused(host: number, since: number, now: number): boolean {
    const moves = [...(this.moves[host] as number[]), now];
    return moves.some((to, i) => i > 0 && to - Math.max(since, moves[i - 1] as number) >= REST_TIME);
  }
}

/** What the judge has found: an id with its text, and in which line of the script. */
interface Found {
  readonly line: number;
  readonly id: string;
  readonly text: string;
}

export class RaceBench {
  readonly #run: Run;
  readonly #monitor: WireMonitor;
  readonly #transport: TransportMonitor;
  readonly #world: FakeWorld;
  readonly #ports = new Ports();
  readonly #found: Found[] = [];
  readonly #first: number;
  readonly #options: RaceOptions;
  readonly #messages: SentMessage[] = [];
  #line = -1;
  /** Messages that the responder has said to have taken. */
  #msn = 0;
  /** Where the next message has its bytes. */
  #place = 0;

  /** @param first PSN with which both ends begin */
  constructor(first: number, options: RaceOptions = {}) {
    this.#first = first;
    this.#options = options;
    this.#run = new Run({ seed: 1, testName: 'spec', sink: () => {} });
    this.#run.reports.onMessage(({ severity, id, text }) => {
      if (severity === SEVERITY.error) this.#found.push({ line: this.#line, id, text });
    });
    this.#monitor = new WireMonitor('wire', this.#run);
    this.#transport = new TransportMonitor(this.#monitor, new Profiles(HANGU_PROFILE));
    const wire = this.#view();
    this.#transport.listenAt(wire);
    this.#world = new FakeWorld({ wire, memory: new FakeMemory(2, this.#run.bytes), profile: HANGU_PROFILE });
    this.#monitor.packets.connect({ write: (p) => (p.tag = this.#world.oracle.packet(p)) });
    this.#monitor.fates.connect((fate) => this.#world.oracle.fated(fate));
    this.#transport.accepted.connect({ write: (p) => this.#world.oracle.accepted(p) });
    this.#monitor.arrivals.connect((arrival) => this.#world.oracle.arrived(arrival));
    this.#monitor.rules.switchOff(JUDGE_WITHOUT);
    this.#connect({});
  }

  /** Plays a script. @returns it as it is written, and as it went: its lines with what was found in each */
  play(script: string): { readonly written: string; readonly went: string } {
    const lines = raceLines(script);
    for (const [i, line] of lines.entries())
      this.#at(line.at, () => {
        this.#line = i;
        this.#play(line);
      });
    this.#run.scheduler.run();
    for (const { id, text } of this.#world.reports) this.#found.push({ line: this.#line, id, text });
    const went = lines.map((line, i) =>
      lineText(
        line,
        this.#found.filter((found) => found.line === i),
      ),
    );
    return { written: lines.map((line) => lineText(line, foundBy(line))).join('\n'), went: went.join('\n') };
  }

  /** Rules and widenings of the judge with these names hold no more. */
  switchOff(names: readonly string[]): void {
    this.#monitor.rules.switchOff(names);
    this.#world.oracle.switchOff(names);
  }

  #play(line: RaceLine): void {
    const { verb, first, last, words } = line;
    if (isRequest(verb)) this.#sendMessage(verb, line);
    else if (isAnswer(verb)) this.#answer(verb, line);
    else if (verb === 'again') this.#sendAgain(line, first, last);
    else if (verb === 'receive') for (let i = 0; i < first; i++) this.#world.recv([[DST_HI, 0x100_0000, 4096]]);
    else if (verb === 'completes') this.#complete(first, 'success');
    else if (verb === 'fails') this.#complete(first, words[0] ?? '');
    else if (verb === 'gone') this.#gone(first);
    else if (verb === 'connect') this.#connect(options(words));
    else if (verb === 'change') this.#change(options(words));
    else this.#passOthers();
    for (const { id, text } of this.#world.reports.splice(0)) this.#found.push({ line: this.#line, id, text });
  }

  // ---- what software does

  #connect(over: RaceOptions): void {
    for (const host of [0, 1]) {
      const info = this.#info(host, over);
      this.#tellBoth((to) => to.qpToRtr?.(host, QPN[host] as number));
      this.#tellBoth((to) => to.qpInRtr?.(info));
    }
    for (const host of [0, 1]) this.#tellBoth((to) => to.qpInRts?.(this.#info(host, over)));
  }

  #change(over: RaceOptions): void {
    const info = this.#info(0, over);
    this.#tellBoth((to) => to.qpChanging?.(info));
    this.#tellBoth((to) => to.qpChanged?.(info));
  }

  #gone(host: number): void {
    const qpn = QPN[host] as number;
    this.#tellBoth((to) => to.qpToReset?.(host, qpn));
    this.#tellBoth((to) => to.qpGone?.(host, qpn));
  }

  #tellBoth(tell: (observer: VerbsObserver) => void): void {
    this.#world.clock.now = this.#now;
    for (const observer of [this.#world.oracle, this.#transport]) tell(observer);
  }

  #info(host: number, over: RaceOptions): QpInfo {
    const { ackTimeout = 3, retryCnt = 7, rnrRetry = 7, maxRdAtomic = 16 } = { ...this.#options, ...over };
    const numbers = { mtu: MTU, sqPsn: this.#first, rqPsn: this.#first };
    const given = { ackTimeout, retryCnt, rnrRetry, maxRdAtomic, minRnrTimer: RNR_CODE };
    return this.#world.info(host, QPN[host] as number, QP_TYPE.rc, { ...numbers, ...given });
  }

  #complete(first: number, status: string): void {
    this.#world.clock.now = this.#now;
    const { item, kind, lo } = this.#messageOf(first);
    const code = status === 'success' ? WC_STATUS.success : (WC_STATUS as Readonly<Record<string, number>>)[status];
    if (code === undefined) throw new Error(`'${status}' is no status: ${Object.keys(WC_STATUS).join(', ')}`);
    if (code === WC_STATUS.success && (kind === 'write' || kind === 'read'))
      this.#carry(kind, lo, item.wr.sges[0]?.length ?? 0);
    this.#world.sendDone(item, { status: code });
  }

  /** The bytes of a request are where they belong. */
  #carry(kind: 'write' | 'read', lo: number, length: number): void {
    const [from, to] = kind === 'write' ? ([0, 1] as const) : ([1, 0] as const);
    const places = [SRC_HI, DST_HI] as const;
    this.#world.scatter(to, [[places[to], lo, length]], this.#world.gather(from, [[places[from], lo, length]]));
  }

  // ---- what is sent

  #sendMessage(kind: Request, { first, last, ways }: RaceLine): void {
    const length = kind === 'add' ? 8 : (last - first) * MTU + REST;
    const lo = this.#place;
    this.#place += 4096 * Math.ceil(length / 4096);
    this.#world.clock.now = this.#now;
    const item = this.#world.send([[SRC_HI, lo, length]], { opcode: WR_OF[kind], remote: [DST_HI, lo] });
    this.#messages.push({ kind, first, last, askedFrom: first, item: structuredClone(item), lo });
    this.#sendAgain({ ways }, first, last);
  }

  /** Sends the packets with these PSNs: of a READ what is left of it from there on. */
  #sendAgain({ ways }: Pick<RaceLine, 'ways'>, first: number, last: number): void {
    for (let psn = first; psn <= last; ) {
      const message = this.#messageOf(psn);
      const { kind } = message;
      message.askedFrom = psn;
      this.#transmit(0, this.#request(message, psn), psn, ways);
      psn = kind === 'read' || kind === 'add' ? message.last + 1 : psn + 1;
    }
  }

  #request({ kind, first, last, lo }: SentMessage, psn: number): RoceFields {
    const length = (last - first) * MTU + REST;
    const at = psn - first;
    const remote = (bytes: number): number[] => [
      ...word(DST_HI),
      ...word(lo + at * MTU),
      ...word(DST_HI),
      ...word(bytes),
    ];
    const fields = { psn: this.#psn(psn), destQp: QPN[1] };
    if (kind === 'read')
      return { ...fields, opcode: BTH_OP.readRequest, ext: remote(length - at * MTU), ackRequest: true };
    if (kind === 'add')
      return {
        ...fields,
        opcode: BTH_OP.fetchAdd,
        ext: [...remote(0).slice(0, 12), ...atomicEth().slice(12)],
        ackRequest: true,
      };
    const place = first === last ? 4 : at === 0 ? 0 : psn === last ? 2 : 1;
    const data = this.#world.gather(0, [[SRC_HI, lo + at * MTU, psn === last ? REST : MTU]]);
    const ext = kind === 'write' && at === 0 ? remote(length) : [];
    return { ...fields, opcode: (kind === 'write' ? BTH_OP.writeFirst : BTH_OP.sendFirst) + place, data, ext };
  }

  #answer(kind: Answer, { first, last, ways }: RaceLine): void {
    for (let psn = first; psn <= last; psn++) this.#transmit(1, this.#response(kind, psn), psn, ways);
  }

  #response(kind: Answer, psn: number): RoceFields {
    const fields = { psn: this.#psn(psn), destQp: QPN[0], from: 1, to: 0 };
    const done = kind === 'ack' || kind === 'data' || kind === 'value' ? psn + 1 : psn;
    // A READ counts with its first packet.
    const taken = this.#messages.filter((m) => (m.kind === 'read' ? m.first : m.last) < done).length;
    const msn = Math.max(this.#msn, taken);
    this.#msn = msn;
    if (kind !== 'data' && kind !== 'value')
      return { ...fields, opcode: BTH_OP.acknowledge, ext: aeth(SYNDROME_OF[kind], msn) };
    if (kind === 'value')
      return { ...fields, opcode: BTH_OP.atomicAcknowledge, ext: [...aeth(SYNDROME.ack, msn), ...word(0), ...word(0)] };
    const read = this.#messageOf(psn);
    const { askedFrom, first, last, lo } = read;
    const place = askedFrom === last ? 3 : psn === askedFrom ? 0 : psn === last ? 2 : 1;
    const ext = place === 1 ? [] : aeth(SYNDROME.ack, msn);
    const data = this.#world.gather(1, [[DST_HI, lo + (psn - first) * MTU, psn === last ? REST : MTU]]);
    return { ...fields, opcode: BTH_OP.readResponseFirst + place, data, ext };
  }

  // ---- the link

  #transmit(host: number, fields: RoceFields, psn: number, ways: readonly Way[]): void {
    const bytes = roceFrame(fields);
    const data = this.#run.bytes.alloc(bytes.length);
    this.#run.bytes.u8.set(bytes, data);
    const to = 1 - host;
    const item = Object.assign(new FrameItem(), { host, to, data, length: bytes.length, time: this.#now });
    this.#world.clock.now = this.#now;
    (this.#ports.moves[host] as number[]).push(this.#now);
    this.#ports.sent[host as 0 | 1]++;
    this.#monitor.write(item);
    this.#ports.inFlight += 1;
    const way = ways.filter(({ psns }) => psns.length === 0 || psns.includes(psn));
    const isLost = way.some(({ how }) => how === 'lost');
    const copies = way.some(({ how }) => how === 'twice') ? 2 : 1;
    const late = way.find(({ how }) => how === 'arrives' || how === 'delayed');
    const isFault = isLost || copies > 1 || late?.how === 'delayed';
    const fate = Object.assign(new FrameFate(item), {
      dropped: isLost,
      duplicates: copies - 1,
      delayed: late?.how === 'delayed',
    });
    if (isFault) this.#monitor.fated(fate);
    for (let i = 0; i < copies; i++)
      this.#at(late?.at ?? this.#now + TRIP, () => this.#arrive(item, isLost, i === copies - 1));
  }

  #arrive({ host, to, data, length, tag, icrc }: FrameItem, isLost: boolean, isLast: boolean): void {
    this.#world.clock.now = this.#now;
    if (isLast && --this.#ports.inFlight === 0) this.#ports.emptyAt = this.#now;
    if (isLost) return;
    (this.#ports.moves[to] as number[]).push(this.#now);
    const arrival = { host: to, from: host, tag, data, length, edited: false, sentIcrc: icrc };
    this.#monitor.arrived(Object.assign(new ArrivalItem(), arrival));
  }

  /** Frames of other queue pairs come to both hosts. */
  #passOthers(): void {
    for (const moves of this.#ports.moves) moves.push(this.#now);
    if (this.#ports.inFlight === 0) this.#ports.emptyAt = this.#now;
  }

  #view(): WireView {
    const ports = this.#ports;
    const now = (): number => this.#now;
    const of = this.#transport;
    const { unanswered, damagedAnswer, attempt, progress, requestsFrom, requestsTo } = bound(of);
    return {
      watches: true,
      get certainty() {
        return of.certainty;
      },
      shortestTrip: TRIP,
      sentFrames: (host) => ports.sent[host as 0 | 1],
      mostFrames: (time) => Math.ceil(time / US),
      hasPaused: (host, since) => ports.paused(host, since, now()),
      hasHeardAll: (host) => ports.inFlight === 0 && now() - ((ports.moves[host] as number[]).at(-1) as number) > US,
      hasRested: (host, since) => since >= 0 && ports.emptyAt > since && ports.paused(host, ports.emptyAt, now()),
      hasIdled: (host, since, wait) =>
        ports.inFlight === 0 && ports.paused(host, Math.max(since, ports.emptyAt) + wait, now()),
      hearingTime: () => TRIP + US,
      unanswered,
      damagedAnswer,
      attempt,
      progress,
      requestsFrom,
      requestsTo,
    };
  }

  // ---- helpers

  get #now(): number {
    return this.#run.scheduler.now;
  }

  #at(time: number, action: () => void): void {
    this.#run.scheduler.scheduleAt(time, { fire: action });
  }

  #psn(relative: number): number {
    return (this.#first + relative) & PSN_MASK;
  }

  #messageOf(psn: number): SentMessage {
    const message = this.#messages.find(({ first, last }) => psn >= first && psn <= last);
    if (message === undefined) throw new Error(`no message has PSN ${psn}`);
    return message;
  }
}

/** What the script says is found in a line. */
function foundBy({ found, says }: RaceLine): readonly Pick<Found, 'id' | 'text'>[] {
  return found.map((id, i) => ({ id, text: i === 0 ? says : '' }));
}

/** A line with ids of what is found in it, and the text of the first where the script asks for it. */
function lineText({ text, says }: RaceLine, found: readonly Pick<Found, 'id' | 'text'>[]): string {
  const bare = text.replace(/\s*=>.*/, '');
  const [first] = found;
  if (first === undefined) return bare;
  const quote = found.some(({ text: whole }) => whole.includes(says)) ? says : first.text;
  const ids = new Set(found.map(({ id }) => id));
  return `${bare} => ${[...ids].join(' ')}${says === '' ? '' : ` '${quote}'`}`;
}

/** `name=1` of each word. */
function options(words: readonly string[]): RaceOptions {
  return Object.fromEntries(words.map((word) => word.split('=')).map(([name = '', value]) => [name, Number(value)]));
}

function bound(
  of: TransportMonitor,
): Pick<WireView, 'unanswered' | 'damagedAnswer' | 'attempt' | 'progress' | 'requestsFrom' | 'requestsTo'> {
  return {
    unanswered: (...args) => of.unanswered(...args),
    damagedAnswer: (...args) => of.damagedAnswer(...args),
    attempt: (...args) => of.attempt(...args),
    progress: (...args) => of.progress(...args),
    requestsFrom: (...args) => of.requestsFrom(...args),
    requestsTo: (...args) => of.requestsTo(...args),
  };
}
