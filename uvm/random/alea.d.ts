/** The one file of `seedrandom` that is loaded; its types describe the whole package only. */
declare module 'seedrandom/lib/alea.js' {
  import type seedrandom from 'seedrandom';

  /** A generator seeded with a string, whose state can be taken; or one that goes on from a state. */
  export default function alea(
    seed: string,
    options: { state: true | seedrandom.State.Alea },
  ): seedrandom.StatefulPRNG<seedrandom.State.Alea>;
}
