/** Who reads the first finding of a run alone must be led to the cause, not to a consequence. */

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { HANGU_FAULTS } from '../../../dut-model/hangu/bugs/hanguFaults.ts';

const MIXED = readFileSync(new URL('../../../lists/mixed.f', import.meta.url), 'utf8').match(/^\+\S+$/gm) ?? [];
const ERROR = /^UVM_(?:ERROR|FATAL) @ .*?: (\S+ \[.*)$/gm;

describe('the first finding', () => {
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  /** First lines of all findings with a planted bug. */
  function findings(fault: string, more: readonly string[] = []): string[] {
    const { needs = [] } = HANGU_FAULTS.find(({ name }) => name === fault) ?? {};
    const given = [...more, ...needs.filter((arg) => !more.some((other) => nameOf(other) === nameOf(arg)))];
    const all = [...given, ...MIXED.filter((arg) => !given.some((other) => nameOf(other) === nameOf(arg)))];
    const testName = all.find((arg) => arg.startsWith('+UVM_TESTNAME='))?.split('=')[1] ?? 'test_direct_param';
    const texts: string[] = [];
    const sink = (text: string): void => void texts.push(...[...text.matchAll(ERROR)].map((m) => m[1] as string));
    const plusargs = [...all.filter((arg) => !arg.startsWith('+UVM_TESTNAME=')), `+DUT_FAULT=${fault}`];
    runOne({ testName, seed: 1, plusargs }, registry, { sink });
    return texts;
  }

  it('of a send queue that is never said to be drained names the queue pair, when it was told, and what is left', () => {
    const [first, ...others] = findings('drained_not_said');
    expect(first).to.match(
      /\[SCB_ASYNC_EVENT\] host 1 QP \d+ .*no SQ_DRAINED event .*told at \S+ to drain.*nothing of its send queue is outs/,
    );
    expect(others.at(-1)).to.match(/\[DEADLOCK\]/);
  });

  it('of a request that is refused for nothing is the refusal, and what is flushed then is none', () => {
    const found = findings('change_forgets_message');
    expect(found[0]).to.match(
      /\[SCB_REFUSED\] host 1 QP \d+ \S+ \S+ RC\) refuses PSN 0x\w+ with NAK 0x61 \(invalid request\), and nothing is wrong/,
    );
    expect(found.join()).not.to.match(/FLUSH|REM_INV_REQ_ERR/);
  });

  it('of a request that is refused behind a long answer is the refusal, not what its responder has flushed before', () => {
    const found = findings('repeats_take_room');
    expect(found[0]).to.match(
      /\[SCB_REFUSED\] host 0 QP \d+ \S+ \S+ RC\) refuses PSN 0x\w+ with NAK 0x61 \(invalid request\), and nothing was wrong with what host 1/,
    );
    expect(found.join()).not.to.match(/FLUSH/);
  });

  it('of a message of UC that its receiver has dropped names that one, and none is judged by what the next one looks like', () => {
    const found = findings('uc_message_dropped');
    expect(found[0]).to.match(
      /\[SCB_MISSING\] SEND \(wrId 0, .*, UC\) arrived whole at host 1 .*, and fills no receive: RECV .* holds SEND_WITH_IMM \(wrId 1, /,
    );
    expect(found.join()).not.to.match(/SCB_(OPCODE|BYTE_LEN|FLAGS|IMM|DATA)/);
  });

  it('of a request that a damaged acknowledgement has ended names that frame and when it came', () => {
    const damaged = '+NET_FAULT=corrupt opcode=ack field=psn xor=0x1 every=3';
    expect(findings('icrc_ignored_without_data', [damaged, '+ACK_TIMEOUT=14'])[0]).to.match(
      /\[SCB_EARLY\] .* no answer .*; a damaged frame that its NIC may have accepted arrived at \S+us: RC ACKNOWLEDGE with PSN 0x\w+, whose invariant CRC is wrong/,
    );
  });

  it('of a requester that gives up too soon names the tries that it has sent', () => {
    expect(findings('retries_kept')[0]).to.match(
      /\[SCB_STATUS\] .* RETRY_EXC_ERR .*: the packet with PSN 0x\w+ was sent again 0 times, and 5 are needed to give up/,
    );
    expect(findings('gives_up_early')[0]).to.match(
      /\[SCB_STATUS\] .*: the packet with PSN 0x\w+ was sent again 1 time \(at \S+us\), and 3 are needed to give up/,
    );
  });

  it('of a queue pair that is stuck says how it and its peer stand', () => {
    expect(findings('write_carry').find((text) => text.includes('[SCB_STUCK]'))).to.match(
      /; host \d QP \d+ is in \w+ with \d+ sends? and \d+ receives? outstanding, .*; host \d QP \d+ is in \w+ with/,
    );
  });

  it('of a NIC that answers nothing names the command that waits, its host and since when, and few follow', () => {
    const found = findings('nic_silent');
    expect(found[0]).to.match(
      /\[PCIE_CPL_TIMEOUT\] no answer to the read of BAR 0 at 0x18 .*; host 0 waits for the end of QUERY_DEV_LIM since 0ns$/,
    );
    expect(found.at(-1)).to.match(/\[HCA_CMD_TIMEOUT\] host 0: QUERY_DEV_LIM ended with no answer/);
    expect(found.length).to.be.below(12);
  });

  it('of a NIC that uses its ports when it is finished says so, of each port', () => {
    const found = findings('ports_after_finish');
    expect(found).to.have.length(4);
    expect(found[0]).to.match(
      /\[PCIE_MISUSE\] the NIC sent a transaction although it was finished \(read of 64 bytes at 0x/,
    );
    expect(found[1]).to.match(/\[LINK_MISUSE\] host 0 sent a frame of 64 bytes although its NIC was finished/);
  });

  it('of an event that is written to a wrong slot says which one, and what it holds', () => {
    expect(findings('event_slot_skipped')[0]).to.match(
      /\[HCA_MSIX\] host \d EQ \d: an interrupt, but entry (\d+), .*; entry \d+ has been instead, with event type 0x0 for/,
    );
  });

  it('of data from a wrong page says whose they are', () => {
    expect(findings('gather_same_page')[0]).to.match(
      /\[SCB_WIRE_DATA\] .*\(it equals byte \d+ on of the data of SEND \(.*\) of host 0 QP \d+ \(process 1, RC\)\)/,
    );
  });
});

function nameOf(arg: string): string {
  return arg.split('=')[0] as string;
}
