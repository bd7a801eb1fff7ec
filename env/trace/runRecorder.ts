/**
 * Records the events of a run in one time order (`EventLog`), so that a failure can be explained afterwards: work, packets,
 * PCIe, commands and states. It listens to the same ports as coverage and asks neither the NIC nor the scoreboard.
 *
 * Every run has a recorder that keeps the latest few thousand events of work, packets, commands and states. A close look
 * adds PCIe transactions with the object that they address, arrivals and losses on the link, doorbells, entries of
 * scatter/gather lists, and beginnings of commands.
 */

import type { Tlp } from '../../dut-model/nic.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { ReportMessage, ReportSubject } from '../../uvm/report/reportMessage.ts';
import { SEVERITY, severityName } from '../../uvm/report/severity.ts';
import type { AnalysisPort, Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { INJECTED_TAG } from '../../agents/link/inject/injectedPacket.ts';
import type { ArrivalItem, FrameFate, FrameItem } from '../../agents/link/linkItems.ts';
import type { CompletionItem } from '../../agents/pcie/pcieItems.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import { DecodedPacket, PACKET } from '../../agents/wire/decodedPacket.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { WireDecoder } from '../../agents/wire/wireDecoder.ts';
import { AreaMap, type DataMap } from './areaMap.ts';
import { type CloseLook, EVENT, EVENT_WORDS, type EventKind, EventLog, type LoggedEvent } from './eventLog.ts';
import { ANSWER_WORD, FRAME_WORD, PACKET_WORD, TLP_WORD } from './eventWords.ts';
import { QueuePairs } from './queuePairs.ts';
import { VerbsRecorder } from './verbsRecorder.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** What a recorder needs of the host software: of a close look only. */
interface RecordedProvider {
  traceCommands(log: (moment: 'begin' | 'end', text: () => string) => void): void;
  doorbellText(access: Tlp): string | undefined;
}

export interface RecordedHost {
  readonly host: number;
  readonly monitor: VerbsMonitor;
  readonly map: DataMap;
  readonly agent: {
    readonly requests: AnalysisPort<Tlp>;
    readonly writes: AnalysisPort<Tlp>;
    readonly completions: AnalysisPort<CompletionItem>;
    readonly barAccesses: AnalysisPort<Tlp>;
  };
  readonly verbs: { readonly provider: RecordedProvider };
  /** Memory on its card; null where the NIC has none. */
  readonly ddr: { readonly writes: AnalysisPort<StoredWrite> } | null;
}

/** A write that has reached memory, of the host or on the card. */
type StoredWrite = Pick<Tlp, 'hi' | 'lo' | 'length' | 'interrupt'>;

/** The environment as a recorder sees it. */
export interface RecordedSystem {
  readonly run: { readonly scheduler: Scheduler; readonly bytes: ByteStore };
  readonly hostEnvs: readonly RecordedHost[];
  readonly link: {
    readonly frames: AnalysisPort<FrameItem>;
    readonly arrivals: AnalysisPort<ArrivalItem>;
    readonly losses: AnalysisPort<FrameItem>;
    readonly fates: AnalysisPort<FrameFate>;
  };
  /** Null where frames are not decoded. */
  readonly monitor: { readonly packets: AnalysisPort<DecodedPacket> } | null;
}

/** What becomes of a frame. */
type Fate = typeof EVENT.arrival | typeof EVENT.loss | typeof EVENT.fate;

/** Writes the words of one event, which begin at `at`. */
type PutWords<Item> = (words: Int32Array, at: number, item: Item) => void;

/** Where a frame lies in the byte store. */
type Bytes = Pick<FrameItem, 'data' | 'length'>;

/** Events that every run keeps. */
export const KEPT_EVENTS = 4096;

/** Kinds of events that have the words of a packet. */
export const PACKETS: ReadonlySet<number> = new Set([EVENT.packet, EVENT.arrival, EVENT.fate, EVENT.loss]);

/** Texts of errors that are kept. */
const MOST_FINDINGS = 200;

/** An error of the run. */
export interface Finding {
  readonly id: string;
  readonly text: string;
  /** What it accuses; empty where it does not say. */
  readonly subject: ReportSubject;
}

/** How a recorder looks. */
export interface RecorderOptions {
  /** Of the events that every recorder sees, held at least: the latest ones; default 4096, infinite = all. */
  readonly events?: number;
  /** How far it looks closely; default: not at all. */
  readonly look?: CloseLook;
}

export class RunRecorder {
  readonly log: EventLog;
  readonly pairs = new QueuePairs();
  /** The queue pairs as they were when the first error came. */
  pairsThen = this.pairs;
  /** The first error in full; undefined = none so far. */
  firstError: ReportMessage | undefined;
  /** Errors by id. */
  readonly errors = new Map<string, number>();
  /** Errors, without those that are only counted. */
  readonly findings: Finding[] = [];
  /** Whether it looks closely, at first at least. */
  readonly #closely: boolean;

  constructor({ events = KEPT_EVENTS, look }: RecorderOptions = {}) {
    this.log = new EventLog(events, look);
    this.#closely = look !== undefined;
  }

  /** Connects it with an environment, in the connect phase of the latter. */
  watch(system: RecordedSystem): void {
    const { scheduler } = system.run;
    for (const host of system.hostEnvs) this.#watchHost(host, system);
    if (system.monitor === null) system.link.frames.connect(new Frames(this.log, scheduler));
    else system.monitor.packets.connect(new Packets(this.log, scheduler, this.#closely ? this.pairs : undefined));
    if (this.#closely) this.#watchFates(system);
  }

  /** A message of the run. */
  report(message: ReportMessage): void {
    const { severity, id, text, time, path, part, subject = [] } = message;
    if (severity < SEVERITY.error) return;
    this.errors.set(id, (this.errors.get(id) ?? 0) + 1);
    if (part === 'all' && this.findings.length < MOST_FINDINGS) this.findings.push({ id, text, subject });
    this.log.say(EVENT.report, 0, time, true, `${severityName(severity)} ${path} [${id}] ${text.split('\n')[0]}`);
    if (this.firstError !== undefined) return;
    this.firstError = message;
    this.pairsThen = this.pairs.copy();
    this.log.errorCame();
  }

  /** What explains the first error, oldest first, with the queue pairs that packets come from. */
  events(): LoggedEvent[] {
    return this.#withSources(this.log.events());
  }

  /** The latest of the events that every recorder sees, likewise. */
  latest(most?: number): LoggedEvent[] {
    return this.#withSources(this.log.latest(most));
  }

  #noteFrame(kind: Fate, from: number, to: number, length: number, now: number, text: string): void {
    const at = this.log.add(EVENT.frame, from, now, false);
    this.log.words[at + FRAME_WORD.to] = to;
    this.log.words[at + FRAME_WORD.length] = length;
    const what = { [EVENT.arrival]: 'arrives', [EVENT.loss]: 'is lost on the link', [EVENT.fate]: '' }[kind];
    this.log.tell(`${what}${text}`);
  }

  #withSources(events: LoggedEvent[]): LoggedEvent[] {
    // A close look has asked as the packets came.
    if (this.#closely) return events;
    for (const event of events) {
      if (!PACKETS.has(event.kind)) continue;
      const w = event.words;
      if (w[PACKET_WORD.sourceQp] !== -1) continue;
      w[PACKET_WORD.sourceQp] = this.pairs.peerOf(w[PACKET_WORD.to] as number, w[PACKET_WORD.destQp] as number);
    }
    return events;
  }

  #watchHost(env: RecordedHost, { run }: RecordedSystem): void {
    const { scheduler } = run;
    const { log } = this;
    const { host, monitor } = env;
    if (this.#closely) this.#watchBus(env, scheduler);
    monitor.observe(new VerbsRecorder(log, scheduler, this.pairs));
    env.verbs.provider.traceCommands((moment, text) => {
      if (moment === 'begin' && !log.looksClosely) return;
      const kind = moment === 'begin' ? EVENT.commandBegin : EVENT.command;
      log.say(kind, host, scheduler.now, moment === 'end', text());
    });
  }

  /** There are several times as many transactions as packets: they would push everything else out, and cost as much. */
  #watchBus({ host, agent, monitor, map, verbs, ddr }: RecordedHost, scheduler: Scheduler): void {
    const { log } = this;
    const areas = new AreaMap(map, log);
    monitor.observe(areas);
    const placed: PutWords<Tlp> = (w, at, tlp) => {
      putTlp(w, at, tlp);
      areas.put(w, at, tlp.hi, tlp.lo);
    };
    const closely = <Item>(kind: EventKind, put: PutWords<Item>, counts: (item: Item) => boolean = always) => {
      return (item: Item): void => {
        if (!log.looksClosely || !counts(item)) return;
        const at = log.add(kind, host, scheduler.now, false);
        put(log.words, at, item);
      };
    };
    agent.requests.connect(closely(EVENT.tlp, placed));
    // A write of the NIC takes effect when it is in memory; the events of software tell about writes to rings.
    const stored = closely<StoredWrite>(
      EVENT.stored,
      (w, at, { hi, lo, length, interrupt }) => {
        w[at + TLP_WORD.hi] = hi;
        w[at + TLP_WORD.lo] = lo;
        w[at + TLP_WORD.length] = length;
        w[at + TLP_WORD.interrupt] = interrupt ? 1 : 0;
        areas.put(w, at, hi, lo);
      },
      ({ hi, lo }) => areas.isData(hi, lo),
    );
    agent.writes.connect(stored);
    ddr?.writes.connect(stored);
    agent.completions.connect(closely(EVENT.answer, putAnswer));
    agent.barAccesses.connect(closely(EVENT.barAccess, putBarAccess));
    agent.barAccesses.connect((tlp) => {
      const text = log.looksClosely ? verbs.provider.doorbellText(tlp) : undefined;
      if (text !== undefined) log.say(EVENT.doorbell, host, scheduler.now, false, text);
    });
  }

  #watchFates({ link, run, monitor }: RecordedSystem): void {
    // Frames of another protocol are not ours to read.
    const isDecoded = monitor !== null;
    const decoder = new WireDecoder(run.bytes);
    const packet = new DecodedPacket();
    const note = (kind: Fate, from: number, to: number, frame: Bytes, text: string): void => {
      if (!this.log.looksClosely) return;
      if (!isDecoded) {
        this.#noteFrame(kind, from, to, frame.length, run.scheduler.now, text);
        return;
      }
      decoder.decode(frame.data, frame.length, packet);
      if (packet.kind !== PACKET.roce) return;
      packet.host = from;
      packet.to = to;
      const at = this.log.add(kind, from, run.scheduler.now, false);
      putPacket(this.log.words, at, packet, this.pairs);
      if (text !== '') this.log.tell(text);
    };
    let lostBy = '';
    link.arrivals.connect((item) => note(EVENT.arrival, item.from, item.host, item, arrivalText(item)));
    link.losses.connect((item) => {
      note(EVENT.loss, item.host, item.to, item, lostBy);
      lostBy = '';
    });
    link.fates.connect((fate) => {
      if (fate.dropped) lostBy = byText(fate);
      else note(EVENT.fate, fate.frame.host, fate.frame.to, fate.frame, fateText(fate));
    });
  }
}

function arrivalText({ tag, edited }: ArrivalItem): string {
  if (tag === INJECTED_TAG) return ', which no NIC has sent';
  return edited ? ' with other bytes than were sent' : '';
}

function byText({ because }: FrameFate): string {
  return because === '' ? '' : `, by ${because}`;
}

function fateText(fate: FrameFate): string {
  const { duplicates, delayed, edited } = fate;
  const what = [
    ...(edited ? ['is changed'] : []),
    ...(delayed ? ['is held back'] : []),
    ...(duplicates > 0 ? [`is repeated ${duplicates === 1 ? 'once' : `${duplicates} times`}`] : []),
  ];
  return `${what.join(' and ')} on the link${byText(fate)}`;
}

// Packets and frames of every run: classes, so that the engine knows what it calls.

class Packets implements Subscriber<DecodedPacket> {
  readonly #log: EventLog;
  readonly #scheduler: Scheduler;
  /** Where it is looked up at once which queue pair a packet comes from: numbers are given to others later on. */
  readonly #pairs: QueuePairs | undefined;

  constructor(log: EventLog, scheduler: Scheduler, pairs: QueuePairs | undefined) {
    this.#log = log;
    this.#scheduler = scheduler;
    this.#pairs = pairs;
  }

  write(p: DecodedPacket): void {
    const log = this.#log;
    const at = log.add(EVENT.packet, p.host, this.#scheduler.now, true);
    log.onWire(p.time);
    putPacket(log.words, at, p, this.#pairs);
  }
}

function putPacket(w: Int32Array, at: number, p: DecodedPacket, pairs: QueuePairs | undefined): void {
  w[at + PACKET_WORD.to] = p.to;
  w[at + PACKET_WORD.opcode] = p.kind === PACKET.malformed ? -1 : p.opcode;
  w[at + PACKET_WORD.destQp] = p.destQp;
  const peer = pairs === undefined ? -1 : pairs.peerOf(p.to, p.destQp);
  w[at + PACKET_WORD.sourceQp] = (p.flags & OPCODE.deth) !== 0 ? p.sourceQp : peer;
  w[at + PACKET_WORD.psn] = p.psn;
  w[at + PACKET_WORD.payload] = p.payloadLength;
  w[at + PACKET_WORD.flags] = p.flags;
  w[at + PACKET_WORD.rkey] = p.rkey;
  w[at + PACKET_WORD.dmaLength] = p.dmaLength;
  w[at + PACKET_WORD.hi] = p.vaHi;
  w[at + PACKET_WORD.lo] = p.vaLo;
  w[at + PACKET_WORD.syndrome] = p.syndrome;
  w[at + PACKET_WORD.msn] = p.msn;
  w[at + PACKET_WORD.frame] = p.frameLength;
  w[at + PACKET_WORD.problems] = p.problems;
  w[at + PACKET_WORD.ackRequest] = p.ackRequest ? 1 : 0;
  w[at + PACKET_WORD.qkey] = p.qkey;
}

class Frames implements Subscriber<FrameItem> {
  readonly #log: EventLog;
  readonly #scheduler: Scheduler;

  constructor(log: EventLog, scheduler: Scheduler) {
    this.#log = log;
    this.#scheduler = scheduler;
  }

  write(frame: FrameItem): void {
    const log = this.#log;
    const at = log.add(EVENT.frame, frame.host, this.#scheduler.now, true);
    log.onWire(frame.time);
    log.words[at + FRAME_WORD.to] = frame.to;
    log.words[at + FRAME_WORD.length] = frame.length;
  }
}

function putTlp(w: Int32Array, at: number, tlp: Tlp): void {
  w[at + TLP_WORD.kind] = tlp.kind;
  w[at + TLP_WORD.hi] = tlp.hi;
  w[at + TLP_WORD.lo] = tlp.lo;
  w[at + TLP_WORD.length] = tlp.length;
  w[at + TLP_WORD.tag] = tlp.tag;
  w[at + TLP_WORD.bar] = tlp.bar;
  w[at + TLP_WORD.poisoned] = tlp.poisoned ? 1 : 0;
  w[at + TLP_WORD.interrupt] = tlp.interrupt ? 1 : 0;
}

function putBarAccess(w: Int32Array, at: number, tlp: Tlp): void {
  w.fill(0, at, at + EVENT_WORDS);
  putTlp(w, at, tlp);
}

function putAnswer(w: Int32Array, at: number, { tlp, from, count, lost }: CompletionItem): void {
  w[at + ANSWER_WORD.tag] = tlp.tag;
  w[at + ANSWER_WORD.from] = from;
  w[at + ANSWER_WORD.count] = count;
  w[at + ANSWER_WORD.remaining] = tlp.remaining;
  w[at + ANSWER_WORD.status] = tlp.status;
  w[at + ANSWER_WORD.lost] = lost ? 1 : 0;
}

function always(): boolean {
  return true;
}
