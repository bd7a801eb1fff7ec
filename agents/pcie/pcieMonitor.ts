/**
 * Watches one PCIe port and checks every rule that can be seen from outside.
 *
 * `PCIE_REPORT_IDS` says what is reported, docs/checks.md too. `PCIE_ORDER`, `PCIE_CPL_ORDER`, `PCIE_CPL_SIZE` and
 * `PCIE_RCB` judge the host's side. They cannot fail for the slave of this harness unless it is broken; they are there
 * for an adapter that takes its place.
 */
import type { Subject } from '../../rdma/subject.ts';
import { aTlp } from '../../rdma/subjectParts.ts';
import { CPL_STATUS, TLP_KIND, type Tlp } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { Findings } from '../../uvm/report/findings.ts';
import { UVM_HIGH } from '../../uvm/report/verbosity.ts';
import { dwordBytes, enablesProblem } from './byteEnables.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import { PcieStatistics } from './pcieStatistics.ts';
import type { ReadablePages } from './readablePages.ts';
import type { HostTlp } from './tlpPool.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';

/** Report ids of the PCIe agent with their meaning. */
export const PCIE_REPORT_IDS = {
  PCIE_LEN: 'length of a request is negative, fractional or above 4096 bytes',
  PCIE_DATA: 'data of a request are not in the byte store',
  PCIE_READY: 'start time of a request is no whole number of picoseconds',
  PCIE_MPS: 'write larger than the maximum payload size (counted in whole dwords)',
  PCIE_MRRS: 'read larger than the maximum read request size (counted in whole dwords)',
  PCIE_4K: 'request crosses a 4 KiB boundary',
  PCIE_TAG: 'tag already outstanding or wider than the tag field',
  PCIE_TAG_LIMIT: 'more reads outstanding than the settings allow',
  PCIE_BE: 'byte enables do not fit address and length',
  PCIE_POISON: 'poisoned write without a fault that poisons (`PcieHostAgent.setFaults`)',
  PCIE_ADDR: 'misuse of the MSI-X window',
  PCIE_READ: 'read of a page that is neither registered nor part of a queue, ICM or a mailbox',
  PCIE_KIND: 'request of unknown kind or with a BAR',
  PCIE_MISUSE: 'transaction sent or answered by a NIC that does not own it, or sent after the NIC was finished',
  PCIE_TLP: 'a request, an answer or a BAR access crosses the link (information, UVM_DEBUG)',
  PCIE_ITEM: 'BAR access of a sequence is done (information, UVM_HIGH)',
  PCIE_CPL: 'answer to a BAR read that is not outstanding',
  PCIE_CPL_STATUS: 'BAR read answered with an error status',
  PCIE_CPL_POISON: 'BAR read answered with poisoned data',
  PCIE_CPL_TIMEOUT: 'BAR read not answered in time',
  PCIE_ORDER: 'write out of order, or read answered before an earlier write',
  PCIE_CPL_ORDER: 'parts of an answer overlap, leave a gap or are out of order',
  PCIE_CPL_SIZE: 'part of an answer larger than the maximum payload size',
  PCIE_RCB: 'answer split at an address that is no read completion boundary',
  PCIE_STATS: 'statistics of a port (information)',
} as const satisfies Readonly<Record<string, string>>;

export type PcieReportId = keyof typeof PCIE_REPORT_IDS;

/** Tags that a request can carry. */
const TAGS = 1024;

/** What is known of the reads under one tag. */
class TagState {
  /** Requests outstanding, which should be one at most. */
  busy = 0;
  /** Bytes answered so far; -1: the tag was reused. */
  answered = 0;
  /** Writes sent before it. */
  after = 0;
  /** Time of sending; not a number at first, so that the engine keeps a double from the start. */
  sentAt = Number.NaN;
}

/** What a monitor is built with. */
export interface PcieMonitorOptions {
  readonly host: number;
  readonly settings: PcieHostSettings;
}

