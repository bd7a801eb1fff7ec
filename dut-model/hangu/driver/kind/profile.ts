/** What a HanGu NIC does unseen, as far as has been found out. */

import type { NicKnobs } from '../../../nic.ts';
import { WC_STATUS } from '../../../../rdma/verbs.ts';
import { MODEL_CHOICES, type TransportChoices } from '../../../../scoreboard/model/transportChoices.ts';
import type { Profile } from '../../../../scoreboard/model/profile.ts';
import { knobValue } from '../../../../env/settings/knobValue.ts';
import { MS, NS, US } from '../../../../uvm/kernel/time.ts';

export const HANGU_PROFILE: Profile = {
  wire: 'rocev2',
  choices: MODEL_CHOICES,
  congestion: (knobs) => ({
    notifies: knobValue(knobs, 'ECN', 0) === 1,
    interval: knobValue(knobs, 'CNP_NS', 50_000) * NS,
  }),
  readTimeout: (knobs) => knobValue(knobs, 'CPL_TIMEOUT_NS', 4_000_000) * NS,
  reactionTime: 10 * US,
  readsPerFrame: 8,
  restTime: 5 * US,
  unseenTime: 10 * US,
  answerTime: MS,
  // Hundreds of turns.
  framesPerTurn: 4096,
  // 10 Gb/s, and 2 us a completion.
  service: { bytePs: 800, piecePs: 0, requestPs: 2 * US },
  readsPerPiece: 4,
  readsPerRequest: 16,
  bytesPerRequest: 2048,
  doorbellBytes: 8,
  doorbellBurst: 32,
};

/**
 * What knobs of a HanGu NIC change: with `+NIC_ATOMIC_DISCARD=1` it says nothing of atomics that it refuses, with
 * `+NIC_CONTEXT_FATAL=1` a context that it cannot read stops the whole device.
 */
export function hanguProfileOf(knobs: NicKnobs): Partial<Profile> {
  const isOn = (plain: string): boolean =>
    Object.entries(knobs).some(([name, value]) => isName(name, plain) && value !== 0);
  const choices: Partial<TransportChoices> = {
    ...(isOn('mwtype2a') ? { windowType2: '2A' } : {}),
    ...(isOn('deregbound') ? { boundRegion: 'windows die' } : {}),
    ...(isOn('bindforeign') ? { bindsForeignWindows: true } : {}),
    ...(isOn('invnak') ? { refusedInvalidate: 'nak' } : {}),
    ...(isOn('invprotection') ? { failedLocalInvalidate: WC_STATUS.locProtErr } : {}),
    ...(isOn('invunfenced') ? { localInvalidateFenced: false } : {}),
  };
  return {
    ...(Object.keys(choices).length > 0 ? { choices: { ...MODEL_CHOICES, ...choices } } : {}),
    ...(isOn('atomicdiscard') ? { discardsAtomics: true } : {}),
    ...(isOn('contextfatal') ? { failedContexts: 'device' } : {}),
  };
}

/** Names of knobs are compared without case and underscores. */
function isName(typed: string, plain: string): boolean {
  return typed.replaceAll('_', '').toLowerCase() === plain;
}
