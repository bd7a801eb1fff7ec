/** Surroundings in which nothing is lost, but the judge has been told that frames may be. */

import { HcaEnv } from '../../env/hcaEnv.ts';
import type { EnvOptions } from '../../env/envSettings.ts';
import type { Component } from '../../uvm/base/component.ts';
import type { Registry } from '../registry.ts';

/** Only the judge is told: what is played, and how long is waited for it, stays as it is on a clean link. */
class LossAllowedEnv extends HcaEnv {
  constructor(name: string, parent: Component) {
    super(name, parent, { ...(parent.config<EnvOptions>('env_options', name) as EnvOptions), lossAllowed: true });
    // Read by tests and sequences when they choose what to play.
    Object.assign(this, { settings: { ...this.settings, lossAllowed: false } });
  }
}

/** Chooses the environment from a registry `withAllowedLoss`. */
export const LOSS_ALLOWED = '+uvm_set_type_override=HcaEnv,LossAllowedEnv';

/** The same registry, with the environment to be chosen. */
export function withAllowedLoss(registry: Registry): Registry {
  const factory = registry.factory.clone();
  factory.register('LossAllowedEnv', LossAllowedEnv, 'bin/bugs');
  return { ...registry, factory };
}
