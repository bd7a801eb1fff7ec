import { expect } from 'chai';
import type { HanguCore } from '../../../../dut-model/hangu/model/core.ts';
import { Gather } from '../../../../dut-model/hangu/model/memory/gather.ts';
import { HANGU_DEFAULTS } from '../../../../dut-model/hangu/model/hanguConfig.ts';
import type { QpSlot } from '../../../../dut-model/hangu/model/transport/qpSlot.ts';
import { XLATE } from '../../../../dut-model/hangu/model/memory/translation.ts';
import { CQE_SYNDROME } from '../../../../dut-model/hangu/layout/queues.ts';

describe('Gather', () => {
  it('keeps a packet a part of which could not be read until the translation comes that it waits for', () => {
    const results: number[] = [XLATE.ok, XLATE.wait];
    const target = { read() {} };
    const xlate = { target, available: 100, paHi: 0, paLo: 0, translate: () => results.shift() };
    const core = {
      config: HANGU_DEFAULTS,
      cycles: () => 0,
      dma: target,
      xlate,
      link: { acquire: () => ({}) },
    };
    const gather = new Gather(core as unknown as HanguCore);
    const job = gather.acquire({ epoch: 0 } as QpSlot);
    Object.assign(job, { response: true, left: 200 });
    gather.run(job);
    gather.arrived(job, false);
    expect([job.ready, job.syndrome]).to.deep.equal([false, CQE_SYNDROME.remoteOperation]);
    gather.run(job);
    expect([job.ready, job.left]).to.deep.equal([true, 0]);
  });
});
