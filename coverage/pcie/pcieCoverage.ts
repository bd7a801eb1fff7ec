/** Samples the covergroups of the PCIe port of one host. */

import type { PcieHostAgent } from '../../agents/pcie/pcieHostAgent.ts';
import type { CompletionItem, MsixMessage } from '../../agents/pcie/pcieItems.ts';
import type { PcieStatistics } from '../../agents/pcie/pcieStatistics.ts';
import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { Tally } from '../../uvm/coverage/tally.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { AreaPages } from './areaPages.ts';
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
  readonly firstBe: number;
  readonly lastBe: number;
  readonly tag: number;
  readonly interrupt: boolean;
  readonly status: number;
  readonly remaining: number;
}

const TAGS = 1024;
/** Bytes of an entry of the MSI-X table. */
const VECTOR_BYTES = 16;

export class PcieCoverage implements VerbsObserver {
  readonly #agent: PcieHostAgent;
  readonly #statistics: PcieStatistics;
  readonly #pages = new AreaPages();
  readonly #maxPayload: number = 0;
  readonly #maxReadRequest: number = 0;
  readonly #tags: number = 0;
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

  constructor(collector: CoverageCollector, agent: PcieHostAgent) {
    this.#agent = agent;
    this.#statistics = agent.statistics;
    this.#maxPayload = agent.settings.maxPayload;
    this.#maxReadRequest = agent.settings.maxReadRequest;
    this.#tags = agent.settings.tags;
    collector.beforeHits(() => {
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
    this.#pages.open(area);
  }

  areaClosed(area: AreaItem): void {
    this.#pages.close(area);
  }

  /** A request of the NIC. */
  request(t: Transaction): void {
    const d = this.#dma;
    const { kind, lo, length } = t;
    const { outstanding, writes, arrived } = this.#statistics;
    const reads = kind === DIRECTION.read;
    d.direction = kind;
    d.target = t.interrupt ? TARGET.interrupt : this.#pages.of(t.hi, lo);
    d.length = dmaLength(length, reads ? this.#maxReadRequest : this.#maxPayload);
    d.address = (lo & 63) === 0 ? DMA_ADDRESS.line : (lo & 3) === 0 ? DMA_ADDRESS.dword : DMA_ADDRESS.odd;
    d.endsAtPage = (lo & 4095) + length === 4096;
    d.behindWrites = writes - arrived > (reads ? 0 : 1);
    d.reads = reads ? dmaReads(outstanding) : 0;
    d.atTheLimit = reads && outstanding >= this.#tags;
    this.#requests.count(d.key);
    if (!reads) return;
    const tag = t.tag & (TAGS - 1);
    this.#numbers[tag] = ++this.#reads;
    this.#parts[tag] = 0;
    this.#mixed[tag] = 0;
  }

  #sampleRequests(key: number, times: number): void {
    const d = this.#dma;
    const { dma, target, reads } = this.#groups;
    d.key = key;
    dma.sample(d, times);
    target.sample(d, times);
    if (d.direction === DIRECTION.read) reads.sample(d, times);
  }

  /** A part of an answer. */
  answerPart({ tlp, lost }: CompletionItem): void {
    const { tag: number, remaining, status }: Transaction = tlp;
    const tag = number & (TAGS - 1);
    const part = ++this.#allParts;
    const parts = (this.#parts[tag] as number) + 1;
    if (parts > 1 && this.#partAt[tag] !== part - 1) this.#mixed[tag] = 1;
    this.#parts[tag] = parts;
    this.#partAt[tag] = part;
    if (remaining > 0 && !lost) return;
    const a = this.#answer;
    const read = this.#numbers[tag] as number;
    a.parts = parts;
    a.interleaved = this.#mixed[tag] === 1;
    // What overtakes others is known when those are answered: they are older than the newest so far.
    a.overtakes = read < this.#newest;
    a.status = status;
    a.lost = lost;
    if (read > this.#newest) this.#newest = read;
    this.#answers.count(a.key);
  }

  barAccess(t: Transaction): void {
    const b = this.#bar;
    b.direction = t.kind;
    b.length = t.length;
    b.bar = t.bar;
    b.busy = !this.#statistics.isIdle;
    this.#groups.bar.sample(b);
  }

  message({ offset }: MsixMessage): void {
    const i = this.#interrupt;
    i.vector = Math.floor(offset / VECTOR_BYTES);
    i.busy = !this.#statistics.isIdle;
    this.#groups.interrupt.sample(i);
  }
}