/** The monitor: give it every request, write, completion and BAR access of a port, and it reports what is wrong. */
export class PcieMonitor extends Component {
  readonly statistics = new PcieStatistics();
  /** What the NIC may read; null = everything. */
  readable: ReadablePages | null = null;

  readonly #findings = new Findings<PcieReportId, Subject>(this);
  readonly #host: number = 0;
  readonly #settings: PcieHostSettings;
  readonly #maxPayload: number = 0;
  readonly #maxReadRequest: number = 0;
  readonly #boundaryMask: number = 0;
  readonly #msixHi: number = 0;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #tagsAllowed: number = 0;
  readonly #tagLimit: number = 0;
  /** By tag: of those that a NIC needs, and of others once they are used. */
  readonly #tags: TagState[] = [];
  #poisonInjected = false;

  constructor(name: string, parent: Component, options: PcieMonitorOptions) {
    super(name, parent);
    this.#host = options.host;
    this.#settings = options.settings;
    this.#maxPayload = options.settings.maxPayload;
    this.#maxReadRequest = options.settings.maxReadRequest;
    this.#boundaryMask = options.settings.readCompletionBoundary - 1;
    this.#msixHi = options.settings.msixHi;
    this.#scheduler = this.run.scheduler;
    this.#bytes = this.run.bytes;
    const tags = options.settings.tags;
    this.#tagsAllowed = tags;
    this.#tagLimit = tags <= 32 ? 32 : tags <= 256 ? 256 : TAGS;
    this.#addTags(tags);
  }

  override checkPhase(): void {
    this.#findings.summarise();
  }

  override preAbort(): void {
    this.#findings.summarise();
  }

  override reportPhase(): void {
    this.info('PCIE_STATS' satisfies PcieReportId, () => this.statistics.toString(), UVM_HIGH);
  }

  /**
   * A request leaves the NIC.
   * @returns true for an ordinary one: a read or write in one page, with all bytes enabled, far from the MSI-X window
   */
  request(t: HostTlp): boolean {
    const { kind, lo, length } = t;
    const ordinary =
      length === (length | 0) &&
      length >>> 0 <= 4096 - (lo & 4095) &&
      (t.firstBe & t.lastBe & t.bar) === -1 &&
      kind >>> 0 <= 1 &&
      t.hi !== this.#msixHi &&
      !t.interrupt &&
      Number.isSafeInteger(t.readyAt) &&
      this.holds(t);
    if (!ordinary) this.#unusual(t);
    if (kind === TLP_KIND.memWrite) this.#writeRequest(t);
    else this.#readRequest(t);
    return ordinary;
  }

  /** Whether the data of a request are where there are bytes. */
  holds({ data, length }: Tlp): boolean {
    return data >>> 0 === data && data + length <= this.#bytes.u8.length;
  }

  /** A write has reached memory. */
  write(t: HostTlp): void {
    const stats = this.statistics;
    const { sequence } = t;
    if (sequence !== ++stats.arrived) this.#outOfOrder(t);
    stats.lastAt = this.#scheduler.now;
    if (t.interrupt) stats.interrupts++;
  }

  /** A fault rule swallows the answer to a read. */
  lost(t: Tlp): void {
    this.#tag(t.tag & (TAGS - 1)).busy--;
    this.statistics.outstanding--;
  }

  /** A poisoned write reaches no memory. */
  discarded(): void {
    this.statistics.writes--;
  }

  /** A part of an answer, bytes [from, from + count) of the request, is about to reach the NIC. */
  completion(t: Tlp, from: number, count: number): void {
    const tag = this.#tag(t.tag & (TAGS - 1));
    if (t.poisoned) this.#poisonInjected = true;
    const { now } = this.#scheduler;
    const stats = this.statistics;
    stats.completions++;
    stats.lastAt = now;
    if (tag.after > stats.arrived) this.#early(t, tag);
    if (t.status === CPL_STATUS.success && tag.answered >= 0) this.#checkPart(t, tag, from, count);
    if (t.remaining > 0) return;
    tag.busy--;
    stats.answered(now - tag.sentAt);
  }

