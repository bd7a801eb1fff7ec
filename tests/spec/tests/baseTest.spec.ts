import { expect } from 'chai';
import { WireMonitor } from '../../../agents/wire/wireMonitor.ts';
import { PcieMaster } from '../../../agents/pcie/pcieMaster.ts';
import { loadRegistry, type Registry, registryOf } from '../../../bin/registry.ts';
import type { NicBuilder } from '../../../dut-model/nic.ts';
import type { EnvOptions } from '../../../env/envSettings.ts';
import { HcaEnv } from '../../../env/hcaEnv.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { TestRandom } from '../../testRandom.ts';
import { TestSequence } from '../../testSequence.ts';
import { TestSmoke } from '../../testSmoke.ts';
import { play, playOn } from './harness.ts';

/** The registry with more tests. */
async function withTests(
  exports: Record<string, { typeName: string } & (new (n: string, p: never) => object)>,
): Promise<Registry> {
  const registry = await loadRegistry();
  for (const type of Object.values(exports)) registry.factory.register(type.typeName, type);
  const own = registryOf([{ folder: 'tests', name: 'own', exports }]);
  return { ...registry, tests: [...registry.tests, ...own.tests] };
}

describe('a test of a user', () => {
  it('chooses how much is checked by the options of the environment', async () => {
    class Loose extends TestSmoke {
      static override readonly typeName: string = 'loose';
      protected override envOptions(): EnvOptions {
        return { ...super.envOptions(), checkLevel: CHECK_LEVEL.completions };
      }
      override reportPhase(): void {
        super.reportPhase();
        this.info('LEVEL', String(this.env.scoreboard.level));
      }
    }
    expect(playOn(await withTests({ Loose }), 'loose').log).to.contain('[LEVEL] 1');
  });

  it('is told to call super.buildPhase() where it has not', async () => {
    class Hasty extends TestSmoke {
      static override readonly typeName: string = 'hasty';
      override buildPhase(): void {
        this.info('OWN', 'a build phase of its own');
      }
    }
    const run = playOn(await withTests({ Hasty }), 'hasty');
    expect(run.verdict).to.equal('error');
    expect(run.message).to.contain('a test with a buildPhase() of its own calls super.buildPhase() first');
  });

  it('overrides components at any depth by class, without registering them', async () => {
    const made: string[] = [];
    class OwnEnv extends HcaEnv {
      override connectPhase(): void {
        super.connectPhase();
        made.push(this.fullName, this.monitor?.constructor.name ?? 'none');
      }
    }
    class OwnMonitor extends WireMonitor {}
    class OwnMaster extends PcieMaster {
      override connectPhase(): void {
        made.push(this.fullName);
      }
    }
    class Own extends TestSmoke {
      static override readonly typeName: string = 'own';
      override buildPhase(): void {
        const { factory } = this.run;
        factory.setTypeOverride(HcaEnv, OwnEnv);
        factory.setTypeOverride(WireMonitor, OwnMonitor);
        factory.setInstOverride(PcieMaster, OwnMaster, '*.hca1.*');
        super.buildPhase();
      }
    }
    const run = playOn(await withTests({ Own }), 'own');
    expect(run.verdict, run.log).to.equal('passed');
    expect(made).to.deep.equal(['uvm_test_top.env.hca1.pcie.master', 'uvm_test_top.env', 'OwnMonitor']);
  });

  it('gives one host a NIC of its own', async () => {
    const built: string[] = [];
    class OneNic extends TestSmoke {
      static override readonly typeName: string = 'one_nic';
      override buildPhase(): void {
        const nic = this.config<NicBuilder>('nic_builder') as NicBuilder;
        const noted: NicBuilder = (context, knobs) => {
          built.push(context.name);
          return nic(context, knobs);
        };
        this.run.config.set(this, 'env.hca1', 'nic_builder', noted);
        super.buildPhase();
      }
    }
    const run = playOn(await withTests({ OneNic }), 'one_nic');
    expect(run.message, run.log).to.equal('');
    expect(built).to.deep.equal(['uvm_test_top.env.hca1.nic']);
  });

  it('has the defaults of the test that it extends, and its draws', async () => {
    class Pings extends TestSequence {
      static override readonly typeName: string = 'pings';
    }
    class Draws extends TestRandom {
      static override readonly typeName: string = 'draws';
    }
    const registry = await withTests({ Pings, Draws });
    const pings = playOn(registry, 'pings');
    expect([pings.verdict, pings.parameters.UVM_TEST_SEQ], pings.log).to.deep.equal(['passed', 'ping_pong']);
    expect(playOn(registry, 'draws').log).to.contain('PARAM_DRAWN');
  });

  it('is told by the factory when a component is to take the place of a sequence', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=ping_pong +uvm_set_type_override=ping_pong,test_smoke');
    expect(run.message).to.contain("is overridden by 'test_smoke', which is a component");
  });
});
