/** Where the hosts of a scenario meet, and where they find each other's connection ends. */
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Endpoint } from './endpoint.ts';

export interface BatchGate {
  /** Waits for all hosts. */
  together(): Proc<void>;
  /** Returns when every host has posted the receives of this doorbell. */
  begin(host: number, doorbell: number): Proc<void>;
  /** Returns when every host has its completions, nothing moves, and the judge knows. */
  end(host: number): Proc<void>;
  /** A host takes part no longer: its device is gone. */
  leave(host: number): void;
  /** A connection end of any host, undefined where it is not there. All hosts must have come up. */
  endpoint(host: number, qp: number): Endpoint | undefined;
}
