import { expect } from 'chai';
import { RecvWr, WorkCompletion } from '../../../../agents/verbs/verbsItems.ts';
import type { HanguNic } from '../../../../dut-model/hangu/model/hanguNic.ts';
import {
  CMD,
  CMD_STATUS,
  HCR_GO,
  HCR_OPMOD_SHIFT,
  HCR_POLL_TOKEN,
  HCR_STATUS_SHIFT,
} from '../../../../dut-model/hangu/layout/commands.ts';
import { WC_STATUS } from '../../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../../scoreboard/model/options.ts';
import { delay, type Proc } from '../../../../uvm/kernel/process.ts';
import { Run } from '../../../../uvm/run.ts';
import { type End, RcConnection } from '../../support/rcConnection.ts';

const US = 1_000_000;
const OUTBOX = 0x1234_2000;
const BEYOND = 0xf_ffff;

/** Opcode, modifier, operation modifier, upper half of the input parameter, and the status that is right. */
type Example = readonly [opcode: number, modifier: number, opModifier: number, inHi: number, status: number];

/** Gives commands by the registers, behind the back of the driver. */
class Commands extends RcConnection {
  static examples: readonly Example[] = [];
  readonly statuses: number[] = [];
  protected readonly settings = { checkLevel: CHECK_LEVEL.off };

  protected override *traffic(_a: End, _b: End): Proc {
    const { commands } = this.nics[0] as HanguNic;
    for (const [opcode, modifier, opModifier, inHi] of Commands.examples) {
      [inHi, 0, modifier, 0, OUTBOX, HCR_POLL_TOKEN | 0].forEach((value, i) => void commands.writeRegister(i, value));
      commands.writeRegister(6, HCR_GO | (opModifier << HCR_OPMOD_SHIFT) | opcode);
      yield* delay(20 * US);
      this.statuses.push((commands.registers[6] as number) >>> HCR_STATUS_SHIFT);
    }
  }
}

/** Stops a queue pair with a receive, and resets it, by commands whose modifiers have something above its number. */
class UpperBits extends RcConnection {
  readonly seen: unknown[] = [];
  protected readonly settings = { checkLevel: CHECK_LEVEL.off };

  protected override *traffic(a: End, _b: End): Proc {
    const nic = this.nics[0] as HanguNic;
    const { qpn } = a.qp;
    const receive = new RecvWr();
    receive.setNumSge(0);
    yield* a.api.postRecv(a.qp, [receive], 1);
    nic.commands.writeRegister(2, qpn | 0x0100_0000);
    nic.commands.writeRegister(5, HCR_POLL_TOKEN | 0);
    nic.commands.writeRegister(6, HCR_GO | CMD.twoErr);
    yield* delay(100 * US);
    const wc = new WorkCompletion();
    this.seen.push(a.api.pollCq(a.cq, wc) ? wc.status : 'no completion');
    const slot = nic.core.slot(qpn);
    nic.commands.writeRegister(6, HCR_GO | (3 << HCR_OPMOD_SHIFT) | CMD.err2rst);
    yield* delay(100 * US);
    this.seen.push(nic.core.slot(qpn) === slot ? 'as it was' : 'reset');
  }
}

function expectStatuses(examples: readonly Example[]): void {
  Commands.examples = examples;
  const run = new Run({ seed: 1, testName: 'commands', sink: () => {} });
  run.factory.register('commands', Commands);
  run.runTest();
  const { statuses } = run.root.find('uvm_test_top') as Commands;
  expect(statuses).to.deep.equal(examples.map(([, , , , status]) => status));
}

describe('CommandEngine', () => {
  const { badParam, badIndex, badResource, exceedsLimit } = CMD_STATUS;

  it('takes no operation modifier for MODIFY_QP but 0, 2 and 3', () => {
    expectStatuses([1, 4, 255].map((opModifier) => [CMD.twoErr, 14, opModifier, 0, badParam]));
    expectStatuses([0, 2, 3].map((opModifier) => [CMD.twoErr, 14, opModifier, 0, CMD_STATUS.ok]));
  });

  it('tells queue pairs beyond the table from those that software has not set up', () => {
    expectStatuses([
      [CMD.twoErr, BEYOND, 0, 0, badIndex],
      [CMD.queryQp, BEYOND, 0, 0, badIndex],
      [CMD.err2rst, BEYOND, 3, 0, badIndex],
      [CMD.queryQp, 15, 0, 0, badResource],
    ]);
  });

  it('finds the queue pair of 2ERR and 2RST by the lower 24 bits of the modifier', () => {
    const run = new Run({ seed: 1, testName: 'upper_bits', sink: () => {} });
    run.factory.register('upper_bits', UpperBits);
    run.runTest();
    expect((run.root.find('uvm_test_top') as UpperBits).seen).to.deep.equal([WC_STATUS.wrFlushErr, 'reset']);
  });

  it('unmaps no pages outside a table', () => {
    expectStatuses([
      [CMD.unmapIcm, 1, 1, 0x7fff_0000, exceedsLimit],
      [CMD.unmapIcm, 0x10_0000, 1, 0x1000, exceedsLimit],
      [CMD.unmapIcm, -1, 1, 0x1000, exceedsLimit],
    ]);
  });
});
