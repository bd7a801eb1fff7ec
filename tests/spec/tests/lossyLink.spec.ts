import { expect } from 'chai';
import { registryOf } from '../../../bin/registry.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { TestDirectParam } from '../../testDirectParam.ts';
import { type Played, playOn } from './harness.ts';

/** The directed test on a link that loses one frame in fifty. */
class Lossy extends TestDirectParam {
  static override readonly typeName: string = 'lossy';
  static lost = 0;

  protected override envOptions(): EnvOptions {
    const random = this.run.random.fast(this.fullName, 'loss');
    const linkFaults: EnvOptions['linkFaults'] = {
      judge: (_frame, verdict) => {
        verdict.drop = random.chance(0.02);
        if (verdict.drop) Lossy.lost++;
      },
    };
    return { ...super.envOptions(), linkFaults, lossAllowed: true };
  }
}

const DATA = '+DATA_CNT=8 +DATA_UNIT=KB';

function playLossy(line: string, seed = 1): Played {
  return playOn(registryOf([{ folder: 'tests', name: 'lossy', exports: { Lossy } }]), 'lossy', `${DATA} ${line}`, seed);
}

describe('a link that loses frames', () => {
  for (const timer of ['', '+ACK_TIMEOUT=8', '+ACK_TIMEOUT=20', '+RETRY_CNT=3 +STALL_TIME=10ms']) {
    it(`makes no NIC stuck that waits for its ACK timer, ${timer === '' ? 'as it is by default' : `with ${timer}`}`, () => {
      Lossy.lost = 0;
      for (let seed = 1; seed <= 5; seed++) {
        const run = playLossy(`+RC_QP_NUM=4 +WRITE_WQE_NUM=8 +SEND_WQE_NUM=2 ${timer}`, seed);
        expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
      }
      expect(Lossy.lost).to.be.above(20);
    });
  }

  for (const reads of [1, 16]) {
    it(`may be crossed by READs, ${reads} at a time`, () => {
      const mix = '+RC_QP_NUM=6 +DB_NUM=3 +SEND_WQE_NUM=2 +WRITE_WQE_NUM=2 +READ_WQE_NUM=5 +SG_NUM=2 +ACK_TIMEOUT=6';
      for (let seed = 1; seed <= 5; seed++) {
        const run = playLossy(`${mix} +MAX_RD_ATOMIC=${reads} +DATA_CNT=100 +DATA_UNIT=B`, seed);
        expect(run.verdict, `seed ${seed}\n${run.log}`).to.equal('passed');
      }
    });
  }

  for (const timer of ['+ACK_TIMEOUT=8', '+ACK_TIMEOUT=18', '+ACK_TIMEOUT=31', '+ACK_TIMEOUT=0']) {
    it(`hides no queue pair that is stuck, with ${timer}`, () => {
      const run = playLossy(`+RC_QP_NUM=4 +WRITE_WQE_NUM=1 +DB_NUM=10 +DUT_FAULT=cqe_lost ${timer}`);
      expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_STUCK']);
    });
  }

  for (const line of [
    '+RC_QP_NUM=1 +UD_QP_NUM=4 +SEND_WQE_NUM=8 +DATA_CNT=1',
    '+UC_QP_NUM=4 +SEND_WQE_NUM=8',
    '+UC_QP_NUM=4 +WRITE_WQE_NUM=8 +IMM=100',
  ]) {
    it(`lets software give up receives that nobody fills: ${line}`, () => {
      Lossy.lost = 0;
      for (let seed = 1; seed <= 2; seed++) {
        const run = playLossy(`${line} +DB_NUM=3`, seed);
        expect(run.verdict, run.log).to.equal('passed');
      }
      expect(Lossy.lost).to.be.above(4);
    });
  }

  it('may be crossed by WRITEs of UC, which nobody waits for', () => {
    for (let seed = 1; seed <= 2; seed++) {
      const run = playLossy('+UC_QP_NUM=4 +WRITE_WQE_NUM=8', seed);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });
});
