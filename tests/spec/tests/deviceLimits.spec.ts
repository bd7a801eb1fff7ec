import { expect } from 'chai';
import type { Registry } from '../../../bin/registry.ts';
import type { CommandContext, CommandHandler } from '../../../dut-model/hangu/model/control/commandContext.ts';
import { CommandEngine } from '../../../dut-model/hangu/model/control/commandEngine.ts';
import { resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import type { NicBuilder } from '../../../dut-model/nic.ts';
import { CMD } from '../../../dut-model/hangu/layout/commands.ts';
import { play } from './harness.ts';

/** Offset of a one-byte field in what QUERY_DEV_LIM returns. */
const FIELD = { logQps: 12, sges: 41 } as const;

/** Lets the default NIC say of a field what the spec wants. */
function saying(field: number, value: number): (registry: Registry) => void {
  class Modest extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      const { core, outbox, opcode }: CommandContext = this;
      if (opcode === CMD.queryDevLim) core.bytes.u8[outbox + field] = value;
      return status;
    }
  }
  const nic = (): NicBuilder => (context, knobs) =>
    new HanguNic(context, resolveHanguConfig(knobs), { commands: Modest });
  return (registry) => {
    Object.assign(registry, { nics: registry.nics.map((entry) => ({ ...entry, nic })) });
  };
}

describe('a NIC that is too small for a run', () => {
  it('ends it before any traffic with a sentence, and is not judged', async () => {
    const { verdict, message, log, counts } = await play('test_direct_param', '+SG_NUM=5', 1, saying(FIELD.sges, 4));
    expect([verdict, counts['UVM_ERROR'], counts['requests_done']]).to.deep.equal(['error', 0, 0]);
    expect(message).to.match(
      /^\[HCA_LIMITS\] host [01]: this run needs more .* 5 entries .* limit is 4 \(lower \+SG_NUM/,
    );
    expect(log).not.to.match(/EXCEPTION| at .*\.ts:/);
  });

  it('ends a test of sequences in the same way', async () => {
    const { verdict, message } = await play(
      'test_sequence',
      '+SEQ=write_read_back +RC_QP_NUM=5',
      1,
      saying(FIELD.logQps, 2),
    );
    expect(verdict).to.equal('error');
    expect(message).to.match(/5 queue pairs, its limit is 4 \(lower \+RC_QP_NUM/);
  });

  it('takes a run that it can just do', async () => {
    expect((await play('test_direct_param', '+SG_NUM=4', 1, saying(FIELD.sges, 4))).verdict).to.equal('passed');
  });
});
