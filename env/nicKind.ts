/**
 * What the environment, the configuration and the scoreboard have to know of a kind of NIC, besides the NIC itself. It
 * comes with the NIC's entry, chosen by `+DUT`; no room but its own folder names a concrete one.
 */

import type { NicBuilder, NicKnobs } from '../dut-model/nic.ts';
import type { NicKnob } from '../dut-model/nicKnob.ts';
import type { Component } from '../uvm/base/component.ts';
import type { CardGeometry } from '../agents/ddr/cardGeometry.ts';
import type { LinkTries } from '../scoreboard/model/linkTries.ts';
import type { Profile } from '../scoreboard/model/profile.ts';
import type { DeviceLimits } from './deviceLimits.ts';
import type { PlaceFinder } from '../agents/pcie/faults/place/accessPlace.ts';
import type { AddressLayout, AddressMap } from './memory/addressMap.ts';
import type { ObservedEnv } from './observedEnv.ts';
import type { ProviderBuilder } from './providers/provider.ts';

/** Whom the rules of a wire tell what the link does to frames that nobody else decodes. @public */
export interface DisturbedLink {
  /** A frame of host `from` to a queue pair of host `to` arrives otherwise than it was sent, or not. */
  disturbed(from: number, to: number, destQpn: number): void;
  /** Who counts what the link has spoilt of tries. Without one, anything that it did excuses a requester that gives up. */
  countsTries(tries: LinkTries): void;
}

/** @public */
export interface NicKind {
  /**
   * Makes the builder of its host software. Called once for each environment, and what it returns once for each host with a
   * NIC of this kind. What the providers of all hosts share they find at their host (`ProviderHost.shared`).
   */
  provider(): ProviderBuilder;
  /** What a run is held against before time 0. */
  readonly limits: DeviceLimits;
  /** What cannot be seen of it: the scoreboard judges by that. */
  readonly profile: Profile;
  /** What knobs of the NIC change of that. Default nothing. */
  readonly profileOf?: (knobs: NicKnobs) => Partial<Profile>;
  /**
   * Makes what judges the rules of its own wire, or of its own rings, as a child of the environment; it connects itself.
   * Default: the wire is RoCEv2, and the monitor of that judges it. `knobsOf` says how the NIC of a host is set, `hosts` which
   * hosts have NICs with these rules; kinds that name the same function share what it makes.
   */
  readonly checks?: (
    env: ObservedEnv,
    told: DisturbedLink,
    knobsOf: (host: number) => NicKnobs,
    hosts: readonly number[],
  ) => Component;
  /**
   * Memory on the card that its NIC has behind its controllers, with these knobs. Its address map then gives card addresses
   * (`CARD_SPACE_HI`) for data that lie there. Default: it has none.
   */
  readonly cardMemory?: (knobs: NicKnobs) => CardGeometry;
  /**
   * What the bridge of its host adds to the upper half of addresses of host memory, with these knobs: the NIC reaches them there, and
   * its software must tell it so (`AddressMap.busHi`). Default: nothing.
   */
  readonly inboundHi?: (knobs: NicKnobs) => number;
  /** Knobs that switch its congestion notification on. Default: it has none that could be. */
  readonly ecnKnobs?: NicKnobs;
  /** Where its software puts things in host memory. */
  readonly layout: AddressLayout;
  /** Makes what says what the addresses of a host hold, for fault rules of PCIe. Default: data are known from all else. */
  readonly places?: (map: AddressMap) => PlaceFinder;
}

/** The NIC of one host of a run whose hosts have different ones. */
export interface NicOfHost {
  readonly builder: NicBuilder;
  readonly kind: NicKind;
  /** Whether it has a knob of this name, in any spelling: it is given no others. */
  takesKnob(name: string): boolean;
}

/** A bug that `+DUT_FAULT=` plants in a model. @public */
export interface FaultEntry {
  readonly name: string;
  readonly description: string;
  /** Plusargs without which it does not act, beyond those of the entry's `stimulus`, or beyond many requests of all kinds. */
  readonly needs?: readonly string[];
  /**
   * Words of the event that decides the finding, as `failure.md` has them, in which `#` stands for any number:
   * `RC ACKNOWLEDGE, PSN #`. Default: none is named.
   */
  readonly decides?: string;
  /** Report ids of which at least one must be seen; none: no check sees it yet. Default: any will do. */
  readonly caughtBy?: readonly string[];
}

/** What is known to fail with a kind of NIC: fields as in `known_issues.yaml` (docs/running.md). @public */
export interface KnownIssueOfKind {
  /** Report id of the finding. */
  readonly id: string;
  /** What its text contains, or a pattern of all of it. Default: any. */
  readonly text?: string;
  /** Test, by name or pattern. Default: any. */
  readonly test?: string;
  /** Plusargs that the run has. Default: any. */
  readonly plusargs?: Readonly<Record<string, string | number | boolean>>;
  readonly owner: string;
  /** Where it is looked after. */
  readonly link: string;
  /** Day or moment in UTC when it fails again. */
  readonly until: string;
  /** May match findings of several signatures. Default false. */
  readonly broad?: boolean;
}

/** One kind of NIC: everything that is peculiar to it, so that `+DUT` alone chooses it. @public */
export interface NicEntry extends Omit<NicKind, 'provider'> {
  /** Value of `+DUT=`. */
  readonly name: string;
  readonly description: string;
  /**
   * Name of the kind whose model, driver and layout this one builds on; it imports the indexes of these, and nothing else of
   * another kind. Default: none.
   */
  readonly base?: string;
  /**
   * Names of kinds with frames of their own that it can talk to, besides itself, its base and what has the same base. Kinds
   * whose frames are RoCEv2 can all talk to each other. Default: none.
   */
  readonly pairsWith?: readonly string[];
  readonly faults: readonly FaultEntry[];
  /** Findings that do not fail a regression. Default: none. */
  readonly knownIssues?: readonly KnownIssueOfKind[];
  /** File of arguments (`-f`) for a run of `test_direct_param` in which every fault shows, with what it `needs` before it. */
  readonly stimulus?: string;
  /** What `+NIC_<NAME>=` may set, of the NIC or of its software; empty for none. */
  readonly knobs: readonly NicKnob[];
  /** Builder of the NIC with the fault planted; '' = the NIC as it is. */
  nic(fault: string): NicBuilder;
  /** Builder of its host software, in which the fault may be as well. See `NicKind`. */
  provider(fault: string): ProviderBuilder;
}
