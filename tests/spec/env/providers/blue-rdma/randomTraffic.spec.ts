import { expect } from 'chai';
import { randomTraffic } from '../../../support/blueRdma/randomTraffic.ts';

describe('blue-rdma under random traffic', () => {
  const surroundings = {
    'a perfect link': {},
    'reordering and duplicates': { delay: 0.1, duplicates: 0.1 },
    loss: { loss: 0.05 },
    'loss, reordering and duplicates with four channels and shallow rings': {
      ...{ loss: 0.03, delay: 0.05, duplicates: 0.05 },
      knobs: { CHANNELS: 4, RING_DEPTH: 16, BATCH_CYCLES: 0 },
    },
    'loss, and workers whose reaction is drawn': { loss: 0.05, settings: { jitter: 8_000_000 } },
    'loss, with go-back-N': { loss: 0.05, settings: { resend: 'gbn' as const } },
    'loss, with the hull of what is missing': { loss: 0.05, settings: { resend: 'hull' as const } },
    'bitmaps that are reported after the last packet': { loss: 0.05, knobs: { ACK_REPORT: 1 } },
  };
  for (const [name, options] of Object.entries(surroundings)) {
    it(`delivers everything once and in order over ${name}`, () => {
      for (let seed = 0; seed < 4; seed++) {
        const attributes = { mtu: [256, 1024, 4096, 512][seed] as number, timeout: 6 };
        expect(randomTraffic({ seed: `${name} ${seed}`, attributes, ...options }).problems).to.deep.equal([]);
      }
    });
  }
});
