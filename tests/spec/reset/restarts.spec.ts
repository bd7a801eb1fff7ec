/** Systems that are taken down with CLOSE_HCA and set up anew in the same run, `+RESTARTS`. */

import { expect } from 'chai';
import { type Played, play } from '../tests/harness.ts';

const TIGHT = '+NIC_QPC_CACHE=16 +NIC_CQC_CACHE=16 +NIC_MPT_CACHE=64 +NIC_MTT_CACHE=64 +NIC_CACHE_WAYS=1';

function expectPassed(run: Played): void {
  expect(run.verdict, run.log).to.equal('passed');
}

/** Commands of host 0 in the log, by name, with their modifier where that is asked for. */
function commands(run: Played, name: string): string[] {
  return [...run.log.matchAll(new RegExp(`\\[HCA_COMMAND\\] host 0: (${name}.*)`, 'g'))].map(([, text]) => text ?? '');
}

describe('a system that is set up anew', () => {
  for (const options of ['', TIGHT]) {
    for (let seed = 1; seed <= 4; seed++) {
      it(`passes with other queue pairs and requests ${options === '' ? '' : 'and small caches '}(${seed})`, async () => {
        expectPassed(await play('test_random', `+RESTARTS=4 ${options}`, seed));
      });
    }
  }

  it('has done as often what it does once', async () => {
    const once = await play('test_direct_param', '+RC_QP_NUM=4 +WRITE_WQE_NUM=3 +DB_NUM=2');
    const thrice = await play('test_direct_param', '+RC_QP_NUM=4 +WRITE_WQE_NUM=3 +DB_NUM=2 +RESTARTS=2');
    expectPassed(thrice);
    expect(once.counts).to.include({ requests_done: 48, requests_total: 48, batches_done: 2 });
    expect(thrice.counts).to.include({ requests_done: 144, requests_total: 144, batches_done: 6 });
  });

  it('uses the numbers of before for other queue pairs', async () => {
    const run = await play('test_direct_param', '+RC_QP_NUM=3 +RESTARTS=1 +UVM_VERBOSITY=UVM_HIGH');
    expectPassed(run);
    expect(commands(run, 'CLOSE_HCA')).to.have.length(2);
    const made = commands(run, 'RST2INIT').map((text) => Number(/0x[0-9a-f]+|\d+/.exec(text.slice('RST2INIT'.length))));
    expect(made).to.deep.equal([14, 15, 16, 15, 16, 17]);
  });

  it('is taken down before it is set up again, also where it is to be left up at the end', async () => {
    const run = await play('test_direct_param', '+RC_QP_NUM=2 +RESTARTS=1 +TEARDOWN=0 +UVM_VERBOSITY=UVM_HIGH');
    expectPassed(run);
    expect(commands(run, 'CLOSE_HCA')).to.have.length(1);
    expect(commands(run, 'INIT_HCA')).to.have.length(2);
  });

  it('is no matter of user sequences', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=ping_pong +RESTARTS=2');
    expect(run.log).to.match(/\[CMDLINE_UNUSED\].*RESTARTS/);
  });
});
