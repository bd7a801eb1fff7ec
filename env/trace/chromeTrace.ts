/**
 * A run as a trace in the Trace Event Format, which chrome://tracing, Perfetto and speedscope read: a process for each
 * host, a track for each queue pair, for states, for commands and for each direction of PCIe.
 *
 * Requests, receives, commands and PCIe reads are asynchronous (`b`, `n`, `e` with one id each); packets and writes are
 * instants; a flow goes from the departure of a packet to each of its arrivals. Times are microseconds with six decimals,
 * which is picoseconds, in ascending order.
 */

import { WC_STATUS_NAME, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import { TLP_KIND } from '../../dut-model/nic.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { EVENT, type LoggedEvent } from './eventLog.ts';
import { eventText, wrIdOf } from './eventTexts.ts';
import { ANSWER_WORD, COMPLETION, PACKET_WORD, POST_RECV, POST_SEND, TLP_WORD } from './eventWords.ts';

/** Tracks of a host besides those of queue pairs. */
const TRACK = { states: 1, commands: 2, toHost: 3, toNic: 4, bar: 5 } as const;
const TRACK_NAME: Readonly<Record<number, string>> = {
  [TRACK.states]: 'states and events',
  [TRACK.commands]: 'commands',
  [TRACK.toHost]: 'PCIe to host',
  [TRACK.toNic]: 'PCIe to NIC',
  [TRACK.bar]: 'BAR accesses',
};
const FIRST_PAIR = 1000;
/** ps of a us. */
const PS = 1_000_000;

/** One event of the trace, as it is written. */
export interface TraceEvent {
  readonly ph: 'b' | 'n' | 'e' | 'i' | 's' | 'f' | 'M';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** ps; written as us. */
  readonly time: number;
  readonly cat?: string;
  readonly id?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The events of the trace in the order of their times, names of tracks first. */
export function traceEvents(events: readonly LoggedEvent[]): TraceEvent[] {
  const builder = new TraceBuilder();
  for (const event of events) builder.add(event);
  return builder.finish();
}

/** One line of the file. */
export function traceLine({ time, ph, ...rest }: TraceEvent): string {
  const scope = ph === 'i' ? ',"s":"t"' : ph === 'f' ? ',"bp":"e"' : '';
  return `${JSON.stringify({ ph, ...rest }).slice(0, -1)},"ts":${(time / PS).toFixed(6)}${scope}}`;
}

/** Something that has begun and not ended. */
interface Open {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly cat: string;
  /** Of a request: the number that its caller gave it. */
  readonly wrId: number;
}

class TraceBuilder {
  readonly #out: TraceEvent[] = [];
  readonly #tracks = new Map<string, TraceEvent>();
  /** By queue: what is open there, oldest first. */
  readonly #open = new Map<string, Open[]>();
  /** Packets that may still arrive, by what they are. */
  readonly #flying = new Map<string, string[]>();
  #ids = 0;
  #last = 0;

  add(event: LoggedEvent): void {
    this.#last = Math.max(this.#last, event.time, event.wire);
    switch (event.kind) {
      case EVENT.postSend:
        this.#postSend(event);
        break;
      case EVENT.postRecv:
        this.#postRecv(event);
        break;
      case EVENT.completion:
        this.#completion(event);
        break;
      case EVENT.packet:
        this.#packet(event);
        break;
      case EVENT.arrival:
        this.#fate(event, 'f');
        break;
      case EVENT.loss:
      case EVENT.fate:
        this.#fate(event, 'i');
        break;
      case EVENT.tlp:
        this.#tlp(event);
        break;
      case EVENT.answer:
        this.#answer(event);
        break;
      case EVENT.commandBegin:
        this.#begin(`commands ${event.host}`, event, TRACK.commands, 'command', event.text, 0);
        break;
      case EVENT.command:
        this.#end(`commands ${event.host}`, event, 0, { status: event.text });
        break;
      case EVENT.stored:
        this.#instant(event, TRACK.toHost, eventText(event));
        break;
      case EVENT.barAccess:
        this.#instant(event, TRACK.bar, eventText(event));
        break;
      case EVENT.entry:
        break;
      case EVENT.frame:
      case EVENT.state:
      case EVENT.asyncEvent:
      case EVENT.report:
      case EVENT.doorbell:
        this.#instant(event, TRACK.states, eventText(event));
        break;
    }
  }

  /** What is open at the end of the run ends there. */
  finish(): TraceEvent[] {
    for (const list of this.#open.values())
      for (const open of list) this.#push({ ...partOf(open), ph: 'e', time: this.#last, args: { unfinished: true } });
    const ordered = this.#out.map((event, index) => ({ event, index }));
    ordered.sort((a, b) => a.event.time - b.event.time || a.index - b.index);
    return [...this.#tracks.values(), ...ordered.map(({ event }) => event)];
  }

  #postSend(event: LoggedEvent): void {
    const w = event.words;
    const qpn = w[POST_SEND.qpn] as number;
    const wrId = wrIdOf(w, POST_SEND.idHi, POST_SEND.idLo);
    const name = `${WR_OPCODE_NAME[w[POST_SEND.opcode] as number] ?? 'request'} ${wrId}`;
    this.#begin(`send ${event.host}/${qpn}`, event, this.#pair(event.host, qpn), 'request', name, wrId);
  }

  #postRecv(event: LoggedEvent): void {
    const w = event.words;
    const qpn = w[POST_RECV.qpn] as number;
    const wrId = wrIdOf(w, POST_RECV.idHi, POST_RECV.idLo);
    this.#begin(`recv ${event.host}/${qpn}`, event, this.#pair(event.host, qpn), 'receive', `RECV ${wrId}`, wrId);
  }

  /** A completion ends the request and, as queues are in order, those before it that asked for none. */
  #completion(event: LoggedEvent): void {
    const w = event.words;
    const side = w[COMPLETION.isSend] === 1 ? 'send' : 'recv';
    const wrId = wrIdOf(w, COMPLETION.idHi, COMPLETION.idLo);
    const status = WC_STATUS_NAME[w[COMPLETION.status] as number] ?? String(w[COMPLETION.status]);
    const queue = `${side} ${event.host}/${w[COMPLETION.qpn]}`;
    const list = this.#open.get(queue) ?? [];
    const at = list.findIndex((open) => open.wrId === wrId);
    if (at < 0) {
      this.#instant(event, this.#pair(event.host, w[COMPLETION.qpn] as number), eventText(event));
      return;
    }
    for (let i = 0; i < at; i++)
      this.#end(queue, event, list[0]?.wrId ?? 0, { status: 'implied by a later completion' });
    this.#end(queue, event, wrId, { status, completion: eventText(event) });
  }

  #packet(event: LoggedEvent): void {
    const w = event.words;
    const source = w[PACKET_WORD.sourceQp] as number;
    const tid = source < 0 ? TRACK.states : this.#pair(event.host, source);
    const opcode = w[PACKET_WORD.opcode] as number;
    const name = opcode < 0 ? 'malformed packet' : opcodeName(opcode);
    const time = event.wire;
    this.#push({ ph: 'i', name, pid: event.host, tid, time, cat: 'packet', args: { packet: eventText(event) } });
    const id = `p${this.#ids++}`;
    const key = keyOf(event);
    const flying = this.#flying.get(key);
    if (flying === undefined) this.#flying.set(key, [id]);
    else flying.push(id);
    this.#push({ ph: 's', name: 'on the link', cat: 'link', id, pid: event.host, tid, time });
    this.#step(event, source);
  }

  /** A packet is a step of the oldest request of its queue pair that is open. */
  #step(event: LoggedEvent, source: number): void {
    const open = this.#open.get(`send ${event.host}/${source}`)?.[0];
    if (open === undefined) return;
    this.#push({ ...partOf(open), ph: 'n', time: event.time, args: { packet: eventText(event) } });
  }

  #fate(event: LoggedEvent, ph: 'f' | 'i'): void {
    const w = event.words;
    const to = w[PACKET_WORD.to] as number;
    const tid = this.#pair(to, w[PACKET_WORD.destQp] as number);
    const text = eventText(event);
    if (ph === 'i') {
      this.#instant(event, TRACK.states, text);
      return;
    }
    this.#push({ ph: 'i', name: 'arrival', pid: to, tid, time: event.time, cat: 'packet', args: { packet: text } });
    const flying = this.#flying.get(keyOf(event));
    // One that arrives twice has left once.
    const id = flying !== undefined && flying.length > 1 ? (flying.shift() as string) : flying?.[0];
    if (id === undefined) return;
    this.#push({ ph: 'f', name: 'on the link', cat: 'link', id, pid: to, tid, time: event.time });
  }

  #tlp(event: LoggedEvent): void {
    const w = event.words;
    const text = eventText(event);
    if (w[TLP_WORD.kind] !== TLP_KIND.memRead) this.#instant(event, TRACK.toHost, text);
    else this.#begin(`read ${event.host}/${w[TLP_WORD.tag]}`, event, TRACK.toHost, 'pcie', text, 0);
  }

  #answer(event: LoggedEvent): void {
    const w = event.words;
    this.#instant(event, TRACK.toNic, eventText(event));
    if (w[ANSWER_WORD.remaining] !== 0 && w[ANSWER_WORD.status] === 0) return;
    this.#end(`read ${event.host}/${w[ANSWER_WORD.tag]}`, event, 0, {});
  }

  #begin(queue: string, { host, time }: LoggedEvent, tid: number, cat: string, name: string, wrId: number): void {
    const open = { id: `r${this.#ids++}`, name, pid: host, tid, cat, wrId };
    const list = this.#open.get(queue);
    if (list === undefined) this.#open.set(queue, [open]);
    else list.push(open);
    this.#track(host, tid);
    this.#push({ ...partOf(open), ph: 'b', time });
  }

  #end(queue: string, { time }: LoggedEvent, wrId: number, args: Readonly<Record<string, unknown>>): void {
    const list = this.#open.get(queue) ?? [];
    const at = list.findIndex((open) => open.wrId === wrId);
    const [open] = at < 0 ? [] : list.splice(at, 1);
    if (open !== undefined) this.#push({ ...partOf(open), ph: 'e', time, args });
  }

  #instant({ host, time }: LoggedEvent, tid: number, name: string): void {
    this.#track(host, tid);
    this.#push({ ph: 'i', name, pid: host, tid, time });
  }

  #pair(host: number, qpn: number): number {
    const tid = FIRST_PAIR + qpn;
    this.#track(host, tid, `QP ${qpn}`);
    return tid;
  }

  #track(host: number, tid: number, name = TRACK_NAME[tid] ?? ''): void {
    const key = `${host}/${tid}`;
    if (this.#tracks.has(key)) return;
    if (!this.#tracks.has(`${host}`)) this.#tracks.set(`${host}`, meta('process_name', host, 0, `host ${host}`));
    this.#tracks.set(key, meta('thread_name', host, tid, name));
  }

  #push(event: TraceEvent): void {
    this.#out.push(event);
  }
}

function partOf({ id, name, pid, tid, cat }: Open): Omit<TraceEvent, 'ph' | 'time'> {
  return { id, name, pid, tid, cat };
}

function meta(name: string, pid: number, tid: number, value: string): TraceEvent {
  return { ph: 'M', name, pid, tid, time: 0, args: { name: value } };
}

/** What a packet and its arrival have in common. */
function keyOf({ host, words: w }: LoggedEvent): string {
  return [host, w[PACKET_WORD.to], w[PACKET_WORD.destQp], w[PACKET_WORD.psn], w[PACKET_WORD.opcode]].join(' ');
}
