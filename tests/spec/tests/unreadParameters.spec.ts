import { expect } from 'chai';
import { loadRegistry, type Registry, registryOf } from '../../../bin/registry.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { BaseTest } from '../../baseTest.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { type Played, play, playOn } from './harness.ts';

const NO_SEQUENCE = 'runs no user sequence; leave it out, or give +UVM_TESTNAME=test_sequence';

/** The warnings, each as the name of the plusarg and the reason. */
function unused({ unused }: Played): string[] {
  return unused.map((text) => text.replace(/^\+(\w+)=\S* never took effect: /, '$1: '));
}

async function withTest(name: string, type: new (n: string, p: never) => object): Promise<Registry> {
  const registry = await loadRegistry();
  registry.factory.register(name, type);
  const own = registryOf([{ folder: 'tests', name: 'own', exports: { type } }]);
  return { ...registry, tests: [...registry.tests, ...own.tests] };
}

describe('parameters that a test does not use', () => {
  it('are named where a test that runs no sequence is told about one', async () => {
    for (const test of ['test_direct_param', 'test_smoke', 'test_random']) {
      const run = await play(test, '+UVM_TEST_SEQ=wrong_keys +SEQ_COUNT=3 +RC_QP_NUM=2');
      expect(unused(run)).to.deep.equal([`UVM_TEST_SEQ: ${test} ${NO_SEQUENCE}`, `SEQ_COUNT: ${test} ${NO_SEQUENCE}`]);
    }
  });

  it('are warnings of which the closing line speaks, unlike that of failed requests, which it counts', async () => {
    expect((await play('test_direct_param', '+SEQ_COUNT=3')).counts['warnings']).to.equal(1);
    const slow = '+RC_QP_NUM=2 +READ_WQE_NUM=2 +ACK_TIMEOUT=2 +RETRY_CNT=1 +LINK_LATENCY_NS=100000';
    const { counts } = await play('test_direct_param', slow);
    expect([counts['UVM_WARNING'], counts['warnings']]).to.deep.equal([1, undefined]);
  });

  it('are named where a sequence is told about requests, whose own it makes', async () => {
    const typed = '+DATA_CNT=5000 +SEND_WQE_NUM=7 +IMM=50 +CQ_EVENT=1 +ONE_SIDE_LAUNCH=1';
    const run = await play('test_sequence', `+UVM_TEST_SEQ=ping_pong +SEQ_COUNT=2 +SG_NUM=2 +SPLIT_CQ=1 ${typed}`);
    const names = unused(run).map((text) => text.split(':')[0]);
    expect(names).to.deep.equal(['DATA_CNT', 'SEND_WQE_NUM', 'IMM', 'CQ_EVENT', 'ONE_SIDE_LAUNCH']);
    expect(unused(run)[0]).to.contain(
      'the sequence ping_pong makes its own requests and does not read it; leave it out',
    );
  });

  it('are named where a sequence repeats nothing', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=wrong_keys +SEQ_COUNT=2 +RC_QP_NUM=2');
    expect(unused(run)).to.deep.equal(['SEQ_COUNT: the sequence wrong_keys repeats nothing by it; leave it out']);
  });

  it('are not named where a sequence reads them', async () => {
    class Reader extends UserSequence {
      static readonly typeName: string = 'reader';
      override *connection(): Proc<void> {
        yield 1;
        this.info('SIZE', `${this.values.DATA_CNT} ${this.values.DATA_UNIT}`);
      }
    }
    const line = '+UVM_TEST_SEQ=reader +DATA_CNT=5 +DATA_UNIT=KB +IMM=1';
    const run = await play('test_sequence', line, 1, ({ factory }) => factory.register('reader', Reader));
    expect(run.log).to.contain('5 KB');
    expect(unused(run).map((text) => text.split(':')[0])).to.deep.equal(['IMM']);
  });

  it('are named in a test of a user, unless it reads them', async () => {
    class Idle extends BaseTest {
      static readonly typeName: string = 'idle';
      protected override *main(): Proc {
        yield 1;
        this.info('COUNT', String(this.settings.values.SEND_WQE_NUM));
      }
    }
    const run = playOn(await withTest('idle', Idle), 'idle', '+SEND_WQE_NUM=2 +DATA_CNT=5 +RC_QP_NUM=1');
    expect(unused(run)).to.deep.equal([
      'DATA_CNT: idle does not read it; leave it out, or give +UVM_TESTNAME=test_direct_param',
    ]);
  });

  it('are named where there is room for inline data and no request is inline, unless nothing is checked', async () => {
    const hint = 'leave it out, or give +UVM_TESTNAME=test_random, or +UVM_TEST_SEQ=inline_data to test_sequence';
    for (const [test, line, who] of [
      ['test_direct_param', '', 'the test test_direct_param'],
      ['test_sequence', '+UVM_TEST_SEQ=ping_pong', 'the sequence ping_pong'],
    ] as const) {
      const run = await play(test, `${line} +RC_QP_NUM=1 +MAX_INLINE=64`);
      expect(unused(run)).to.deep.equal([`MAX_INLINE: no request of ${who} was inline; ${hint}`]);
      expect(unused(await play(test, `${line} +RC_QP_NUM=1 +MAX_INLINE=64 +CHECKS=0`))).to.deep.equal([]);
      expect(unused(await play(test, `${line} +RC_QP_NUM=1 +MAX_INLINE=0`))).to.deep.equal([]);
    }
    const used = await play('test_sequence', '+UVM_TEST_SEQ=inline_data +RC_QP_NUM=1 +MAX_INLINE=64');
    expect(unused(used)).to.deep.equal([]);
  });

  it('are named where knobs are to be drawn in a test that draws none', async () => {
    const run = await play('test_direct_param', '+DRAW_KNOBS=1');
    expect(unused(run)).to.deep.equal([
      'DRAW_KNOBS: test_direct_param draws no knobs; leave it out, or give +UVM_TESTNAME=test_random or test_random_verbs',
    ]);
    expect(unused(await play('test_random', '+DRAW_KNOBS=0'))).to.deep.equal([]);
  });

  it('do not exist where every parameter is used', async () => {
    const line = '+RC_QP_NUM=2 +SEND_WQE_NUM=1 +DB_NUM=1 +DATA_CNT=5 +IMM=10 +CQ_EVENT=1 +MR_GRANULARITY=qp';
    for (const test of ['test_direct_param', 'test_random']) expect(unused(await play(test, line))).to.deep.equal([]);
  });
});
