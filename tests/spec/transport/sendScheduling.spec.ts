/** Who sends when: turns of queue pairs, and the back-pressure of the link port (hangu-rtl-facts.md 4.2, 8). */

import { expect } from 'chai';
import type { FrameItem } from '../../../agents/link/linkItems.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { TestDirectParam } from '../../testDirectParam.ts';

const WORK = ['+RC_QP_NUM=8', '+SEND_WQE_NUM=0', '+READ_WQE_NUM=0', '+WRITE_WQE_NUM=1', '+DATA_CNT=60000', '+MTU=1024'];
const ETHERNET_IPV4_UDP = 42;
const LAST_WRITE = 10;
/** Longest time that a frame of the largest size in these runs takes, and how many the NIC may have under way. */
const FRAME_PS = 100_000;
const JOBS = 64;

/** What the frames of host 0 looked like as they were sent. */
const seen = { turns: [] as number[], longestWait: 0 };

class WatchedTest extends TestDirectParam {
  static override readonly typeName = 'test_watched';
  #last = -1;

  override connectPhase(): void {
    super.connectPhase();
    seen.turns = [];
    seen.longestWait = 0;
    this.env.link.frames.connect({ write: (item) => this.#watch(item) });
  }

  #watch(item: FrameItem): void {
    if (item.host !== 0) return;
    const { u8 } = this.run.bytes;
    const bth = item.data + ETHERNET_IPV4_UDP;
    seen.longestWait = Math.max(seen.longestWait, item.time - this.run.scheduler.now);
    if ((u8[bth] as number) > LAST_WRITE) return;
    const qpn = ((u8[bth + 6] as number) << 8) | (u8[bth + 7] as number);
    if (qpn === this.#last) seen.turns.push((seen.turns.pop() as number) + 1);
    else seen.turns.push(1);
    this.#last = qpn;
  }
}

async function watch(plusargs: string[]): Promise<typeof seen> {
  const registry = await loadRegistry();
  registry.factory.register(WatchedTest.typeName, WatchedTest);
  const tests = [...registry.tests, { name: WatchedTest.typeName, description: '', file: '' }];
  const request = { testName: WatchedTest.typeName, seed: 3, plusargs: [...WORK, ...plusargs] };
  const result = runOne(request, { ...registry, tests }, { sink() {} });
  expect(result.message).to.equal('');
  return seen;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

describe('the send scheduler', () => {
  it('lets a queue pair send its packets of a turn one after the other', async () => {
    expect(mean((await watch(['+NIC_TURN_PACKETS=16'])).turns)).to.be.greaterThan(4);
    expect(mean((await watch(['+NIC_TURN_PACKETS=1'])).turns)).to.be.lessThan(2);
  });

  it('begins no packet while the transmit FIFO is full', async () => {
    for (const ns of [500, 5000]) {
      const { longestWait } = await watch([`+NIC_EGRESS_NS=${ns}`]);
      expect(longestWait).to.be.within(ns * 1000, ns * 1000 + JOBS * FRAME_PS);
    }
  });
});
