/** What the names of a scenario stand for while it is played, and how its memory and requests become those of the host API. */

import { operandsOf, setOperands } from '../../config/scenario/atomicOperands.ts';
import { type KeyChange, RecvWr, SendWr, type Sge } from '../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import { withTag } from '../../env/verbs/mkeys/keyTags.ts';
import type { Ah, Cq, FastMr, Mr, Mw, Pd, Qp, Srq } from '../../env/verbs/verbsObjects.ts';
import { ACCESS, QP_TYPE, SEND_FLAG, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import { carried } from '../../uvm/bytes/words.ts';
import type { LinkFault } from '../host/faults/linkFaults.ts';
import { onCard } from '../../config/scenario/scenario.ts';
import type {
  CallChange,
  CallKey,
  CallMemory,
  CallPlace,
  CallRecv,
  CallSend,
  CallSge,
} from '../../config/scenario/calls/callScenario.ts';

/** A name stands for nothing (any more, or as long as a call that was left out is missing). */
export class UnboundName extends Error {}

/** An address as signed halves. */
export interface Address {
  readonly hi: number;
  readonly lo: number;
}

type Bound = Pd | Mr | Mw | FastMr | Cq | Srq | Qp | Ah | LinkFault;

export class BoundObjects {
  readonly #hosts: readonly HostApi[];
  readonly #objects = new Map<string, Bound>();
  readonly #areas = new Map<string, () => Address>();

  constructor(hosts: readonly HostApi[]) {
    this.#hosts = hosts;
  }

  /** `host1`, or the host of `host1.qp0`. */
  host(name: string): HostApi {
    const api = this.#hosts[hostOf(name)];
    if (api === undefined) throw new UnboundName(`there is no host ${hostOf(name)}`);
    return api;
  }

  bind(name: string | undefined, object: Bound): void {
    if (name !== undefined) this.#objects.set(name, object);
  }

  bindQp(name: string | undefined, qp: Qp, api: HostApi): void {
    if (name === undefined) return;
    this.#objects.set(name, qp);
    for (const receive of [false, true]) {
      const half = receive ? 'receive' : 'source';
      this.#areas.set(`${name}.${half}`, () => api.dataAddress(qp, receive));
      this.#areas.set(`${name}.${onCard(half)}`, () => api.dataAddress(qp, receive, 'card'));
    }
  }

  pd = (name: string): Pd => this.#get(name) as Pd;
  mr = (name: string): Mr => this.#get(name) as Mr;
  mw = (name: string): Mw => this.#get(name) as Mw;
  fastMr = (name: string): FastMr => this.#get(name) as FastMr;
  cq = (name: string): Cq => this.#get(name) as Cq;
  srq = (name: string): Srq => this.#get(name) as Srq;
  qp = (name: string): Qp => this.#get(name) as Qp;
  ah = (name: string): Ah => this.#get(name) as Ah;
  fault = (name: string): LinkFault => this.#get(name) as LinkFault;

  /** First byte of a place. */
  address({ area, at = 0, address }: CallPlace): Address {
    if (address !== undefined) return halves(BigInt(address));
    const base = this.#areas.get(area ?? '');
    if (base === undefined) throw new UnboundName(`there is no area ${area}`);
    return moved(base(), at);
  }

  send(qp: Qp, request: CallSend): SendWr {
    const wr = new SendWr();
    wr.wrId = request.id;
    wr.opcode = WR_OPCODE_NAME.indexOf(request.opcode as (typeof WR_OPCODE_NAME)[number]);
    const flags = request.flags ?? [];
    wr.flags = bitsOf(SEND_FLAG, flags) | (flags.includes('unsignaled') ? 0 : SEND_FLAG.signaled);
    wr.imm = request.invalidates === undefined ? (request.imm ?? 0) : this.key(request.invalidates);
    if (request.change !== undefined) wr.change = this.#change(request.change);
    setOperands(wr, ...operandsOf(request));
    this.#list(wr, request.sges);
    if (request.remote !== undefined) this.#aim(wr, request.remote);
    if (qp.type === QP_TYPE.ud) this.#address(wr, request);
    return wr;
  }

  recv(request: CallRecv): RecvWr {
    const wr = new RecvWr();
    wr.wrId = request.id;
    this.#list(wr, request.sges);
    return wr;
  }

  #list(wr: SendWr | RecvWr, entries: readonly CallSge[]): void {
    wr.setNumSge(entries.length);
    for (const [i, entry] of entries.entries()) {
      const sge = wr.sges[i] as Sge;
      const { hi, lo, key } = this.memory(entry);
      sge.hi = hi;
      sge.lo = lo;
      sge.lkey = key;
      sge.length = entry.length;
    }
  }

  #aim(wr: SendWr, remote: CallMemory): void {
    const { hi, lo, key } = this.memory(remote);
    wr.remoteHi = hi;
    wr.remoteLo = lo;
    wr.rkey = key;
  }

  /** A key as it is now, with a tag of its own where one is given. */
  key({ of, tag, key = 0 }: CallKey): number {
    if (of === undefined) return key | 0;
    const now = (this.#get(of) as Mr | Mw | FastMr).key;
    return tag === undefined ? now : withTag(now, tag);
  }

  #change({ key, mr, length, access, zeroBased, type, ...place }: CallChange): KeyChange {
    const changed = {
      key: this.key(key),
      mrKey: mr === undefined ? 0 : this.key(mr),
      length,
      zeroBased: zeroBased === true,
    };
    return { ...this.address(place), ...changed, access: accessOf(access), type: type as 0 | 1 | 2 };
  }

  #address(wr: SendWr, { ah, to, toQpn = 0, qkey }: CallSend): void {
    if (ah !== undefined) wr.ah = this.ah(ah).index;
    const target = to === undefined ? undefined : this.qp(to);
    wr.remoteQpn = target?.qpn ?? toQpn;
    wr.remoteQkey = (qkey ?? target?.qkey ?? 0) | 0;
  }

  /** What a request or a packet aims at, and its key. */
  memory(memory: CallMemory): Address & { readonly key: number } {
    if (memory.mr === undefined) return { ...this.address(memory), key: this.key(memory) };
    const mr = this.mr(memory.mr);
    const base = mr.zeroBased ? { hi: 0, lo: 0 } : mr;
    return { ...moved(base, memory.at ?? 0), key: mr.key ^ (memory.flip ?? 0) };
  }

  #get(name: string): Bound {
    const found = this.#objects.get(name);
    if (found === undefined) throw new UnboundName(`there is no ${name}`);
    return found;
  }
}

/** Number of the host that a name begins with. */
export function hostOf(name: string): number {
  return Number(/^host(\d+)/.exec(name)?.[1] ?? -1);
}

export function accessOf(names: readonly string[]): number {
  return bitsOf(ACCESS, names);
}

function bitsOf(bits: Readonly<Record<string, number>>, names: readonly string[]): number {
  return names.reduce((sum, name) => sum | (bits[name] ?? 0), 0);
}

function moved({ hi, lo }: Address, by: number): Address {
  const low = (lo >>> 0) + by;
  return { hi: carried(hi, low), lo: low | 0 };
}

function halves(address: bigint): Address {
  return { hi: Number(BigInt.asIntN(32, address >> 32n)), lo: Number(BigInt.asIntN(32, address)) };
}
