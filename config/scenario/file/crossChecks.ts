/**
 * What a schema cannot say of an explicit scenario: references between its parts, ranges, lengths, who may do what.
 *
 * An error is what cannot be played, and what a NIC would wrongly be blamed for. A scenario may be wrong on purpose
 * where the scoreboard predicts what a correct NIC answers: RDMA requests of RC whose remote range leaves its region,
 * or whose region lacks the right, are to end with REM_ACCESS_ERR.
 */
import { GRH_BYTES, MAX_MESSAGE } from '../../../rdma/verbs.ts';
import { AREA_BYTES, BRING_UP } from '../scenario.ts';
import { allRegions } from './explicitSource.ts';
import type { ExplicitQp, ExplicitRegion, ExplicitScenario, ExplicitSend, ExplicitSge } from './explicitScenario.ts';
import { checkSurroundings } from './surroundings.ts';

/** Where something is in the data. */
export type Path = readonly (string | number)[];

/** A mistake and its place. */
export interface Found {
  readonly path: Path;
  readonly message: string;
}

/** Everything wrong with a scenario that has the right shape. */
export function crossChecks(scenario: ExplicitScenario): Found[] {
  const found: Found[] = checkSurroundings(scenario.parameters);
  scenario.hosts.forEach((host, h) => {
    const load = cqLoad(scenario, h);
    host.cqs.forEach((cq, c) => {
      const path = ['hosts', h, 'cqs', c];
      if (cq.process > scenario.processes)
        found.push({ path: [...path, 'process'], message: noProcess(cq.process, scenario) });
      const most = load[c] as number;
      if (most > cq.entries)
        found.push({
          path: [...path, 'entries'],
          message: `${cq.entries}, but a doorbell brings up to ${most} completions`,
        });
    });
    host.qps.forEach((qp, q) => {
      found.push(...new QpChecker(scenario, h, q, qp).check());
    });
  });
  return found;
}

/** The most completions that any doorbell brings to each completion queue of a host. */
function cqLoad(scenario: ExplicitScenario, host: number): number[] {
  const { cqs, qps } = scenario.hosts[host] as ExplicitScenario['hosts'][number];
  const load = cqs.map(() => 0);
  for (let d = 0; d < scenario.doorbells; d++) {
    const now = cqs.map(() => 0);
    for (const { sendCq, recvCq, doorbells } of qps) {
      now[sendCq] = (now[sendCq] ?? 0) + (doorbells[d]?.sends.length ?? 0);
      now[recvCq] = (now[recvCq] ?? 0) + (doorbells[d]?.recvs.length ?? 0);
    }
    for (let c = 0; c < load.length; c++) load[c] = Math.max(load[c] as number, now[c] as number);
  }
  return load;
}

/** A region, and the doorbell with which it is registered. */
interface KnownRegion {
  readonly region: ExplicitRegion;
  readonly since: number;
}

class QpChecker {
  readonly #scenario: ExplicitScenario;
  readonly #host: number;
  readonly #index: number;
  readonly #qp: ExplicitQp;
  readonly #at: Path;
  readonly #found: Found[] = [];
  readonly #regions = new Map<number, KnownRegion>();

  constructor(scenario: ExplicitScenario, host: number, index: number, qp: ExplicitQp) {
    this.#scenario = scenario;
    this.#host = host;
    this.#index = index;
    this.#qp = qp;
    this.#at = ['hosts', host, 'qps', index];
    for (const region of qp.regions) this.#regions.set(region.id, { region, since: BRING_UP });
    for (const [since, bell] of qp.doorbells.entries())
      for (const region of bell.regions) this.#regions.set(region.id, { region, since });
  }

