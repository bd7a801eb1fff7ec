import { expect } from 'chai';
import { registryOf } from '../../../bin/registry.ts';
import { BLUE_KNOBS, resolveBlueConfig } from '../../../dut-model/blue-rdma/blueConfig.ts';
import { BlueNic } from '../../../dut-model/blue-rdma/blueNic.ts';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/faults/blueFaults.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { BlueProvider } from '../../../env/providers/blue-rdma/blueProvider.ts';
import { DRIVER_FAULTS } from '../../../env/providers/blue-rdma/faults/driverFaults.ts';
import { TestDirectParam } from '../../testDirectParam.ts';
import { TestRandom } from '../../testRandom.ts';
import type { NicEntry } from '../../../bin/nicEntry.ts';
import { type Played, playOn } from '../tests/harness.ts';

/** The NIC, with one of its bugs. */
const BLUE: NicEntry = {
  name: 'blue',
  description: 'blue-rdma NIC, transaction-level model',
  faults: BLUE_FAULTS,
  knobs: BLUE_KNOBS,
  builder: (fault) => (context, knobs) => {
    const planted = BLUE_FAULTS.find(({ name }) => name === fault);
    return new BlueNic(context, resolveBlueConfig(knobs), planted?.blocks);
  },
};

/** Bug of the driver in the next run, and whether its link loses one frame in fifty. */
let driverFault = '';
let lossy = false;

/** Its frames are no RoCEv2, and its pages are 2 MiB: the wire monitor is off, pages are contiguous. */
function blueOptions(options: EnvOptions, chance: (p: number) => boolean): EnvOptions {
  const planted = DRIVER_FAULTS.find(({ name }) => name === driverFault);
  const linkFaults: EnvOptions['linkFaults'] = {
    judge: (_frame, verdict) => {
      verdict.drop = chance(0.02);
    },
  };
  return {
    ...options,
    provider: (host) => new BlueProvider(host, { parts: planted?.parts ?? {} }),
    wireMonitor: false,
    pages: 'contiguous',
    ...(lossy ? { linkFaults, lossAllowed: true } : {}),
  };
}

class BlueDirect extends TestDirectParam {
  static override readonly typeName: string = 'blue_direct';
  protected override envOptions(): EnvOptions {
    const random = this.run.random.fast(this.fullName, 'loss');
    return blueOptions(super.envOptions(), (p) => random.chance(p));
  }
}

class BlueRandom extends TestRandom {
  static override readonly typeName: string = 'blue_random';
  protected override envOptions(): EnvOptions {
    const random = this.run.random.fast(this.fullName, 'loss');
    return blueOptions(super.envOptions(), (p) => random.chance(p));
  }
}

const PLAIN = '+DUT=blue +UC_QP_NUM=0 +UD_QP_NUM=0 +SG_NUM=1 +PSN=0 +MAX_INLINE=0 +IPV6=0';
const ALL = '+DB_NUM=3 +SEND_WQE_NUM=2 +RECV_WQE_NUM=2 +WRITE_WQE_NUM=3 +READ_WQE_NUM=2';

function play(test: string, line: string, seed = 1): Played {
  const registry = registryOf([{ folder: 'tests', name: 'blue', exports: { BlueDirect, BlueRandom } }]);
  return playOn(
    { ...registry, nics: [...registry.nics, BLUE] },
    test,
    `${PLAIN} ${line.includes('RC_QP') ? line : `+RC_QP_NUM=4 ${line}`}`,
    seed,
  );
}

describe('a blue-rdma NIC and its driver in the environment', function () {
  this.timeout(60_000);

  beforeEach(() => {
    driverFault = '';
    lossy = false;
  });

  for (const line of [
    '',
    ALL,
    `${ALL} +DATA_CNT=9000 +IMM=50`,
    `${ALL} +DATA_OFFSET=4093 +DATA_CNT=77`,
    '+WRITE_WQE_NUM=2 +DATA_CNT=1 +DATA_UNIT=MB',
  ]) {
    it(`pass the directed test under the scoreboard: ${line}`, () => {
      const run = play('blue_direct', line);
      expect([run.verdict, run.counts['UVM_ERROR']], run.log).to.deep.equal(['passed', 0]);
      expect(run.counts['checks']).to.be.above(20);
    });
  }

  it('pass random traffic', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const run = play('blue_random', '+RC_QP_NUM=6', seed);
      expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
    }
  });

  it('pass over a link that loses frames', () => {
    lossy = true;
    for (let seed = 1; seed <= 8; seed++) {
      const run = play('blue_direct', `${ALL} +DATA_CNT=9000 +ACK_TIMEOUT=7`, seed);
      expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
    }
  });

  it('give the same transcript for the same seed', () => {
    const hashes = [3, 3, 4].map((seed) => play('blue_random', '', seed).transcript.hash);
    expect(hashes[0]).to.equal(hashes[1]);
    expect(hashes[0]).to.not.equal(hashes[2]);
  });

  for (const fault of ['payload_cut', 'page_of_pair', 'report_before_payload', 'immediate_swapped']) {
    it(`fail with ${fault} of the NIC`, () => {
      const run = play('blue_direct', `${ALL} +DATA_CNT=7777 +IMM=100 +DATA_OFFSET=2096000 +DUT_FAULT=${fault}`);
      expect(run.verdict, run.log).to.equal('failed');
    });
  }

  for (const fault of ['receives_lifo', 'immediate_lost', 'newest_offer', 'length_of_last_packet']) {
    it(`fail with ${fault} of the driver`, () => {
      driverFault = fault;
      const run = play('blue_direct', `${ALL} +DATA_CNT=7777 +IMM=100 +NIC_ACK_REPORT=1`);
      expect(run.verdict, run.log).to.equal('failed');
    });
  }
});
