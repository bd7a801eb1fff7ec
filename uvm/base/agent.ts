import type { Run } from '../run.ts';
import { Component } from './component.ts';

/**
 * Base of agents (1800.2 13.4 `uvm_agent`): an active one drives and observes, a passive one observes only. Which it
 * is says the configuration field `is_active` (`UVM_ACTIVE`, `UVM_PASSIVE`, 1 or 0), read when it is constructed.
 * @public
 */
export abstract class Agent extends Component {
  /** Default true. */
  readonly isActive: boolean;

  constructor(name: string, parent: Component | Run) {
    super(name, parent);
    const value = this.config<string | number | boolean>('is_active');
    this.isActive = value !== 'UVM_PASSIVE' && value !== 0 && value !== false;
  }
}
