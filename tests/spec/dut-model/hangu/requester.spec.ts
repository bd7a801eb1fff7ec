import { expect } from 'chai';
import type { HanguCore } from '../../../../dut-model/hangu/model/core.ts';
import { NO_CONTEXT, WAIT } from '../../../../dut-model/hangu/model/core.ts';
import type { Gather } from '../../../../dut-model/hangu/model/memory/gather.ts';
import { HANGU_DEFAULTS } from '../../../../dut-model/hangu/model/hanguConfig.ts';
import type { QpSlot } from '../../../../dut-model/hangu/model/transport/qpSlot.ts';
import type { RequestPackets } from '../../../../dut-model/hangu/model/transport/requestPackets.ts';
import { Requester } from '../../../../dut-model/hangu/model/transport/requester.ts';
import type { SendCompletion } from '../../../../dut-model/hangu/model/transport/sendCompletion.ts';

describe('Requester', () => {
  it('takes one place for a queue pair that waits for its context, however often it is put in line meanwhile', () => {
    let context: number = WAIT;
    const core = { config: HANGU_DEFAULTS, egress: { isFull: () => false }, contextOf: () => context };
    const requester = new Requester(
      core as unknown as HanguCore,
      {} as Gather,
      {} as RequestPackets,
      {} as SendCompletion,
    );
    requester.sendQueue = { drop() {} } as unknown as Requester['sendQueue'];
    const slot = { queued: false, waiting: false, turnLeft: 0 } as QpSlot;
    for (let i = 0; i < 3; i++) {
      requester.schedule(slot);
      requester.pump();
      expect(requester.inService).to.equal(1);
    }
    context = NO_CONTEXT;
    requester.resume(slot);
    requester.pump();
    expect(requester.inService).to.equal(0);
  });
});
