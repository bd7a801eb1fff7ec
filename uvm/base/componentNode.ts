import type { Proc } from '../kernel/process.ts';
import type { Objector } from './objection.ts';
import type { Phase } from './phase.ts';

/** Something that is verified once the connections are made, e.g. the number of connections of a port. */
export interface ElaborationCheck {
  /** Resolves what is deferred; a text says what is wrong. */
  resolve(): string | undefined;
}

/** What the phase runner, the factory and the config db need to know of a component: its place and its hooks. */
export interface ComponentNode extends Objector {
  readonly name: string;
  readonly fullName: string;
  readonly parent: ComponentNode | null;
  readonly children: readonly ComponentNode[];
  readonly elaborationChecks: readonly ElaborationCheck[];
  buildPhase(): void;
  connectPhase(): void;
  endOfElaborationPhase(): void;
  startOfSimulationPhase(): void;
  runPhase?(phase: Phase): Proc;
  phaseStarted(phase: Phase): void;
  phaseReadyToEnd(phase: Phase): void;
  phaseEnded(phase: Phase): void;
  extractPhase(): void;
  checkPhase(): void;
  reportPhase(): void;
  finalPhase(): void;
  preAbort(): void;
}
