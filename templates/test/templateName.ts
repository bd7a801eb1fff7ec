import { type EnvOptions, TestDirectParam } from 'rnic-verify/test';
import { US } from 'rnic-verify/uvm';

/** The directed test on hosts whose memory answers late. */
export class TemplateName extends TestDirectParam {
  static override readonly typeName: string = 'template_name';
  static override readonly description: string = 'directed, on hosts with busy memory';

  protected override envOptions(): EnvOptions {
    const options = super.envOptions();
    return { ...options, pcie: { ...options.pcie, memoryLatency: 3 * US } };
  }
}