  check(): Found[] {
    const qp = this.#qp;
    const cqs = this.#scenario.hosts[this.#host]?.cqs.length ?? 0;
    if (qp.process > this.#scenario.processes) this.#say(['process'], noProcess(qp.process, this.#scenario));
    for (const name of ['sendCq', 'recvCq'] as const) {
      const cq = this.#scenario.hosts[this.#host]?.cqs[qp[name]];
      if (cq === undefined) this.#say([name], `there is no completion queue ${qp[name]}; ${indices('cqs', cqs)}`);
      else if (cq.process !== qp.process)
        this.#say([name], `completion queue ${qp[name]} is of process ${cq.process}, the queue pair of ${qp.process}`);
    }
    this.#checkRegions(['regions'], qp.regions);
    this.#checkIds();
    const peer = this.#checkPeer();
    const bells = qp.doorbells.length;
    if (bells > this.#scenario.doorbells)
      this.#say(['doorbells'], `${bells} of them, but the scenario has ${this.#scenario.doorbells}`);
    qp.doorbells.forEach((bell, d) => {
      if (bell.sends.length > qp.maxSendWr)
        this.#say(['doorbells', d, 'sends'], `${bell.sends.length} of them, more than maxSendWr ${qp.maxSendWr}`);
      if (bell.recvs.length > qp.maxRecvWr)
        this.#say(['doorbells', d, 'recvs'], `${bell.recvs.length} of them, more than maxRecvWr ${qp.maxRecvWr}`);
      this.#checkRegions(['doorbells', d, 'regions'], bell.regions);
      for (const [k, send] of bell.sends.entries()) this.#checkSend(send, d, ['doorbells', d, 'sends', k], peer);
      for (const [k, recv] of bell.recvs.entries()) this.#checkRecv(recv.sges, d, ['doorbells', d, 'recvs', k]);
      this.#checkMessages(d, peer);
    });
    return this.#found;
  }

  #checkIds(): void {
    const seen = new Set<number>();
    const visit = (path: Path, regions: readonly ExplicitRegion[]): void => {
      for (const [i, { id }] of regions.entries()) {
        if (seen.has(id)) this.#say([...path, i, 'id'], `another region of this queue pair has the id ${id} already`);
        seen.add(id);
      }
    };
    visit(['regions'], this.#qp.regions);
    for (const [d, bell] of this.#qp.doorbells.entries()) visit(['doorbells', d, 'regions'], bell.regions);
  }

  #checkPeer(): ExplicitQp | undefined {
    const { peer } = this.#qp;
    if (peer === null) return undefined;
    const { hosts } = this.#scenario;
    const other = hosts[peer.host]?.qps[peer.qp];
    if (hosts[peer.host] === undefined)
      this.#say(['peer', 'host'], `there is no host ${peer.host}; ${indices('hosts', hosts.length)}`);
    else if (other === undefined) {
      const legal = indices('qps', (hosts[peer.host] as ExplicitScenario['hosts'][number]).qps.length);
      this.#say(['peer', 'qp'], `there is no queue pair ${peer.qp} on host ${peer.host}; ${legal}`);
    } else if (other.type !== this.#qp.type)
      this.#say(['peer'], `${this.#qp.type} cannot be joined with ${other.type}`);
    else if (other.peer?.host !== this.#host || other.peer.qp !== this.#index)
      this.#say(['peer'], `host ${peer.host} queue pair ${peer.qp} names another one as its peer`);
    else if (peer.host === this.#host)
      this.#say(['peer'], `it is on host ${peer.host} too; queue pairs are joined with those of another host`);
    else if (this.#qp.type !== 'UD' && other.mtu !== this.#qp.mtu)
      this.#say(['mtu'], `${this.#qp.mtu}, but the peer has ${other.mtu}; both ends need the same`);
    else return other;
    return undefined;
  }

  #checkRegions(path: Path, regions: readonly ExplicitRegion[]): void {
    for (const [i, { offset, length, access }] of regions.entries()) {
      if (offset + length > AREA_BYTES)
        this.#say([...path, i, 'length'], `${length} bytes from ${offset} leave the area of ${AREA_BYTES} bytes`);
      const remote = access.find((name) => name === 'remoteWrite' || name === 'remoteAtomic');
      if (remote !== undefined && !access.includes('localWrite'))
        this.#say([...path, i, 'access'], `${remote} needs localWrite as well`);
    }
  }

  #checkSend(send: ExplicitSend, doorbell: number, path: Path, peer: ExplicitQp | undefined): void {
    const { type } = this.#qp;
    this.#checkSges(send.sges, doorbell, path, writerOf(send));
    const atomic = send.opcode.startsWith('ATOMIC');
    const rdma = atomic || send.opcode.startsWith('RDMA');
    this.#checkOperands(send, path);
    if (this.#qp.peer === null) this.#say(path, 'a queue pair without a peer cannot send');
    if ((type === 'UD' && rdma) || (type === 'UC' && (atomic || send.opcode === 'RDMA_READ')))
      this.#say([...path, 'opcode'], `${type} has no ${send.opcode}`);
    if (rdma !== (send.remote !== undefined))
      this.#say(path, rdma ? 'it needs "remote"' : `${send.opcode} has no "remote"`);
    if (send.opcode.endsWith('_IMM') !== (send.imm !== undefined))
      this.#say(path, `"imm" goes with the opcodes that end in _IMM`);
    const total = lengthOf(send.sges);
    const most = type === 'UD' ? this.#qp.mtu : MAX_MESSAGE;
    if (total > most) this.#say(path, `the message has ${total} bytes; allowed 0..${most}`);
    if (send.inline === true) this.#checkInline(send, total, path);
    if (send.unsignaled === true) this.#checkUnsignaled(doorbell, path);
    if (peer !== undefined) this.#checkRemote(send, total, path, peer);
  }

  #checkInline({ opcode }: ExplicitSend, total: number, path: Path): void {
    const { maxInline = 0 } = this.#qp;
    if (opcode === 'RDMA_READ' || opcode.startsWith('ATOMIC'))
      this.#say([...path, 'inline'], `${opcode} has no data to be inline`);
    else if (total > maxInline)
      this.#say([...path, 'inline'], `${total} bytes, more than maxInline ${maxInline} of the queue pair`);
  }

  /** What is done is known by a completion behind it. */
  #checkUnsignaled(doorbell: number, path: Path): void {
    if (this.#qp.signalAll !== false)
      this.#say([...path, 'unsignaled'], 'every request of this queue pair completes; give it "signalAll": false');
    if (this.#qp.doorbells[doorbell]?.sends.length === Number(path.at(-1)) + 1)
      this.#say([...path, 'unsignaled'], 'the last request of a doorbell must ask for a completion');
  }

  #checkOperands(send: ExplicitSend, path: Path): void {
    const needed = OPERANDS[send.opcode] ?? [];
    for (const name of ['compare', 'add', 'swap'] as const) {
      const has = send[name] !== undefined;
      if (has !== needed.includes(name))
        this.#say(path, `${send.opcode} ${has ? 'has no' : 'needs'} "${name}", 0x and up to 16 hexadecimal digits`);
    }
  }

  #checkRemote({ opcode, remote }: ExplicitSend, total: number, path: Path, joined: ExplicitQp): void {
    if (remote === undefined) return;
    const peer = this.#owner(remote.qp, joined);
    if (peer === undefined) {
      this.#say([...path, 'remote', 'qp'], `${remote.qp} is no queue pair of the peer's host and process`);
      return;
    }
    const region = allRegions(peer).find((r) => r.id === remote.region);
    if (region === undefined)
      this.#say([...path, 'remote', 'region'], `the peer has no region ${remote.region}; ${ids(allRegions(peer))}`);
    else if (remote.at + region.offset < 0 || remote.at + region.offset >= AREA_BYTES) {
      const range = `${-region.offset}..${AREA_BYTES - 1 - region.offset}`;
      this.#say([...path, 'remote', 'at'], `${remote.at} is outside the area; allowed ${range}`);
    }
    if (region === undefined || this.#qp.type === 'RC' || total === 0) return;
    // Only RC has an answer that says no.
    if (remote.at < 0 || remote.at + total > region.length)
      this.#say([...path, 'remote', 'at'], `${outside(remote.at, total, region)}; UC has no answer for that, use RC`);
    if (!region.access.includes('remoteWrite'))
      this.#say([...path, 'remote', 'region'], `${opcode} needs remoteWrite there; UC has no answer for that, use RC`);
  }

  /** The queue pair whose memory a request works on: the peer, or another one of its process. */
  #owner(qp: number | undefined, peer: ExplicitQp): ExplicitQp | undefined {
    if (qp === undefined) return peer;
    const other = this.#scenario.hosts[this.#qp.peer?.host ?? 0]?.qps[qp];
    return other?.process === peer.process ? other : undefined;
  }

  #checkRecv(sges: readonly ExplicitSge[], doorbell: number, path: Path): void {
    this.#checkSges(sges, doorbell, path, 'a receive');
    const total = lengthOf(sges);
    if (this.#qp.type === 'UD' && total < GRH_BYTES)
      this.#say(path, `a UD receive needs ${GRH_BYTES} bytes for the GRH first`);
  }

  /** @param writer who writes into the entries; empty if they are only read */
  #checkSges(sges: readonly ExplicitSge[], doorbell: number, path: Path, writer: string): void {
    if (sges.length > this.#qp.maxSge)
      this.#say([...path, 'sges'], `${sges.length} entries, more than maxSge ${this.#qp.maxSge}`);
    for (const [g, sge] of sges.entries()) {
      const at = [...path, 'sges', g];
      const known = this.#regions.get(sge.region);
      if (known === undefined)
        this.#say([...at, 'region'], `this queue pair has no region ${sge.region}; ${ids(allRegions(this.#qp))}`);
      else if (sge.length > 0) this.#checkSge(sge, known, doorbell, at, writer);
    }
  }

  #checkSge(sge: ExplicitSge, { region, since }: KnownRegion, doorbell: number, at: Path, writer: string): void {
    if (since > doorbell)
      this.#say([...at, 'region'], `region ${sge.region} is registered later, with doorbell ${since}`);
    if (sge.at < 0 || sge.at + sge.length > region.length)
      this.#say([...at, sge.at < 0 ? 'at' : 'length'], outside(sge.at, sge.length, region));
    if (writer !== '' && !region.access.includes('localWrite'))
      this.#say([...at, 'region'], `${writer} needs localWrite; region ${sge.region} has ${accessText(region)}`);
  }

  /** Every message needs a receive, or the run waits for ever; and one that is long enough. */
  #checkMessages(doorbell: number, peer: ExplicitQp | undefined): void {
    // What a peer that is wrong would send is not known.
    if (peer === undefined && this.#qp.peer !== null) return;
    const sends = peer?.doorbells[doorbell]?.sends ?? [];
    const taken = sends.filter((s) => s.opcode.startsWith('SEND') || s.opcode === 'RDMA_WRITE_WITH_IMM');
    const recvs = this.#qp.doorbells[doorbell]?.recvs ?? [];
    if (taken.length !== recvs.length) {
      const message = `${recvs.length} of them, but the peer's requests of this doorbell take ${taken.length}`;
      this.#say(['doorbells', doorbell, 'recvs'], message);
      return;
    }
    const header = this.#qp.type === 'UD' ? GRH_BYTES : 0;
    for (const [k, recv] of recvs.entries()) {
      const send = taken[k] as ExplicitSend;
      const need = send.opcode.startsWith('SEND') ? lengthOf(send.sges) + header : 0;
      const room = lengthOf(recv.sges);
      if (room < need)
        this.#say(['doorbells', doorbell, 'recvs', k], `${room} bytes, but the message that it takes needs ${need}`);
    }
  }

  #say(path: Path, message: string): void {
    this.#found.push({ path: [...this.#at, ...path], message });
  }
}

function noProcess(process: number, { processes }: ExplicitScenario): string {
  return `${process} is out of range; allowed 1..${processes}, by "processes"`;
}

/** Who writes into the entries of a request; empty where they are only read. */
function writerOf({ opcode }: ExplicitSend): string {
  if (opcode === 'RDMA_READ') return 'a READ';
  return opcode.startsWith('ATOMIC') ? 'an atomic' : '';
}

/** Operands of the operations that have some. */
const OPERANDS: Readonly<Partial<Record<ExplicitSend['opcode'], readonly ('compare' | 'add' | 'swap')[]>>> = {
  ATOMIC_CMP_AND_SWP: ['compare', 'swap'],
  ATOMIC_FETCH_AND_ADD: ['add'],
};

/** What may be named of a list. */
function indices(list: string, count: number): string {
  return count === 0 ? `"${list}" is empty` : `allowed 0..${count - 1}, by "${list}"`;
}

/** Names that are listed before the rest is counted. */
const NAMED = 8;

function ids(regions: readonly ExplicitRegion[]): string {
  if (regions.length === 0) return 'there are none';
  const named = regions.slice(0, NAMED).map((r) => r.id);
  const more = regions.length - named.length;
  return `allowed: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function lengthOf(sges: readonly ExplicitSge[]): number {
  return sges.reduce((sum, s) => sum + s.length, 0);
}

function outside(at: number, length: number, region: ExplicitRegion): string {
  return `bytes ${at}..${at + length - 1} are outside region ${region.id}, which has 0..${region.length - 1}`;
}

function accessText(region: ExplicitRegion): string {
  return region.access.length === 0 ? 'local read only' : region.access.join(', ');
}
