/** Writes any scenario in its explicit form. */
import { ACCESS, QP_TYPE_NAME, SEND_FLAG, WR_OPCODE, WR_OPCODE_NAME } from '../../../rdma/verbs.ts';
import { AREA_NAMES, type AreaName, BRING_UP, onCard, type ScenarioSource } from '../scenario.ts';
import {
  ACCESS_NAMES,
  EXPLICIT_FLAGS,
  type ExplicitDoorbell,
  type ExplicitHost,
  type ExplicitOpcode,
  type ExplicitQp,
  type ExplicitRecv,
  type ExplicitRegion,
  type ExplicitScenario,
  type ExplicitSend,
  type ExplicitSge,
  SCENARIO_FORMAT,
} from './explicitScenario.ts';
import { RegionPlan } from '../regionPlan.ts';
import { type PlannedRequest, WorkPlan } from '../workPlan.ts';

/** Requests above which an explicit form is refused: it would be hundreds of megabytes of text. */
const MOST_EXPLICIT_REQUESTS = 200_000;

/** A scenario is too large to be written out. */
export class ScenarioTooLargeError extends Error {
  readonly requests: number;

  constructor(requests: number) {
    super(
      `the scenario has ${requests} requests; at most ${MOST_EXPLICIT_REQUESTS} are written out: ` +
        'lower the number of queue pairs or doorbells, or keep the compact form (parameters and seed)',
    );
    this.requests = requests;
  }
}

/** Whether one side of a queue pair of a host lies on the card. */
type OnCard = (host: number, qp: number, receive: boolean) => boolean;

/** The explicit form of a source. @param isOnCard default: nothing does @throws ScenarioTooLargeError */
export function explicitForm(
  source: ScenarioSource,
  parameters: Readonly<Record<string, string>> = {},
  isOnCard: OnCard = () => false,
): ExplicitScenario {
  const requests = source.requestCount();
  if (requests > MOST_EXPLICIT_REQUESTS) throw new ScenarioTooLargeError(requests);
  const { processes, doorbells } = source;
  const hosts = Array.from({ length: source.hosts }, (_, host) => new Dumper(source, host, isOnCard).host());
  return { format: SCENARIO_FORMAT, parameters, processes, doorbells, hosts };
}

/** The text of an explicit scenario: JSON, one region or request a line. */
export function scenarioText(scenario: ExplicitScenario): string {
  // Leaves are held back behind a private character, which JSON leaves as it is, and put in at the end.
  const lines: string[] = [];
  const marked = JSON.stringify(scenario, (_key, value: unknown) => (isLeaf(value) ? hold(lines, value) : value), 1);
  return `${marked.replace(/"\ue000(\d+)"/g, (_, n: string) => lines[Number(n)] as string)}\n`;
}

/** Regions, requests and queues are written on one line, everything around them indented. */
function isLeaf(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'sges' in value || 'area' in value || 'entries' in value;
}

