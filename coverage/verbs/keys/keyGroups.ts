/** Covergroups of keys that requests change: windows, and regions that requests register. */
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';
import { binsof, not } from '../../../uvm/coverage/selection.ts';

/** What has such a key. */
export const KEY_HOLDER = { window1: 1, window2: 2, region: 3 } as const;
/** What is known at the verbs interface of what a key opens; `stale`: its entry has another tag by now. */
export const KEY_STATE = { closed: 0, opening: 1, open: 2, closing: 3, stale: 4 } as const;
export const KEY_CHANGE = { bindType1: 0, bindType2: 1, register: 2, invalidate: 3, invalidateRemotely: 4 } as const;
export const KEY_END = { success: 0, refused: 1, flushed: 2, other: 3 } as const;
export const KEY_VERB = { read: 0, write: 1, atomic: 2, ownList: 3 } as const;
/** What takes a key away. */
export const KEY_TAKER = { invalidate: 0, invalidateRemotely: 1, freed: 2 } as const;
/** What is outstanding with it then: the first that holds. */
export const KEY_UNDER = { nothing: 0, otherInvalidation: 1, longRead: 2, longWrite: 3, atomic: 4, short: 5 } as const;

/** A request that has changed a key, or has not. One object for all: valid while it is sampled. */
export class KeyChangeSample {
  change = 0;
  /** What its key was in when it was posted. */
  state = 0;
  end = 0;
  fenced = false;
}

export const keyChangeCg = covergroup<KeyChangeSample>(
  'key_change_cg',
  { comment: 'requests that change keys: what they find, and their result' },
  (g) => {
    const change = g.coverpoint('change', (s) => s.change, enumBins(KEY_CHANGE));
    const state = g.coverpoint('state', (s) => s.state, enumBins(KEY_STATE));
    const end = g.coverpoint('end', (s) => s.end, enumBins(KEY_END));
    const fence = g.coverpoint('fence', (s) => (s.fenced ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.cross('change_x_end', [change, end], {
      ignore: { sends_nothing: not(binsof(change, 'invalidateRemotely')).and(binsof(end, 'other')) },
    });
    g.cross('change_x_state', [change, state], {
      ignore: {
        names_the_entry: not(binsof(change, 'invalidate').or(binsof(change, 'invalidateRemotely'))).and(
          binsof(state, 'stale'),
        ),
      },
    });
    g.cross('change_x_fence', [change, fence]);
  },
);

/** A request that names such a key. */
export class KeyUseSample {
  verb = 0;
  holder = 0;
  state = 0;
}

export const keyUseCg = covergroup<KeyUseSample>(
  'key_use_cg',
  {
    comment:
      'requests that name keys which requests change: their operation, and what the key is in as they are posted',
  },
  (g) => {
    const verb = g.coverpoint('verb', (s) => s.verb, enumBins(KEY_VERB));
    const holder = g.coverpoint('holder', (s) => s.holder, enumBins(KEY_HOLDER));
    const state = g.coverpoint('state', (s) => s.state, enumBins(KEY_STATE));
    g.cross('verb_x_state', [verb, state]);
    g.cross('verb_x_holder', [verb, holder]);
    g.cross('holder_x_state', [holder, state], {
      // Nothing closes a window of type 1 but a bind to no bytes, whose key nobody is given.
      ignore: { type1_closed: binsof(holder, 'window1').and(binsof(state, 'closed')) },
    });
  },
);

/** A key that a request gives. */
export class KeyTagSample {
  holder = 0;
  tag = 0;
  /** Entry and tag had been used before. */
  isReused = false;
  /** Tag of the key before, to this one, modulo 256. */
  step = 0;
}

export const keyTagCg = covergroup<KeyTagSample>(
  'key_tag_cg',
  { comment: 'keys that requests give: their tags, and which of them come back' },
  (g) => {
    const holder = g.coverpoint('holder', (s) => s.holder, enumBins(KEY_HOLDER));
    const tag = g.coverpoint('tag', (s) => s.tag, [bins('zero', 0), bins('middle', [1, 254]), bins('last', 255)]);
    const reuse = g.coverpoint('reused', (s) => (s.isReused ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.coverpoint('step', (s) => s.step, [bins('same', 0), bins('next', 1), bins('other', [2, 255])]);
    g.cross('holder_x_reused', [holder, reuse]);
    g.cross('tag_x_reused', [tag, reuse]);
  },
);

/** A key that is taken away. */
export class KeyRaceSample {
  taker = 0;
  under = 0;
  holder = 0;
}

export const keyRaceCg = covergroup<KeyRaceSample>(
  'key_race_cg',
  { comment: 'keys that are invalidated or freed, and what is outstanding with them then' },
  (g) => {
    const taker = g.coverpoint('taker', (s) => s.taker, enumBins(KEY_TAKER));
    const under = g.coverpoint('under', (s) => s.under, enumBins(KEY_UNDER));
    const holder = g.coverpoint('holder', (s) => s.holder, enumBins(KEY_HOLDER));
    g.cross('taker_x_under', [taker, under]);
    g.cross('taker_x_holder', [taker, holder]);
  },
);
