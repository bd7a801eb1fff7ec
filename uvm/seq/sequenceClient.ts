import type { Component } from '../base/component.ts';
import type { Phase } from '../base/phase.ts';
import type { Proc } from '../kernel/process.ts';
import type { SequenceItem } from './sequenceItem.ts';

/** What a sequencer needs to know of a sequence. */
export interface SequenceClient {
  /** Unique within the run, from 1; 0 before the first start. */
  readonly id: number;
  readonly fullName: string;
  readonly priority: number;
  readonly parentSequence: SequenceClient | null;
  /** False keeps the sequence out of arbitration for now. */
  isRelevant(): boolean;
  /** Returns when the sequence may have become relevant. */
  waitForRelevant(): Proc;
  /** Takes a response. */
  deliver(response: SequenceItem): void;
  /** Ends the sequence where it waits. */
  kill(): void;
}

/** A sequence of any item type, as its parent, its children and its sequencer see it. */
export interface AnySequence extends SequenceClient {
  readonly name: string;
  readonly parentSequence: AnySequence | null;
  /** Own name after those of the parent sequences. */
  readonly sequencePath: string;
  /** What it runs on. */
  readonly component: Component;
  startingPhase: Phase | null;
  start(on: Component | null, parent?: AnySequence | null, priority?: number, callPrePost?: boolean): Proc;
  preDo?(isItem: boolean): Proc;
  midDo?(child: SequenceItem | AnySequence): void;
  postDo?(child: SequenceItem | AnySequence): void;
}
