/** Reads an explicit scenario and says, with line and column, what is wrong with it. */
import { createRequire } from 'node:module';
import { GRH_BYTES, MAX_MESSAGE } from '../../rdma/verbs.ts';
import type { ExplicitQp, ExplicitScenario, ExplicitSend, ExplicitSge } from './explicitScenario.ts';
import { allRegions } from './explicitSource.ts';
import { scenarioSchema } from './scenarioSchema.ts';

/** Problems that a message spells out; `problems` has all. */
const MOST_LINES = 25;

type Path = readonly (string | number)[];

/** One mistake in a file. */
export interface ScenarioProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  /** Where in the data, for example `hosts[0].qps[2].psn`. */
  readonly path: string;
  readonly message: string;
}

/** A scenario file cannot be played. The message lists every problem as `file:line:column: path: what`. */
export class ScenarioFileError extends Error {
  readonly file: string;
  readonly problems: readonly ScenarioProblem[];

  constructor(file: string, problems: readonly ScenarioProblem[]) {
    const lines = problems
      .slice(0, MOST_LINES)
      .map((p) => `${file}:${p.line}:${p.column}: ${p.path === '' ? '' : `${p.path}: `}${p.message}`);
    if (problems.length > MOST_LINES) lines.push(`and ${problems.length - MOST_LINES} more`);
    super(lines.join('\n'));
    this.file = file;
    this.problems = problems;
  }
}

/**
 * Parses and checks the text of a scenario file.
 * @param file its name, for messages
 * @throws ScenarioFileError with all problems found
 */
export function parseScenario(text: string, file: string): ExplicitScenario {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new ScenarioFileError(file, syntaxProblems(text));
  }
  const parsed = scenarioSchema().safeParse(data);
  const found = parsed.success
    ? crossChecks(parsed.data)
    : parsed.error.issues.map((i) => ({ path: i.path as Path, message: i.message }));
  if (found.length > 0 || !parsed.success) throw new ScenarioFileError(file, located(text, found));
  return parsed.data;
}

interface Found {
  readonly path: Path;
  readonly message: string;
}

/** What a schema cannot say: references between parts, lengths, who may do what. */
function crossChecks(scenario: ExplicitScenario): Found[] {
  const found: Found[] = [];
  scenario.hosts.forEach((host, h) => {
    host.cqs.forEach((cq, c) => {
      if (cq.process <= scenario.processes) return;
      found.push({
        path: ['hosts', h, 'cqs', c, 'process'],
        message: `there are only ${scenario.processes} processes`,
      });
    });
    host.qps.forEach((qp, q) => {
      found.push(...new QpChecker(scenario, h, q, qp).check());
    });
  });
  return found;
}

class QpChecker {
  readonly #scenario: ExplicitScenario;
  readonly #host: number;
  readonly #index: number;
  readonly #qp: ExplicitQp;
  readonly #at: Path;
  readonly #found: Found[] = [];
  readonly #regions: ReadonlySet<number>;

  constructor(scenario: ExplicitScenario, host: number, index: number, qp: ExplicitQp) {
    this.#scenario = scenario;
    this.#host = host;
    this.#index = index;
    this.#qp = qp;
    this.#at = ['hosts', host, 'qps', index];
    this.#regions = new Set(allRegions(qp).map((r) => r.id));
  }