function hold(lines: string[], value: unknown): string {
  lines.push(JSON.stringify(value).replace(/([,:])(?=["\d[{-])/g, '$1 '));
  return `\ue000${lines.length - 1}`;
}

/** Writes one host. */
class Dumper {
  readonly #source: ScenarioSource;
  readonly #host: number;
  readonly #isOnCard: OnCard;
  readonly #work: WorkPlan;
  readonly #regions = new RegionPlan();
  /** Start of each known region of a queue pair, by number. */
  readonly #starts = new Map<number, number>();

  constructor(source: ScenarioSource, host: number, isOnCard: OnCard) {
    this.#source = source;
    this.#isOnCard = isOnCard;
    this.#host = host;
    this.#work = new WorkPlan(source.maxRequests, source.maxSge);
  }

  host(): ExplicitHost {
    const source = this.#source;
    const cqs = Array.from({ length: source.cqCount(this.#host) }, (_, i) => source.cq(this.#host, i));
    const qps = Array.from({ length: source.qpCount(this.#host) }, (_, i) => this.#qp(i));
    return { cqs: cqs.map(({ process, entries }) => ({ process, entries })), qps };
  }

  #qp(index: number): ExplicitQp {
    const plan = this.#source.qp(this.#host, index);
    this.#starts.clear();
    const regions = this.#regionList(index, BRING_UP);
    const doorbells = Array.from({ length: this.#source.doorbells }, (_, d) => this.#doorbell(index, d));
    const { process, sendCq, recvCq, psn, mtu, maxSendWr, maxRecvWr, maxSge, maxInline, signalAll } = plan;
    const more = { ...(maxInline > 0 ? { maxInline } : {}), ...(signalAll ? {} : { signalAll }) };
    const limits = { maxSendWr, maxRecvWr, maxSge, ...more };
    const type = QP_TYPE_NAME[plan.type] as ExplicitQp['type'];
    return { type, process, sendCq, recvCq, peer: plan.peer ?? null, psn, mtu, ...limits, regions, doorbells };
  }

  /** Numbers are used again at each doorbell, ids are not: a doorbell's ids begin where the last one's ended. */
  #doorbell(qp: number, doorbell: number): ExplicitDoorbell {
    const regions = this.#regionList(qp, doorbell);
    this.#source.sends(this.#host, qp, doorbell, this.#work);
    const sends = this.#each((k) => this.#send(qp, doorbell, k));
    this.#source.recvs(this.#host, qp, doorbell, this.#work);
    const recvs: ExplicitRecv[] = this.#each((k) => ({ sges: this.#sges(doorbell, k) }));
    return { regions, sends, recvs };
  }

  #each<T>(make: (k: number) => T): T[] {
    return Array.from({ length: this.#work.count }, (_, k) => make(k));
  }

  #regionList(qp: number, doorbell: number): ExplicitRegion[] {
    const plan = this.#regions;
    this.#source.regions(this.#host, qp, doorbell, plan);
    return Array.from({ length: plan.count }, (_, i) => {
      const id = this.#id(plan.number[i] as number, doorbell);
      const offset = plan.offset[i] as number;
      this.#starts.set(id, offset);
      const access = ACCESS_NAMES.filter((name) => ((plan.access[i] as number) & ACCESS[name]) !== 0);
      const half = AREA_NAMES[plan.area[i] as number] as AreaName;
      const area = this.#isOnCard(this.#host, qp, half === 'receive') ? onCard(half) : half;
      return { id, area, offset, length: plan.length[i] as number, access };
    });
  }

  #send(qp: number, doorbell: number, k: number): ExplicitSend {
    const request = this.#work.at(k);
    const opcode = WR_OPCODE_NAME[request.opcode] as ExplicitOpcode;
    const { flags } = request;
    const peer = this.#source.qp(this.#host, qp).peer;
    return {
      opcode,
      ...(opcode.endsWith('_IMM') ? { imm: request.imm } : {}),
      ...Object.fromEntries(
        EXPLICIT_FLAGS.filter((name) => (flags & SEND_FLAG[name]) !== 0).map((name) => [name, true]),
      ),
      ...(request.signaled ? {} : { unsignaled: true }),
      sges: this.#sges(doorbell, k),
      ...(/^(RDMA|ATOMIC)/.test(opcode) && peer !== undefined
        ? { remote: this.#remote(peer.host, peer.qp, doorbell, k) }
        : {}),
      ...operandsOf(request),
    };
  }

  #sges(doorbell: number, k: number): ExplicitSge[] {
    const { entries, numSge } = this.#work.at(k);
    return entries.slice(0, numSge).map((entry) => {
      const region = this.#id(entry.region, doorbell);
      return { region, at: entry.offset - (this.#starts.get(region) ?? 0), length: entry.length };
    });
  }

  #remote(host: number, qp: number, doorbell: number, k: number): NonNullable<ExplicitSend['remote']> {
    const { remoteRegion: number, remoteOffset, remoteQp } = this.#work.at(k);
    const region = this.#id(number, doorbell);
    const start = regionStart(this.#source, host, remoteQp < 0 ? qp : remoteQp, doorbell, number);
    return { region, at: remoteOffset - start, ...(remoteQp < 0 ? {} : { qp: remoteQp }) };
  }

  #id(number: number, doorbell: number): number {
    return explicitId(this.#source, number, doorbell);
  }
}

function operandsOf({ opcode, compareHi, compareLo, swapHi, swapLo }: PlannedRequest): Partial<ExplicitSend> {
  if (opcode === WR_OPCODE.atomicFetchAndAdd) return { add: hexWord(compareHi, compareLo) };
  if (opcode !== WR_OPCODE.atomicCmpAndSwp) return {};
  return { compare: hexWord(compareHi, compareLo), swap: hexWord(swapHi, swapLo) };
}

function hexWord(hi: number, lo: number): string {
  return `0x${((BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0)).toString(16)}`;
}

/** Regions that outlive a doorbell keep their number; the others are told apart by doorbell. */
function explicitId(source: ScenarioSource, number: number, doorbell: number): number {
  return doorbell === BRING_UP || source.lastingRegions > number ? number : number + doorbell * source.regionNumbers;
}

/** Start of a region of any queue pair: one of this doorbell, or one that was registered before and is kept. */
function regionStart(source: ScenarioSource, host: number, qp: number, doorbell: number, number: number): number {
  const plan = new RegionPlan();
  const first = source.lastingRegions > number ? BRING_UP : doorbell;
  for (let d = doorbell; d >= first; d--) {
    source.regions(host, qp, d, plan);
    for (let i = 0; i < plan.count; i++) if (plan.number[i] === number) return plan.offset[i] as number;
  }
  return 0;
}
