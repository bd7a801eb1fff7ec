import { expect } from 'chai';
import { registryOf } from '../../../../bin/registry.ts';
import type { ProviderCapabilities } from '../../../../env/verbs/capabilities.ts';
import type { EnvOptions } from '../../../../env/envSettings.ts';
import { HanguProvider } from '../../../../dut-model/hangu/driver/hanguProvider.ts';
import { HANGU_CAPABILITIES } from '../../../../dut-model/hangu/driver/hanguSettings.ts';
import { TestDirectParam } from '../../../testDirectParam.ts';
import { TestRandom } from '../../../testRandom.ts';
import { type Played, playOn } from '../../tests/harness.ts';

/** For the type checker, which would have `generate`, a protected method, come from one class. */
const Random = TestRandom as unknown as typeof TestDirectParam;

/** Plays a test on NICs whose provider denies a capability. */
function playWithout(capability: keyof ProviderCapabilities, line: string, Base = TestDirectParam): Played {
  class Lesser extends HanguProvider {
    override readonly capabilities = { ...HANGU_CAPABILITIES, [capability]: false };
  }
  class Denied extends Base {
    static override readonly typeName = 'denied';
    protected override envOptions(): EnvOptions {
      return { ...super.envOptions(), provider: (host) => new Lesser(host) };
    }
  }
  return playOn(registryOf([{ folder: 'tests', name: 'denied', exports: { Denied } }]), 'denied', line);
}

const ALL = '+RC_QP_NUM=1 +UC_QP_NUM=1 +UD_QP_NUM=1 +SEND_WQE_NUM=1 +READ_WQE_NUM=1 +CQ_EVENT=1 +IPV6=1';

describe('a run that needs what a provider denies', () => {
  for (const [capability, what, change] of [
    ['rc', 'RC queue pairs', '+RC_QP_NUM=0'],
    ['uc', 'UC queue pairs', '+UC_QP_NUM=0'],
    ['ud', 'UD queue pairs', '+UD_QP_NUM=0'],
    ['rdmaRead', 'READs', '+READ_WQE_NUM=0'],
    ['events', 'completion events', '+CQ_EVENT=0'],
    ['ipv6', 'IPv6', '+IPV6=0'],
  ] as const) {
    it(`ends before any traffic, and passes with what it is told to change: ${capability}`, () => {
      const { verdict, message, log, counts } = playWithout(capability, ALL);
      expect([verdict, counts['UVM_ERROR'], counts['requests_done']], log).to.deep.equal(['error', 0, 0]);
      const text = `this run needs what the provider of its NIC denies: ${capability}: ${what} (use ${change})`;
      expect(message)
        .to.match(/^\[HCA_LIMITS\] host [01]: /)
        .and.contain(text);
      const name = change.slice(0, -1);
      const changed = ALL.split(' ').map((word) => (word.startsWith(name) ? change : word));
      const run = playWithout(capability, changed.join(' '));
      expect(run.verdict, run.log).to.equal('passed');
    });
  }

  for (const capability of ['atomics', 'inline', 'unsignaled', 'sqd'] as const) {
    it(`there is none among the generated ones: ${capability}`, () => {
      expect(playWithout(capability, ALL).verdict).to.equal('passed');
    });
  }
});

describe('inline data on a provider that denies them', () => {
  it('are refused before any traffic where requests are to have some, and left out of what sequences may do', () => {
    const random = playWithout('inline', '+MAX_INLINE=60', Random);
    expect(random.message).to.contain('inline: inline data (use +MAX_INLINE=0)');
    expect(playWithout('inline', '+MAX_INLINE=0', Random).verdict).to.equal('passed');
    expect(playWithout('inline', '+MAX_INLINE=60').verdict).to.equal('passed');
  });
});
