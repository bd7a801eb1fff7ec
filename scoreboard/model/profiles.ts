/** What the NICs of a run do unseen, by host: their kinds and their knobs may differ. */
import type { Profile } from './profile.ts';

export class Profiles {
  readonly #byHost: readonly Profile[];
  readonly #first: Profile;

  /** @param profiles by host, at least one; hosts beyond have the first one's */
  constructor(...profiles: readonly [Profile, ...Profile[]]) {
    this.#byHost = profiles;
    [this.#first] = profiles;
  }

  /** That of the NIC of a host; of no host in particular (-1) that of host 0. */
  of(host: number): Profile {
    return this.#byHost[host] ?? this.#first;
  }

  /** Whether something holds for any of the NICs. */
  some(holds: (profile: Profile) => boolean): boolean {
    return this.#byHost.some(holds);
  }
}
