/** Planted bugs that leave no trace in what scenarios look at: runs under the judge show them (tests/spec/faults/blueJudge.spec.ts, blueBugs.spec.ts). */
export const JUDGED_BUGS: ReadonlySet<string> = new Set([
  'whole_blocks_read',
  'damaged_frames_taken',
  'reserved_bits_set',
  'old_chunk_again',
  'ack_checksum_wrong',
  'head_too_far',
  'acknowledged_again',
  'read_answered_twice',
  'raw_slot_behind',
]);
