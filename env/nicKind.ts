/**
 * What the environment, the configuration and the scoreboard have to know of a kind of NIC, besides the NIC itself. It
 * comes with the NIC's entry (bin/nicEntry.ts), chosen by `+DUT`; no room but that of its provider names a concrete one.
 */

import type { NicKnobs } from '../dut-model/nic.ts';
import type { Component } from '../uvm/base/component.ts';
import type { LinkTries } from '../scoreboard/model/linkTries.ts';
import type { Profile } from '../scoreboard/model/profile.ts';
import type { DeviceLimits } from './deviceLimits.ts';
import type { PlaceFinder } from '../agents/pcie/faults/place/accessPlace.ts';
import type { AddressLayout, AddressMap } from './memory/addressMap.ts';
import type { ObservedEnv } from './observedEnv.ts';
import type { ProviderBuilder } from './providers/provider.ts';

/** Whom the rules of a wire tell what the link does to frames that nobody else decodes. */
export interface DisturbedLink {
  /** A frame of host `from` to a queue pair of host `to` arrives otherwise than it was sent, or not. */
  disturbed(from: number, to: number, destQpn: number): void;
  /** Who counts what the link has spoilt of tries. Without one, anything that it did excuses a requester that gives up. */
  countsTries(tries: LinkTries): void;
}

export interface NicKind {
  /**
   * Makes the builder of its host software. Called once for each environment, and what it returns once for each host: what
   * the providers of one environment share is made here.
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
   * Default: the wire is RoCEv2, and the monitor of that judges it. `knobsOf` says how the NIC of a host is set.
   */
  readonly checks?: (env: ObservedEnv, told: DisturbedLink, knobsOf: (host: number) => NicKnobs) => Component;
  /** Knobs that switch its congestion notification on. Default: it has none that could be. */
  readonly ecnKnobs?: NicKnobs;
  /** Where its software puts things in host memory. */
  readonly layout: AddressLayout;
  /** Makes what says what the addresses of a host hold, for fault rules of PCIe. Default: data are known from all else. */
  readonly places?: (map: AddressMap) => PlaceFinder;
}
