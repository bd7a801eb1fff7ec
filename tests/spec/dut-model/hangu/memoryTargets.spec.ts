import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../../bin/registry.ts';
import { NIC_CATALOG } from '../../../../dut-model/nicCatalog.ts';
import {
  type DmaEngine,
  hangu,
  type MemoryClient,
  type MemoryTarget,
  type NicContext,
  type NicEntry,
} from '../../../../dut-model/index.ts';
import { playOn } from '../../tests/harness.ts';

/** What a bank does next. */
type Access = (client: MemoryClient) => void;

/**
 * Memory behind a controller that takes one access after the other, each some time after it was asked for: here in front of
 * host memory, so that the judge sees what is in it.
 */
class Bank implements MemoryTarget {
  delay = 0;
  readonly isPosted: boolean;
  readonly #context: NicContext;
  readonly #dma: DmaEngine;
  readonly #waiting: { readonly access: Access; readonly client: MemoryClient; readonly arg: number }[] = [];
  #life = 0;

  constructor(context: NicContext, dma: DmaEngine, isPosted: boolean) {
    this.#context = context;
    this.#dma = dma;
    this.isPosted = isPosted;
  }

  read(hi: number, lo: number, length: number, dst: number, client: MemoryClient, arg = 0): void {
    this.#ask((done) => this.#dma.read(hi, lo, length, dst, done), client, arg);
  }

  write(hi: number, lo: number, length: number, src: number, block: number, client = NOBODY, arg = 0): void {
    const { blocks } = this.#context;
    blocks.retain(block);
    this.#ask(
      (done) => {
        this.#dma.write(hi, lo, length, src, block, done);
        blocks.release(block);
      },
      client,
      arg,
    );
  }

  writeCopy(hi: number, lo: number, length: number, src: number, client = NOBODY, arg = 0): void {
    const { blocks, bytes } = this.#context;
    const block = blocks.acquire();
    bytes.copy(blocks.offset(block), src, length);
    this.write(hi, lo, length, blocks.offset(block), block, client, arg);
    blocks.release(block);
  }

  endCopies(): void {}

  fence(client: MemoryClient, arg = 0): void {
    if (this.#waiting.length === 0) client.dmaDone(arg, true);
    else this.#ask((done) => done.dmaDone(0, true), client, arg);
  }

  reset(): void {
    this.#life++;
    for (const { access } of this.#waiting.splice(0)) access(NOBODY);
  }

  fire(life: number): void {
    if (life !== this.#life) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const { access, client, arg } = next;
    access({ dmaDone: (_, ok) => client.dmaDone(arg, ok) });
  }

  #ask(access: Access, client: MemoryClient, arg: number): void {
    this.#waiting.push({ access, client, arg });
    this.#context.scheduler.schedule(LATENCY, this, this.#life);
  }
}

/** Of an access of a bank, ps. */
const LATENCY = 3_000_000;
const NOBODY: MemoryClient = { dmaDone: () => {} };

/** Every second page lies in a bank. */
class Banked extends hangu.Translation {
  protected override targetOf(lo: number): number {
    return (lo >>> 12) & 1;
  }
}

/** HanGu with a bank for half of all pages, and with tables on the chip. */
function banked(name: string, isPosted: boolean): NicEntry {
  return {
    ...(NIC_CATALOG[0] as NicEntry),
    name,
    base: 'hangu',
    faults: [],
    nic: () => (context, knobs) =>
      new hangu.HanguNic(context, hangu.resolveHanguConfig(knobs), {
        translation: Banked,
        memories: (around, dma) => [new Bank(around, dma, isPosted)],
        onChip: { mtt: 2 ** 16, mpt: 2 ** 14 },
      }),
  };
}

describe('payload in memory that is not posted', function () {
  this.timeout(60_000);
  let registry: Registry;
  before(async () => {
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, banked('banked', false), banked('hasty', true)] };
  });

  const WORK =
    '+RC_QP_NUM=4 +UC_QP_NUM=2 +UD_QP_NUM=2 +SEND_WQE_NUM=3 +RECV_WQE_NUM=3 +WRITE_WQE_NUM=3 +READ_WQE_NUM=3 ' +
    '+DATA_CNT=9 +DATA_UNIT=KB +SG_NUM=3';

  it('is there before a completion or an acknowledgement speaks of it', () => {
    const run = playOn(registry, 'test_direct_param', `+DUT=banked ${WORK}`);
    expect([run.verdict, run.counts['UVM_WARNING']], run.log).to.deep.equal(['passed', 0]);
  });

  it('would be missed in time, if a NIC took its writes for posted ones', () => {
    const run = playOn(registry, 'test_direct_param', `+DUT=hasty ${WORK}`);
    expect(run.verdict, run.log).to.equal('failed');
    expect(run.signature?.id).to.match(/^SCB_/);
  });

  it('holds words that atomics change one after the other, and takes drawn work', () => {
    for (const [test, line, seed] of [
      ['test_sequence', '+UVM_TEST_SEQ=atomic_storm +RC_QP_NUM=4', 1],
      ['test_random', '+ATOMIC_PCT=30', 5],
    ] as const) {
      const run = playOn(registry, test, `+DUT=banked ${line}`, seed);
      expect(run.verdict, `${test} ${line}: ${run.message}`).to.equal('passed');
    }
  });
});