  check(): Found[] {
    const qp = this.#qp;
    const cqs = this.#scenario.hosts[this.#host]?.cqs.length ?? 0;
    if (qp.process > this.#scenario.processes)
      this.#say(['process'], `there are only ${this.#scenario.processes} processes`);
    for (const name of ['sendCq', 'recvCq'] as const) {
      if (qp[name] >= cqs) this.#say([name], `host ${this.#host} has completion queues 0..${cqs - 1}`);
    }
    if (this.#regions.size < allRegions(qp).length)
      this.#say(['regions'], 'two regions of this queue pair have the same id');
    const peer = this.#checkPeer();
    const bells = qp.doorbells.length;
    if (bells > this.#scenario.doorbells)
      this.#say(['doorbells'], `${bells} of them, but the scenario has ${this.#scenario.doorbells}`);
    qp.doorbells.forEach((bell, d) => {
      if (bell.sends.length > qp.maxSendWr) this.#say(['doorbells', d, 'sends'], `more than maxSendWr ${qp.maxSendWr}`);
      if (bell.recvs.length > qp.maxRecvWr) this.#say(['doorbells', d, 'recvs'], `more than maxRecvWr ${qp.maxRecvWr}`);
      for (const [k, send] of bell.sends.entries()) this.#checkSend(send, ['doorbells', d, 'sends', k], peer);
      for (const [k, recv] of bell.recvs.entries()) this.#checkRecv(recv.sges, ['doorbells', d, 'recvs', k]);
      this.#checkCounts(d, peer);
    });
    return this.#found;
  }

  #checkPeer(): ExplicitQp | undefined {
    const { peer } = this.#qp;
    if (peer === null) return undefined;
    const other = this.#scenario.hosts[peer.host]?.qps[peer.qp];
    if (other === undefined) this.#say(['peer'], `there is no queue pair ${peer.qp} on host ${peer.host}`);
    else if (other.type !== this.#qp.type) this.#say(['peer'], `${this.#qp.type} cannot be joined with ${other.type}`);
    else if (other.peer?.host !== this.#host || other.peer.qp !== this.#index)
      this.#say(['peer'], 'the peer names another one as its peer');
    else return other;
    return undefined;
  }

  #checkSend(send: ExplicitSend, path: Path, peer: ExplicitQp | undefined): void {
    const { type } = this.#qp;
    this.#checkSges(send.sges, path);
    const rdma = send.opcode.startsWith('RDMA');
    if (peer === undefined) this.#say(path, 'a queue pair without a peer cannot send');
    if ((type === 'UD' && rdma) || (type === 'UC' && send.opcode === 'RDMA_READ'))
      this.#say([...path, 'opcode'], `${type} has no ${send.opcode}`);
    if (rdma !== (send.remote !== undefined))
      this.#say(path, rdma ? 'it needs "remote"' : `${send.opcode} has no "remote"`);
    if (send.opcode.endsWith('_IMM') !== (send.imm !== undefined))
      this.#say(path, `"imm" goes with the opcodes that end in _IMM`);
    const total = send.sges.reduce((sum, s) => sum + s.length, 0);
    const most = type === 'UD' ? this.#qp.mtu : MAX_MESSAGE;
    if (total > most) this.#say(path, `the message has ${total} bytes; allowed 0..${most}`);
    const { remote } = send;
    if (remote !== undefined && peer !== undefined && !allRegions(peer).some((r) => r.id === remote.region)) {
      this.#say([...path, 'remote', 'region'], `the peer has no region ${remote.region}`);
    }
  }

  #checkRecv(sges: readonly ExplicitSge[], path: Path): void {
    this.#checkSges(sges, path);
    const total = sges.reduce((sum, s) => sum + s.length, 0);
    if (this.#qp.type === 'UD' && total < GRH_BYTES)
      this.#say(path, `a UD receive needs ${GRH_BYTES} bytes for the GRH first`);
  }

  #checkSges(sges: readonly ExplicitSge[], path: Path): void {
    if (sges.length > this.#qp.maxSge)
      this.#say([...path, 'sges'], `${sges.length} entries, more than maxSge ${this.#qp.maxSge}`);
    sges.forEach((sge, g) => {
      if (!this.#regions.has(sge.region))
        this.#say([...path, 'sges', g, 'region'], `this queue pair has no region ${sge.region}`);
    });
  }

  /** Every message needs a receive, or the run waits for ever. */
  #checkCounts(doorbell: number, peer: ExplicitQp | undefined): void {
    const sends = peer?.doorbells[doorbell]?.sends ?? [];
    const taken = sends.filter((s) => s.opcode.startsWith('SEND') || s.opcode === 'RDMA_WRITE_WITH_IMM').length;
    const posted = this.#qp.doorbells[doorbell]?.recvs.length ?? 0;
    if (taken === posted) return;
    this.#say(
      ['doorbells', doorbell, 'recvs'],
      `${posted} of them, but the peer's requests of this doorbell take ${taken}`,
    );
  }

  #say(path: Path, message: string): void {
    this.#found.push({ path: [...this.#at, ...path], message });
  }
}

/** Finds the places in the text. Only needed when something is wrong, so the position-keeping parser is loaded then. */
function located(text: string, found: readonly Found[]): ScenarioProblem[] {
  const { LineCounter, parseDocument, isNode } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return found.map(({ path, message }) => {
    let node: unknown;
    for (let depth = path.length; depth >= 0 && !isNode(node); depth--)
      node = document.getIn(path.slice(0, depth), true);
    const { line, col } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0);
    return { line, column: col, path: pathText(path), message };
  });
}

function syntaxProblems(text: string): ScenarioProblem[] {
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new LineCounter();
  const [error] = parseDocument(text, { lineCounter: lines }).errors;
  const { line, col } = lines.linePos(error?.pos[0] ?? 0);
  return [
    { line, column: col, path: '', message: `this is not JSON: ${error?.message.split('\n')[0] ?? 'see JSON.org'}` },
  ];
}

function pathText(path: Path): string {
  return path.map((p, i) => (typeof p === 'number' ? `[${p}]` : i === 0 ? p : `.${p}`)).join('');
}
