import { expect } from 'chai';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { resolveParameters } from '../../../../config/parameters.ts';
import type { ParameterName } from '../../../../config/table/parameterTable.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

const LINEAGE = ['test_random_verbs', 'test_sequence'];
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

function resolve(line: string, seed: number): ReturnType<typeof resolveParameters> {
  const args = [...line.split(' ').filter((word) => word !== ''), '+DRAW_FAULTS=0', '+DRAW_WIDE=0'];
  return resolveParameters(new Plusargs(args), LINEAGE, seed, { limitsOf: () => HANGU_DEVICE_LIMITS });
}

/** What a run says that it has drawn, as it would be typed. */
function drawnBy(seed: number, line = ''): string {
  const note = resolve(line, seed).notes.find((text) => text.startsWith('PARAM_DRAWN: ')) as string;
  return note.slice('PARAM_DRAWN: '.length);
}

function valuesOf(line: string, seed: number): Record<string, unknown> {
  return { ...resolve(line, seed).config.values };
}

describe('the draws of test_random_verbs', () => {
  it('make a run with some queue pair, that anybody could have typed', () => {
    for (const seed of SEEDS) {
      const { problems, config } = resolve('', seed);
      expect(problems, `seed ${seed}`).to.deep.equal([]);
      const { RC_QP_NUM, UC_QP_NUM, UD_QP_NUM, UVM_TEST_SEQ } = config.values;
      expect(RC_QP_NUM + UC_QP_NUM + UD_QP_NUM).to.be.greaterThan(0);
      expect(UVM_TEST_SEQ).to.equal('random_verbs');
      expect(valuesOf(drawnBy(seed), seed)).to.deep.equal(config.values);
    }
  });

  it('leave alone what is given, and the draws of the others', () => {
    for (const seed of SEEDS.slice(0, 50)) {
      const all = valuesOf('', seed);
      const one = valuesOf('+PCIE_GBPS=7', seed);
      expect(one).to.deep.equal({ ...all, PCIE_GBPS: 7 });
    }
  });

  it('find queue pairs of a service that is not given where those that are have none', () => {
    for (const seed of SEEDS)
      expect(valuesOf('+RC_QP_NUM=0 +UC_QP_NUM=0', seed)['UD_QP_NUM'], `seed ${seed}`).to.be.greaterThan(0);
    expect(resolve('+RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=0', 1).problems).to.have.lengthOf(1);
  });

  it('never contradict what is given', () => {
    const lines = [
      '+SEND_WQE_NUM=20',
      '+SG_NUM=16',
      '+RC_QP_NUM=8192',
      '+RC_QP_NUM=4200',
      '+RC_QP_NUM=1000',
      '+MAX_SEND_WR=16000 +MAX_RECV_WR=16000',
      '+DATA_CNT=100 +DATA_UNIT=MB',
    ];
    for (const line of lines)
      for (const seed of SEEDS) expect(resolve(line, seed).problems, `${line}, seed ${seed}`).to.deep.equal([]);
  });

  it('leave what is wrong in the given values to those alone', () => {
    for (const seed of SEEDS.slice(0, 20)) {
      const { problems } = resolve('+RC_QP_NUM=8192 +UD_QP_NUM=1', seed);
      expect(problems, `seed ${seed}`).to.have.lengthOf(1);
      expect(problems[0]).to.contain('+RC_QP_NUM=8192').and.to.contain('+UD_QP_NUM=1');
    }
  });

  it('are few in some runs and many in others, and every value is drawn by some', () => {
    const lines = SEEDS.map((seed) => drawnBy(seed).split(' '));
    const counts = lines.map((line) => line.length);
    expect(Math.min(...counts)).to.be.lessThan(10);
    expect(Math.max(...counts)).to.be.greaterThan(20);
    const drawn = new Set(lines.flat());
    const names: readonly ParameterName[] = ['ACK_TIMEOUT', 'PCIE_TAGS', 'LINK_GBPS', 'MAX_RECV_WR'];
    const values = names.map((name) => [...drawn].filter((word) => word.startsWith(`+${name}=`)).length);
    expect(values).to.deep.equal([4, 4, 5, 3]);
  });
});
