/** What an observer (coverage, a trace) sees of the environment: where to connect. */

import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { WireMonitor } from '../agents/wire/wireMonitor.ts';
import type { Component } from '../uvm/base/component.ts';
import type { HostEnv } from './hostEnv.ts';

/** @public */
export interface ObservedEnv extends Component {
  /** By number. Their `ports` and `agent` publish everything. */
  readonly hostEnvs: readonly HostEnv[];
  readonly link: LinkAgent;
  /** Null when frames are not decoded. */
  readonly monitor: WireMonitor | null;
}
