/** Samples the covergroups of the PCIe port of one host. */

import type { PcieHostAgent } from '../../agents/pcie/pcieHostAgent.ts';
import type { CompletionItem, MsixMessage } from '../../agents/pcie/pcieItems.ts';
import type { PcieStatistics } from '../../agents/pcie/pcieStatistics.ts';
import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { Tally } from '../../uvm/coverage/tally.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { Backlog, READER_BITS } from '../backlog.ts';
import { AreaPages } from './areaPages.ts';
import type { ContextTraffic } from './contextTraffic.ts';
import {
  AnswerSample,
  BarSample,
  barCg,
  DIRECTION,
  DMA_ADDRESS,
  DmaSample,
  dmaLength,
  dmaReads,
  dmaCg,
  dmaTargetCg,
  InterruptSample,
  interruptCg,
  PortSample,
  pciePortCg,
  readAnswerCg,
  readsCg,
  TARGET,
} from './pcieGroups.ts';

/** What is read of a transaction. */
interface Transaction {
  readonly kind: number;
  readonly bar: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly tag: number;
  readonly interrupt: boolean;
  readonly status: number;
  readonly remaining: number;
}

const TAGS = 1024;
/** Bytes of an entry of the MSI-X table. */
const VECTOR_BYTES = 16;

/** Words of a note of a request, and of any other. */
const REQUEST_WORDS = 4;
const NOTE_WORDS = 2;
/** Bits of the first word: of a request also whether it is an interrupt, of an answer also its status. */
const BIT = 1 << READER_BITS;
const IS_WRITE = BIT;
const IS_INTERRUPT = 2 * BIT;
const IS_BUSY = 4 * BIT;
const IS_LAST = 4 * BIT;
const IS_LOST = 8 * BIT;
const TAG_SHIFT = READER_BITS + 4;
/** Above the tag: reads that are outstanding, or the status of an answer. */
const REST_SHIFT = TAG_SHIFT + 10;
const MOST_REST = 0x3fff;

export class PcieCoverage implements VerbsObserver {
  /** Contexts that it reads and writes. */
  readonly contexts: ContextTraffic;
  readonly #agent: PcieHostAgent;
  readonly #statistics: PcieStatistics;
  readonly #pages = new AreaPages();
  readonly #maxPayload: number = 0;
  readonly #maxReadRequest: number = 0;
  readonly #tags: number = 0;
  readonly #backlog = new Backlog();
  readonly #requestReader: number = 0;
  readonly #answerReader: number = 0;
  readonly #barReader: number = 0;
  readonly #requests = new Tally();
  readonly #answers = new Tally();
  readonly #dma = new DmaSample();
  readonly #answer = new AnswerSample();
  readonly #bar = new BarSample();
  readonly #interrupt = new InterruptSample();
  /** By tag: number of the read, parts so far, and how many parts of all answers there were by its latest. */
  readonly #numbers = new Float64Array(TAGS);
  readonly #parts = new Int32Array(TAGS);
  readonly #partAt = new Float64Array(TAGS);
  /** By tag: 1 where a part of another answer came between. */
  readonly #mixed = new Uint8Array(TAGS);
  #reads = 0;
  #allParts = 0;
  /** Number of the latest read that has its whole answer. */
  #newest = 0;
  readonly #groups;

