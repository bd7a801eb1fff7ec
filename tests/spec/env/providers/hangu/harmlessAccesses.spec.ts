import { expect } from 'chai';
import type { HarmlessAccess } from '../../../../../env/providers/harmlessAccess.ts';
import { HostApiError } from '../../../../../env/verbs/hostErrors.ts';
import type { Qp } from '../../../../../env/verbs/verbsObjects.ts';
import { BAR, DOORBELL_PAGE, REG } from '../../../../../dut-model/hangu/layout/addressMap.ts';
import { QP_STATE, QP_TYPE } from '../../../../../rdma/verbs.ts';
import { ProviderBench } from '../../support/providerBench.ts';

/** Two queue pairs in RTS, and what must do nothing near the first. */
class Material {
  readonly bench = new ProviderBench();
  readonly first: Qp;
  readonly second: Qp;

  constructor(type: Qp['type'] = QP_TYPE.rc) {
    const { bench } = this;
    bench.run(bench.api.openDevice());
    this.first = bench.queuePair({ type }).qp;
    this.second = bench.queuePair({ type }).qp;
  }

  get accesses(): readonly HarmlessAccess[] {
    return this.bench.api.harmlessAccesses(this.first);
  }

  /** Doorbells at the place of send doorbells: the numbers that they name. */
  get rung(): readonly number[] {
    const place = this.first.pd.process * DOORBELL_PAGE;
    return this.accesses.filter((a) => a.bar === BAR.doorbell && a.offset === place).map(numberOf);
  }
}

function numberOf({ words = [] }: HarmlessAccess): number {
  return (words[1] as number) >>> 8;
}

describe('accesses that must do nothing in a HanGu NIC', () => {
  it('ring queue pairs that do not exist, with numbers like those that do, and none that exists', () => {
    const { first, second, rung } = new Material();
    expect([first.qpn, second.qpn]).to.deep.equal([14, 15]);
    expect(rung).to.deep.equal([0, ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((bit) => 14 ^ (1 << bit))]);
  });

  it('ring a queue pair itself while it is in RESET, and others only when they are gone', () => {
    const material = new Material();
    const { bench, first, second } = material;
    bench.run(bench.api.modifyQp(first, { state: QP_STATE.reset }));
    expect(material.rung).to.include(first.qpn).and.not.to.include(second.qpn);
    bench.run(bench.api.destroyQp(second));
    expect(material.rung).to.include(second.qpn);
  });

  it('ring the queue pair where there is no doorbell, and touch none of those that there are', () => {
    for (const type of [QP_TYPE.rc, QP_TYPE.ud]) {
      const { first, accesses } = new Material(type);
      const misplaced = accesses.filter(({ bar, offset }) => bar === BAR.doorbell && offset % DOORBELL_PAGE !== 0);
      expect(misplaced).to.have.length.above(9);
      for (const access of misplaced) {
        const place = access.offset % DOORBELL_PAGE;
        expect([place % 8, [0x00, 0x10, 0x20].includes(place)], access.what).to.deep.equal([0, false]);
        // A SEND of one entry at the start of the ring.
        expect(access.words).to.deep.equal([0x0a, (first.qpn << 8) | (type === QP_TYPE.ud ? 5 : 2)]);
      }
    }
  });

  it('read registers, and write none but INIT_DONE', () => {
    const { accesses } = new Material();
    const registers = accesses.filter(({ bar }) => bar === BAR.registers);
    const written = registers.filter(({ words }) => words !== undefined);
    expect(new Set(written.map(({ offset }) => offset))).to.deep.equal(new Set([REG.initDone]));
    expect(registers.find(({ offset }) => offset === 0x14)).to.include({ constant: 0xffff_ffff, value: 0xffff_0000 });
    expect(registers.map(({ offset }) => offset)).to.include.members([0x18, 0x1c, REG.initDone, REG.msix]);
    expect(registers.map(({ offset }) => offset)).not.to.include(REG.softReset);
  });

  it('are none for a queue pair that is gone, and need a sequencer to be sent', () => {
    const { bench, first } = new Material();
    expect(() => bench.api.pcieSequencer).to.throw(HostApiError, /passive and has no sequencer; set is_active/);
    bench.run(bench.api.destroyQp(first));
    expect(() => bench.api.harmlessAccesses(first)).to.throw(HostApiError, /has been destroyed/);
  });
});
