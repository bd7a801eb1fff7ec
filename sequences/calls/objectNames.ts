/** Names of what the host APIs of a run hand out, for a scenario of calls: found again by object, number, key and address. */

import type { HostApi } from '../../env/verbs/hostApi.ts';
import {
  FastMr,
  type Ah,
  type Cq,
  type Mr,
  type Mw,
  type Pd,
  type Qp,
  type Srq,
} from '../../env/verbs/verbsObjects.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { type AreaName, onCard } from '../../config/scenario/scenario.ts';
import type { CallKey, CallMemory, CallPlace } from '../../config/scenario/calls/callScenario.ts';

type Kind = 'pd' | 'mr' | 'mw' | 'fast' | 'cq' | 'srq' | 'qp' | 'ah' | 'fault';

/** Memory of a queue pair by its name. */
interface NamedArea {
  readonly name: string;
  readonly hi: number;
  readonly lo: number;
}

const KEY_BITS = 32;
/** Where keys have tags. */
const TAG_BITS = 8;
const TAG_MASK = 0xff;

export class ObjectNames {
  readonly #names = new Map<object, string>();
  readonly #counts = new Map<string, number>();
  readonly #qps = new Map<string, string>();
  readonly #mrs = new Map<string, Mr>();
  /** By host and index of the key. */
  readonly #mkeys = new Map<string, Mw | FastMr>();
  readonly #ahs = new Map<string, Ah>();
  readonly #qpObjects = new Map<string, Qp>();
  /** By host and upper half of the first address. */
  readonly #areas = new Map<string, NamedArea[]>();

  /** Name of an object that has been made; of one that nobody knows, a name that nothing has. */
  of(object: object): string {
    return this.#names.get(object) ?? 'unknown';
  }

  named(kind: Kind, host: number, object: object): string {
    const group = `host${host}.${kind}`;
    const n = this.#counts.get(group) ?? 0;
    this.#counts.set(group, n + 1);
    const name = `${group}${n}`;
    this.#names.set(object, name);
    return name;
  }

  pd(pd: Pd): string {
    return this.named('pd', pd.host, pd);
  }

  cq(cq: Cq): string {
    return this.named('cq', cq.host, cq);
  }

  srq(srq: Srq): string {
    return this.named('srq', srq.host, srq);
  }

  mr(mr: Mr): string {
    this.#mrs.set(`${mr.host} ${mr.key >>> 0}`, mr);
    return this.named('mr', mr.host, mr);
  }

  mkey(object: Mw | FastMr): string {
    this.#mkeys.set(`${object.host} ${object.key >>> TAG_BITS}`, object);
    return this.named(object instanceof FastMr ? 'fast' : 'mw', object.host, object);
  }

  /** A key of a host. */
  key(host: number, key: number): CallKey {
    const mr = this.#mrs.get(`${host} ${key >>> 0}`);
    if (mr !== undefined) return { of: this.of(mr) };
    const mkey = this.#mkeys.get(`${host} ${key >>> TAG_BITS}`);
    return mkey === undefined ? { key: key >>> 0 } : { of: this.of(mkey), tag: key & TAG_MASK };
  }

  ah(ah: Ah): string {
    const name = this.named('ah', ah.host, ah);
    this.#ahs.set(`${ah.host} ${ah.index}`, ah);
    return name;
  }

  qp(qp: Qp, api: HostApi): string {
    const name = this.named('qp', qp.host, qp);
    this.#qps.set(`${qp.host} ${qp.qpn}`, name);
    this.#qpObjects.set(name, qp);
    for (const receive of [false, true]) {
      const { hi, lo } = api.dataAddress(qp, receive);
      const key = `${qp.host} ${hi}`;
      const known = this.#areas.get(key) ?? [];
      this.#areas.set(key, known);
      // Another queue pair of the same number has the memory of the first one.
      if (!known.some((area) => area.lo === lo)) known.push({ name: `${name}.${areaName(api, qp, receive)}`, hi, lo });
    }
    return name;
  }

  qpOf(host: number, qpn: number): string | undefined {
    return this.#qps.get(`${host} ${qpn}`);
  }

  qpNamed(name: string | undefined): Qp | undefined {
    return name === undefined ? undefined : this.#qpObjects.get(name);
  }

  ahOf(host: number, index: number): Ah | undefined {
    return this.#ahs.get(`${host} ${index}`);
  }

  /** An address as a place in the memory of a queue pair. */
  place(host: number, hi: number, lo: number): CallPlace {
    for (const above of [hi, (hi - 1) | 0]) {
      for (const area of this.#areas.get(`${host} ${above}`) ?? []) {
        const at = (hi - above) * TWO_32 + (lo >>> 0) - (area.lo >>> 0);
        if (at >= 0 && at < TWO_32) return { area: area.name, at };
      }
    }
    return { address: `0x${addressOf(hi, lo).toString(16)}` };
  }

  /** What a key opens at an address. */
  memory(host: number, key: number, hi: number, lo: number): CallMemory {
    const own = this.#mrs.get(`${host} ${key >>> 0}`);
    if (own !== undefined) return { mr: this.of(own), at: distance(own, hi, lo) };
    const mkey = this.#mkeys.get(`${host} ${key >>> TAG_BITS}`);
    if (mkey?.alive === true) return { of: this.of(mkey), tag: key & TAG_MASK, ...this.place(host, hi, lo) };
    for (let bit = 0; bit < KEY_BITS; bit++) {
      const near = this.#mrs.get(`${host} ${(key ^ (1 << bit)) >>> 0}`);
      if (near !== undefined) return { mr: this.of(near), flip: (1 << bit) >>> 0, at: distance(near, hi, lo) };
    }
    return { key: key >>> 0, ...this.place(host, hi, lo) };
  }
}

/** Half of a queue pair's memory; of a run that says itself what lies on the card, those that do by their names. */
function areaName(api: HostApi, qp: Qp, receive: boolean): AreaName {
  const half = receive ? 'receive' : 'source';
  return api.dataDomain(qp, receive) === 'card' ? onCard(half) : half;
}

function distance(mr: Mr, hi: number, lo: number): number {
  return Number(BigInt.asIntN(64, addressOf(hi, lo) - (mr.zeroBased ? 0n : addressOf(mr.hi, mr.lo))));
}

function addressOf(hi: number, lo: number): bigint {
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}