  constructor(collector: CoverageCollector, agent: PcieHostAgent, contexts: ContextTraffic) {
    this.contexts = contexts;
    this.#agent = agent;
    this.#statistics = agent.statistics;
    this.#maxPayload = agent.settings.maxPayload;
    this.#maxReadRequest = agent.settings.maxReadRequest;
    this.#tags = agent.settings.tags;
    this.#requestReader = this.#backlog.reader((at) => this.#workRequest(at));
    this.#answerReader = this.#backlog.reader((at) => this.#workAnswer(at));
    this.#barReader = this.#backlog.reader((at) => this.#workAccess(at));
    collector.beforeHits(() => {
      this.#backlog.work();
      this.#requests.flush((key, times) => this.#sampleRequests(key, times));
      this.#answers.flush((key, times) => {
        this.#answer.key = key;
        this.#groups.answer.sample(this.#answer, times);
      });
    });
    this.#groups = {
      dma: collector.create(dmaCg),
      target: collector.create(dmaTargetCg),
      reads: collector.create(readsCg),
      answer: collector.create(readAnswerCg),
      bar: collector.create(barCg),
      interrupt: collector.create(interruptCg),
      port: collector.create(pciePortCg),
    };
  }

  /** The port as it is set. */
  begin(): void {
    const { maxPayload, maxReadRequest, readCompletionBoundary, tags, splitChance, reorderChance } =
      this.#agent.settings;
    const p = new PortSample();
    p.maxPayload = maxPayload;
    p.maxReadRequest = maxReadRequest;
    p.boundary = readCompletionBoundary;
    p.tags = tags;
    p.splits = splitChance > 0;
    p.reorders = reorderChance > 0;
    this.#groups.port.sample(p);
  }

  areaOpened(area: AreaItem): void {
    this.#backlog.work();
    this.#pages.open(area);
  }

  areaClosed(area: AreaItem): void {
    this.#backlog.work();
    this.#pages.close(area);
  }

  /** A request of the NIC. */
  request({ kind, hi, lo, length, tag, interrupt }: Transaction): void {
    if (!interrupt && this.#pages.of(hi, lo) === TARGET.context) this.contexts.moved(kind === DIRECTION.read);
    const { outstanding, writes, arrived } = this.#statistics;
    const { words } = this.#backlog;
    const at = this.#backlog.note(REQUEST_WORDS);
    const reads = kind === DIRECTION.read;
    const behind = writes - arrived > (reads ? 0 : 1);
    const bits = (reads ? 0 : IS_WRITE) | (interrupt ? IS_INTERRUPT : 0) | (behind ? IS_BUSY : 0);
    const rest = outstanding < MOST_REST ? outstanding : MOST_REST;
    words[at] = this.#requestReader | bits | ((tag & (TAGS - 1)) << TAG_SHIFT) | (rest << REST_SHIFT);
    words[at + 1] = hi;
    words[at + 2] = lo;
    words[at + 3] = length;
  }

  /** A part of an answer. */
  answerPart({ tlp, lost }: CompletionItem): void {
    const { tag, remaining, status }: Transaction = tlp;
    const { words } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS);
    const bits = (remaining > 0 && !lost ? 0 : IS_LAST) | (lost ? IS_LOST : 0);
    words[at] = this.#answerReader | bits | ((tag & (TAGS - 1)) << TAG_SHIFT) | (status << REST_SHIFT);
  }

  barAccess({ kind, length, bar }: Transaction): void {
    const { words } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS);
    const bits = (kind === DIRECTION.read ? 0 : IS_WRITE) | (this.#statistics.isIdle ? 0 : IS_BUSY);
    words[at] = this.#barReader | bits | (bar << REST_SHIFT);
    words[at + 1] = length;
  }

  message({ offset }: MsixMessage): void {
    const i = this.#interrupt;
    i.vector = Math.floor(offset / VECTOR_BYTES);
    i.busy = !this.#statistics.isIdle;
    this.#groups.interrupt.sample(i);
  }

  #workRequest(at: number): number {
    const { words } = this.#backlog;
    const d = this.#dma;
    const first = words[at] as number;
    const lo = words[at + 2] as number;
    const length = (words[at + 3] as number) >>> 0;
    const outstanding = first >>> REST_SHIFT;
    const reads = (first & IS_WRITE) === 0;
    d.direction = reads ? DIRECTION.read : DIRECTION.write;
    d.target = (first & IS_INTERRUPT) !== 0 ? TARGET.interrupt : this.#pages.of(words[at + 1] as number, lo);
    d.length = dmaLength(length, reads ? this.#maxReadRequest : this.#maxPayload);
    d.address = (lo & 63) === 0 ? DMA_ADDRESS.line : (lo & 3) === 0 ? DMA_ADDRESS.dword : DMA_ADDRESS.odd;
    d.endsAtPage = (lo & 4095) + length === 4096;
    d.behindWrites = (first & IS_BUSY) !== 0;
    d.reads = reads ? dmaReads(outstanding) : 0;
    d.atTheLimit = reads && outstanding >= this.#tags;
    this.#requests.count(d.key);
    if (reads) this.#began((first >>> TAG_SHIFT) & (TAGS - 1));
    return at + REQUEST_WORDS;
  }

  #began(tag: number): void {
    this.#numbers[tag] = ++this.#reads;
    this.#parts[tag] = 0;
    this.#mixed[tag] = 0;
  }

  #workAnswer(at: number): number {
    const first = this.#backlog.words[at] as number;
    const tag = (first >>> TAG_SHIFT) & (TAGS - 1);
    const part = ++this.#allParts;
    const parts = (this.#parts[tag] as number) + 1;
    if (parts > 1 && this.#partAt[tag] !== part - 1) this.#mixed[tag] = 1;
    this.#parts[tag] = parts;
    this.#partAt[tag] = part;
    if ((first & IS_LAST) !== 0) {
      const a = this.#answer;
      const read = this.#numbers[tag] as number;
      a.parts = parts;
      a.interleaved = this.#mixed[tag] === 1;
      // What overtakes others is known when those are answered: they are older than the newest so far.
      a.overtakes = read < this.#newest;
      a.status = first >>> REST_SHIFT;
      a.lost = (first & IS_LOST) !== 0;
      if (read > this.#newest) this.#newest = read;
      this.#answers.count(a.key);
    }
    return at + NOTE_WORDS;
  }

  #workAccess(at: number): number {
    const { words } = this.#backlog;
    const first = words[at] as number;
    const b = this.#bar;
    b.direction = (first & IS_WRITE) === 0 ? DIRECTION.read : DIRECTION.write;
    b.length = words[at + 1] as number;
    b.bar = first >> REST_SHIFT;
    b.busy = (first & IS_BUSY) !== 0;
    this.#groups.bar.sample(b);
    return at + NOTE_WORDS;
  }

  #sampleRequests(key: number, times: number): void {
    const d = this.#dma;
    const { dma, target, reads } = this.#groups;
    d.key = key;
    dma.sample(d, times);
    target.sample(d, times);
    if (d.direction === DIRECTION.read) reads.sample(d, times);
  }
}
