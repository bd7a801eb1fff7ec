import { expect } from 'chai';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import { loadRegistry, registryOf } from '../../../bin/registry.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { TestDirectParam } from '../../testDirectParam.ts';
import { type Played, playOn } from '../tests/harness.ts';

/** The directed test on a link that loses one frame in fifty. */
class Lossy extends TestDirectParam {
  static override readonly typeName: string = 'lossy';

  protected override envOptions(): EnvOptions {
    const random = this.run.random.fast(this.fullName, 'loss');
    const linkFaults: EnvOptions['linkFaults'] = {
      judge: (_frame, verdict) => {
        verdict.drop = random.chance(0.02);
      },
    };
    return { ...super.envOptions(), linkFaults, lossAllowed: true };
  }
}

const PLAIN = '+DUT=blue +UC_QP_NUM=0 +UD_QP_NUM=0 +SG_NUM=1';
const ALL = '+RC_QP_NUM=4 +DB_NUM=3 +SEND_WQE_NUM=2 +RECV_WQE_NUM=2 +WRITE_WQE_NUM=3 +READ_WQE_NUM=2';
/** The stimulus in which its planted bugs show. */

async function play(test: string, line: string, seed = 1): Promise<Played> {
  return playOn(await loadRegistry(), test, `${PLAIN} ${line}`, seed);
}

describe('a blue-rdma NIC and its driver in the environment', () => {
  for (const line of [
    '+RC_QP_NUM=4',
    ALL,
    `${ALL} +DATA_CNT=9000 +IMM=50`,
    `${ALL} +DATA_OFFSET=4093 +DATA_CNT=77`,
    '+RC_QP_NUM=4 +WRITE_WQE_NUM=2 +DATA_CNT=1 +DATA_UNIT=MB',
  ]) {
    it(`pass the directed test under the scoreboard: ${line}`, async () => {
      const run = await play('test_direct_param', line);
      expect([run.verdict, run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0]);
      expect(run.counts['checks']).to.be.above(20);
    });
  }

  it('pass random traffic', async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const run = await play('test_random', '+RC_QP_NUM=6 +IPV6=0', seed);
      expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
    }
  });

  it('pass over a link that loses frames', () => {
    const registry = registryOf([{ folder: 'tests', name: 'lossy', exports: { Lossy } }]);
    for (let seed = 1; seed <= 4; seed++) {
      const run = playOn(registry, 'lossy', `${PLAIN} ${ALL} +DATA_CNT=9000 +ACK_TIMEOUT=7`, seed);
      expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
    }
  });

  it('give the same transcript for the same seed', async () => {
    const hashes: string[] = [];
    for (const seed of [3, 3, 4]) hashes.push((await play('test_random', '+IPV6=0', seed)).transcript.hash);
    expect(hashes[0]).to.equal(hashes[1]);
    expect(hashes[0]).to.not.equal(hashes[2]);
  });

  it('refuse what the NIC has not, before anything is sent', async () => {
    const run = playOn(await loadRegistry(), 'test_direct_param', '+DUT=blue +UC_QP_NUM=2 +SG_NUM=1');
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'PARAM_ERROR']);
  });

  it('refuse what it lacks of the core verbs, and say what that is', async () => {
    const registry = await loadRegistry();
    for (const [plusargs, what] of [
      ['+CQ_INDEX=4', 'completion queues that may overflow'],
      ['+CQ_ENTRIES=4', 'completion queues that may overflow'],
      ['+FIRST_CQ_INDEX=4', 'numbers what it makes by itself'],
      ['+SRQ_NUM=1', 'shared receive queues'],
      ['+AH_PCT=50', 'UD queue pairs, whose datagrams have address handles'],
      ['+ATOMIC_PCT=50', 'atomics'],
    ] as const) {
      const run = playOn(registry, 'test_random_verbs', `+DUT=blue ${plusargs}`);
      expect([run.verdict, run.signature?.id], plusargs).to.deep.equal(['error', 'PARAM_ERROR']);
      expect(run.log, plusargs).to.contain(what);
    }
    for (const [sequence, capability] of [
      ['cq_overflows', 'cqOverflow'],
      ['shared_receives', 'sharedReceives'],
      ['recreated_shared_receives', 'sharedReceives'],
      ['queried_queues', 'queryCq'],
      ['queried_regions', 'queryMr'],
      ['address_handles', 'UD queue pairs'],
      ['revived_atomics', 'atomics'],
    ] as const) {
      const plusargs = [...PLAIN.split(' '), '+RC_QP_NUM=1', `+UVM_TEST_SEQ=${sequence}`];
      const [problem = ''] = checkSpec({ testName: 'test_sequence', seed: 1, plusargs }, registry);
      expect(problem).to.match(
        new RegExp(`^\\+UVM_TEST_SEQ=${sequence} needs what blue does not have: .*${capability}`),
      );
    }
    const own = await play('test_sequence', '+RC_QP_NUM=1 +UVM_TEST_SEQ=unsignaled_requests +SEQ_COUNT=1');
    expect(own.verdict).to.equal('passed');
  });
});