  /** A BAR access has been carried out; a read is published with its answer. */
  barAccess(t: Tlp): void {
    if (t.kind === TLP_KIND.memWrite) this.statistics.barWrites++;
    else this.statistics.barReads++;
  }

  #writeRequest(t: Tlp): void {
    // Sizes are whole dwords: no need to round up what is compared with one.
    if ((t.lo & 3) + t.length > this.#maxPayload) this.#tooLong('PCIE_MPS', t, this.#maxPayload);
    if (t.poisoned && !this.#poisonInjected) this.#bad('PCIE_POISON', t, 'is poisoned');
    const stats = this.statistics;
    const { now } = this.#scheduler;
    if (stats.isIdle) stats.idle.ends(stats.lastAt, now);
    stats.writes++;
    stats.writeBytes += t.length;
    stats.lastAt = now;
    if (stats.firstAt < 0) stats.firstAt = now;
  }

  #readRequest(t: HostTlp): void {
    if ((t.lo & 3) + t.length > this.#maxReadRequest) this.#tooLong('PCIE_MRRS', t, this.#maxReadRequest);
    const { readable } = this;
    if (readable !== null && !readable.readable(t.hi, t.lo >>> 12)) this.#notMapped(t);
    const stats = this.statistics;
    const { now } = this.#scheduler;
    stats.reads++;
    stats.readBytes += t.length;
    if (stats.firstAt < 0) stats.firstAt = now;
    if (stats.isIdle) stats.idle.ends(stats.lastAt, now);
    const outstanding = ++stats.outstanding;
    if (outstanding > stats.peakOutstanding) stats.peakOutstanding = outstanding;
    if (outstanding > this.#tagsAllowed) this.#tooMany(t, outstanding);
    const number = t.tag & (TAGS - 1);
    const tag = this.#tag(number);
    const { busy } = tag;
    if (t.tag >>> 0 >= this.#tagLimit || busy !== 0) this.#wrongTag(t);
    // Answers to two requests under one tag cannot be told apart: their order goes unchecked.
    tag.answered = busy === 0 ? 0 : -1;
    tag.busy = busy + 1;
    tag.after = t.sequence;
    tag.sentAt = now;
  }

  #tag(number: number): TagState {
    if (number >= this.#tags.length) this.#addTags(number + 1);
    return this.#tags[number] as TagState;
  }

  #addTags(count: number): void {
    while (this.#tags.length < count) this.#tags.push(new TagState());
  }

  #checkPart(t: Tlp, tag: TagState, from: number, count: number): void {
    const { answered } = tag;
    const { remaining } = t;
    const end = from + count;
    tag.answered = end;
    if (
      from !== answered ||
      remaining !== t.length - end ||
      count + ((t.lo + from) & 3) > this.#maxPayload ||
      (remaining > 0 && ((t.lo + end) & this.#boundaryMask) !== 0)
    ) {
      this.#wrongPart(t, from, count, answered);
    }
  }

  // Messages are built apart from the checks: what is short enough is compiled into its caller.

  #outOfOrder(t: HostTlp): void {
    const what = `is number ${t.sequence} of the writes and took effect as number ${this.statistics.arrived}`;
    this.#bad('PCIE_ORDER', t, what);
  }

  #early(t: Tlp, tag: TagState): void {
    this.#bad('PCIE_ORDER', t, `is answered before write number ${tag.after} that was sent before it`);
  }

  #tooMany(t: Tlp, outstanding: number): void {
    this.#bad('PCIE_TAG_LIMIT', t, `is number ${outstanding} outstanding where ${this.#tagsAllowed} are allowed`);
  }

  #wrongTag(t: Tlp): void {
    const limit = this.#tagLimit;
    if (t.tag >>> 0 >= limit) this.#bad('PCIE_TAG', t, `has tag ${t.tag}, the limit is ${limit - 1}`);
    else this.#bad('PCIE_TAG', t, `reuses tag ${t.tag}, which is outstanding`);
  }

