import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';

const SMALL = '+RC_QP_NUM=1 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +RECV_WQE_NUM=1 +DATA_CNT=100 +DATA_UNIT=B +TEARDOWN=1';
/** Ids of the messages, by the verbosity at which they come. */
const HIGH = ['HCA_POST_SEND', 'HCA_POST_RECV', 'HCA_COMPLETION', 'HCA_QP', 'HCA_MR', 'HCA_COMMAND'];
const DEBUG = ['PCIE_TLP', 'LINK_FRAME', 'WIRE_PACKET'];
const ALL = [...HIGH, 'HCA_DOORBELL', ...DEBUG];

describe('the trace of transactions in the log', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  function play(...plusargs: string[]): { lines: readonly string[]; transcript: string; found: readonly string[] } {
    const lines: string[] = [];
    const testName = 'test_direct_param';
    const all = [`+UVM_TESTNAME=${testName}`, ...SMALL.split(' '), ...plusargs];
    const { verdict, transcript } = runOne({ testName, seed: 1, plusargs: all }, registry, {
      sink: (text) => lines.push(...text.split('\n')),
    });
    expect(verdict).to.equal('passed');
    const found = ALL.filter((id) => lines.some((line) => line.includes(` [${id}] `)));
    return { lines, transcript: transcript.hash, found };
  }

  it('is silent at UVM_MEDIUM, and the run is the same at any verbosity', () => {
    const quiet = play();
    expect(quiet.found).to.deep.equal([]);
    expect(play('+UVM_VERBOSITY=UVM_DEBUG').transcript).to.equal(quiet.transcript);
  });

  it('names requests, completions, commands and regions with host and queue pair at UVM_HIGH', () => {
    const { lines, found } = play('+UVM_VERBOSITY=UVM_HIGH');
    expect(found).to.deep.equal(HIGH);
    const log = lines.join('\n');
    expect(log).to.match(
      /uvm_test_top\.env\.hca0 \[HCA_POST_SEND\] host 0 QP 14: SEND \(wrId \d+, WQE \d+\) to host 1, 100 B at 0x\w{8}_\w{8} lkey 0x\w+, /,
    );
    expect(log).to.match(
      /\[HCA_POST_SEND\] host 0 QP 14: RDMA_WRITE \(wrId \d+, WQE \d+\) to host 1, 100 B .*, remote 0x\w+ rkey 0x\w+/,
    );
    expect(log).to.match(/\[HCA_POST_RECV\] host 1 QP 14: RECV \(wrId \d+, WQE 0\), 100 B at /);
    expect(log).to.match(/\[HCA_COMPLETION\] host 1 QP 14 CQ \d+: SUCCESS RECV \(wrId \d+, WQE \d+\), 100 B$/m);
    expect(log).to.match(/\[HCA_COMMAND\] host 0: RTR2RTS of QP 14, modifier 0xe, status OK/);
    expect(log).to.match(/\[HCA_QP\] host 0 QP 14: RC in RTS, connected with host 1 QP 14, /);
    expect(log).to.match(/\[HCA_MR\] host 0 key 0x\w+: \d+ B at 0x/);
  });

  it('adds doorbells at UVM_FULL, and the transactions of PCIe and link at UVM_DEBUG', () => {
    const full = play('+UVM_VERBOSITY=UVM_FULL');
    expect(full.found).to.deep.equal([...HIGH, 'HCA_DOORBELL']);
    expect(full.lines.join('\n')).to.match(
      /\[HCA_DOORBELL\] host 0: process \d+ QP 14: send queue from byte 0 on, first \w+ of/,
    );
    const debug = play('+UVM_VERBOSITY=UVM_DEBUG');
    expect(debug.found).to.deep.equal(ALL);
    const log = debug.lines.join('\n');
    expect(log).to.match(/\[PCIE_TLP\] host 0: NIC sends memory read of \d+ B at 0x\w{8}_\w{8}, tag \d+/);
    expect(log).to.match(/\[WIRE_PACKET\] host 0 QP 14 to host 1 QP 14: RC SEND_ONLY, PSN 0x\w{6}, 100 B payload/);
    expect(log).to.match(/\[WIRE_PACKET\] host 1 QP 14 to host 0 QP 14: RC ACKNOWLEDGE, PSN 0x\w{6}, .*syndrome/);
    expect(log).to.match(/\[LINK_FRAME\] host 0 to host 1: \d+ B, on the wire at [\d.]+ns$/m);
  });

  it('is selected by component, id and time as any message', () => {
    const one = play('+uvm_set_verbosity=*.hca1,_ALL_,UVM_HIGH,build');
    const traced = one.lines.filter((line) => ALL.some((id) => line.includes(` [${id}] `)));
    expect(traced.length).to.be.greaterThan(10);
    expect(traced.filter((line) => !line.includes('.hca1 '))).to.deep.equal([]);
    expect(play('+uvm_set_verbosity=*,HCA_COMMAND,UVM_HIGH,build').found).to.deep.equal(['HCA_COMMAND']);
    const late = play('+uvm_set_verbosity=*.hca0,_ALL_,UVM_HIGH,time,1');
    expect(late.found).to.include('HCA_POST_SEND');
  });
});
