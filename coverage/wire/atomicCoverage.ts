/** Matches the answers of atomics with their requests, and samples what became of them. */

import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { BTH_OP } from '../../rdma/bth.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import type { QueuePairs } from '../verbs/queuePairs.ts';
import { ATOMIC_OPERATION, ATOMIC_OUTCOME, atomicCg, AtomicSample } from './atomicGroups.ts';

const OP_BITS = 0x1f;
const HALF = 32n;
/** Requests that are remembered for their answers, the newest. */
const KEPT = 8192;

interface Asked {
  readonly operation: number;
  readonly operand: bigint;
  readonly swap: bigint;
  readonly sharers: Set<string>;
  answered: boolean;
}

export class AtomicCoverage {
  readonly #pairs: QueuePairs;
  readonly #group;
  readonly #sample = new AtomicSample();
  /** By responder, its queue pair and PSN. */
  readonly #asked = new Map<string, Asked>();
  /** Queue pairs that have named a word, by host and address. */
  readonly #sharers = new Map<string, Set<string>>();

  constructor(collector: CoverageCollector, pairs: QueuePairs) {
    this.#pairs = pairs;
    this.#group = collector.create(atomicCg);
  }

  /** A packet of an atomic. */
  write(p: DecodedPacket): void {
    if ((p.flags & OPCODE.request) !== 0) this.#request(p);
    else this.#answer(p);
  }

  #request(p: DecodedPacket): void {
    if (p.retransmission) return;
    const adds = (p.opcode & OP_BITS) === BTH_OP.fetchAdd;
    const swap = wordOf(p.swapHi, p.swapLo);
    const word = `${p.to} ${p.rkey} ${p.vaHi} ${p.vaLo}`;
    const sharers = this.#sharers.get(word) ?? new Set();
    this.#sharers.set(word, sharers.add(`${p.to} ${p.destQp}`));
    this.#asked.set(`${p.to} ${p.destQp} ${p.psn}`, {
      operation: adds ? ATOMIC_OPERATION.fetchAdd : ATOMIC_OPERATION.compareSwap,
      operand: adds ? swap : wordOf(p.compareHi, p.compareLo),
      swap,
      sharers,
      answered: false,
    });
    if (this.#asked.size > KEPT) this.#asked.delete(this.#asked.keys().next().value as string);
  }

  #answer(p: DecodedPacket): void {
    const { remoteQpn } = this.#pairs.of(p.to, p.destQp);
    const asked = this.#asked.get(`${p.host} ${remoteQpn} ${p.psn}`);
    if (asked === undefined) return;
    const s = this.#sample;
    s.operation = asked.operation;
    s.outcome = outcomeOf(asked, wordOf(p.originalHi, p.originalLo));
    s.again = asked.answered;
    s.sharers = asked.sharers.size;
    asked.answered = true;
    this.#group.sample(s);
  }
}

function outcomeOf({ operation, operand, swap }: Asked, found: bigint): number {
  if (operation === ATOMIC_OPERATION.compareSwap)
    return found === operand && swap !== found ? ATOMIC_OUTCOME.changed : ATOMIC_OUTCOME.unchanged;
  if (operand === 0n) return ATOMIC_OUTCOME.unchanged;
  return BigInt.asUintN(64, found + operand) === found + operand ? ATOMIC_OUTCOME.changed : ATOMIC_OUTCOME.wrapped;
}

function wordOf(hi: number, lo: number): bigint {
  return (BigInt(hi >>> 0) << HALF) | BigInt(lo >>> 0);
}