  #notMapped(t: HostTlp): void {
    this.#bad('PCIE_READ', t, 'lies in a page that is neither registered nor part of a queue, of ICM or of a mailbox');
  }

  #wrongPart(t: Tlp, from: number, count: number, answered: number): void {
    const end = from + count;
    if (from !== answered || t.remaining !== t.length - end) {
      this.#bad('PCIE_CPL_ORDER', t, `gets bytes ${from}..${end - 1} after ${answered} bytes`);
    }
    if (count + ((t.lo + from) & 3) > this.#maxPayload) {
      this.#bad('PCIE_CPL_SIZE', t, `gets ${count} bytes at once, the limit is ${this.#maxPayload}`);
    }
    if (t.remaining > 0 && ((t.lo + end) & this.#boundaryMask) !== 0) {
      this.#bad('PCIE_RCB', t, `is cut after ${end} bytes`);
    }
  }

  /** What the common requests need not be looked at for. */
  #unusual(t: Tlp): void {
    const { lo, length } = t;
    if (length >>> 0 > 4096 || length !== (length | 0)) this.#bad('PCIE_LEN', t, `has a length of ${length}`);
    else if ((lo & 4095) + length > 4096) this.#bad('PCIE_4K', t, 'crosses a 4 KiB boundary');
    if ((t.firstBe & t.lastBe) !== -1) this.#enables(t);
    if (t.bar !== -1 || t.kind >>> 0 > 1) this.#bad('PCIE_KIND', t, `has kind ${t.kind} and BAR ${t.bar}`);
    if (t.hi === this.#msixHi || t.interrupt) this.#messageWindow(t);
    if (!this.holds(t)) this.#bad('PCIE_DATA', t, `has data at ${t.data}; the byte store has ${this.#bytes.u8.length}`);
    if (Number.isSafeInteger(t.readyAt)) return;
    this.#bad('PCIE_READY', t, `may be on the wire from ${t.readyAt} on, which is no time in whole ps`);
    t.readyAt = 0;
  }

  #enables(t: Tlp): void {
    const problem = enablesProblem(t.lo, t.length, t.firstBe, t.lastBe);
    if (problem !== null) this.#bad('PCIE_BE', t, `has byte enables ${t.firstBe}/${t.lastBe}: ${problem}`);
  }

  #messageWindow(t: Tlp): void {
    const { msixHi, msixLo, msixLength } = this.#settings;
    const from = (t.lo - msixLo) >>> 0;
    const before = (msixLo - t.lo) >>> 0;
    const touches = t.hi === msixHi && (from < msixLength || before < t.length);
    if (!touches) {
      if (t.interrupt) this.#bad('PCIE_ADDR', t, 'is marked as an interrupt but lies outside the MSI-X window');
      return;
    }
    if (t.kind !== TLP_KIND.memWrite) this.#bad('PCIE_ADDR', t, 'reads the MSI-X window');
    else if (t.length !== 4 || (t.lo & 3) !== 0 || from >= msixLength) {
      this.#bad('PCIE_ADDR', t, 'touches the MSI-X window and is no aligned dword');
    }
  }

  #tooLong(id: PcieReportId, t: Tlp, limit: number): void {
    this.#bad(id, t, `is ${dwordBytes(t.lo, t.length)} bytes in whole dwords, the limit is ${limit}`);
  }

  #bad(id: PcieReportId, t: Tlp, what: string): void {
    this.#findings.error(id, () => `${describe(t)} ${what}`, [aTlp(this.#host, t, this.#scheduler.now)]);
  }
}

function describe(t: Tlp): string {
  const kind = t.kind === TLP_KIND.memWrite ? 'write' : 'read';
  return `${kind} of ${t.length} bytes at ${hexAddress(t.hi, t.lo)} (tag ${t.tag})`;
}
