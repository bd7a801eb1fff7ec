/**
 * What messages about one cause have in common: their text without what is different in each run.
 *
 * Left out are numbers, addresses, times and bytes, the numbers of instances (`hca1`, `host 1 QP 21`), packets and requests
 * by their opcodes and services, what stands in parentheses, the request that a message begins with, and where data were.
 */

/** In place of what is left out. */
const ANY = '#';
/** Behind these characters messages give details, in which runs differ. */
const LONGEST = 300;
/** What a message is about, in front of what it says: `SEND (wrId 448, ...) of host 1 QP 21 (process 2, UD): `. */
const SUBJECT = /^[^:]*\b(?:host|QP|queue pair|hca)\s?\d[^:]*: (?=\S)/;
const SERVICE = String.raw`(?:\b(?:RC|UC|UD) )?`;
const OPCODE = String.raw`\b(?:RDMA_)?(?:SEND|WRITE|READ)(?:_(?:FIRST|MIDDLE|LAST|ONLY|WITH|IMM|INV|INVALIDATE|RESPONSE|REQUEST))+\b`;
/** What a request or a receive does, by the name of its operation; in capitals, unlike verbs in sentences. */
const OPERATION = String.raw`\b(?:RDMA_)?(?:SEND|WRITE|READ|RECV)\b`;

const STEPS: readonly (readonly [RegExp, string])[] = [
  [/\s?\([^()]*\)/g, ''],
  [/\s?\([^()]*\)/g, ''],
  [SUBJECT, ''],
  [new RegExp(SERVICE + OPCODE, 'g'), ANY],
  [new RegExp(SERVICE + OPERATION, 'g'), ANY],
  [/\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/g, ANY],
  // Bytes, hexadecimal numbers with their groups, times and other decimal numbers.
  [/\b[0-9a-f]{2}(?: [0-9a-f]{2}){2,}\b/g, ANY],
  // One byte or two.
  [/(?<=\b(?:expected|found|sends|carries|of) )[0-9a-f]{2}(?: [0-9a-f]{2})?\b(?! [a-z])/g, ANY],
  [/\b0x[0-9a-fA-F_]+/g, ANY],
  [/-?\b\d[\d_]*(?:\.\d+)?(?:[fpnum]?s\b)?/g, ANY],
  // Instances have their numbers at the end: hca1, but not RoCEv2.
  [/(?<=[a-uw-z])\d+\b/g, ANY],
  // One entry or several.
  [/# (SG )?entries\b/g, '# $1entry'],
  [
    /# ((?:send|receive) completion|byte|completion|error|frame|message|packet|poll|receive|region|request|send)s\b/g,
    '# $1',
  ],
  // Where it happened: one cause meets buffers of all kinds, and both queues.
  [/\bdata differ at byte # of #, .*?; expected\b/, 'data differ at byte # of #; expected'],
  [/(?<=\bwritten at #); .*$/, ''],
  [/\b(?:send|receive) (?=completions?\b)/g, ''],
  [/(?<=\bis armed) for (?:solicited completions|any completion)/, ''],
  // A NIC that refuses nothing does not refuse any command.
  [/^.* must be refused with .*$/, 'a command that must be refused is not'],
  // Of queue pairs that are listed the first one says what it is.
  [/; host\b.*$/, ''],
  [/#(?:[ ,]+#)+/g, ANY],
  [/\s+/g, ' '],
];

/** @param message first line of a report's text */
export function signatureText(message: string): string {
  const text = STEPS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), message).trim();
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}
