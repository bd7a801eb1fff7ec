/** Bugs of host software that no NIC can have, to prove the cases that are about it (`+CASE_BUG`). */
import type { QpAttributeName, QpAttributes } from '../../env/verbs/qpAttributes.ts';
import { attributesOf } from '../../env/verbs/qpAttributes.ts';
import { transition } from '../../env/verbs/qpTransitions.ts';
import type { Qp } from '../../env/verbs/verbsObjects.ts';
import { CODEC_BUGS } from './caseCodec.ts';

/** What a software that has one of these bugs asks for in place of `attributes`. */
const BUGS = {
  /** What a step needs and was not given is taken from what the queue pair has. */
  attribute_guessed: (qp: Qp, attributes: QpAttributes): QpAttributes => {
    const required = transition(qp.type, qp.state, attributes.state)?.required ?? [];
    return { ...pick(attributesOf(qp), required), ...attributes };
  },
  /** What a step does not take is left out in silence. */
  attribute_overlooked: (qp: Qp, attributes: QpAttributes): QpAttributes => {
    const { required = [], optional = [] } = transition(qp.type, qp.state, attributes.state) ?? {};
    return { ...pick(attributes, [...required, ...optional]), state: attributes.state };
  },
} as const;

function pick(from: Partial<QpAttributes>, names: readonly QpAttributeName[]): Partial<QpAttributes> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
}

/** Names of the bugs. */
export const SOFTWARE_BUGS: readonly string[] = [...Object.keys(BUGS), ...CODEC_BUGS];

/** The attributes that software with a bug gives to its NIC. */
export function withBug(bug: string, qp: Qp, attributes: QpAttributes): QpAttributes {
  return Object.hasOwn(BUGS, bug) ? BUGS[bug as keyof typeof BUGS](qp, attributes) : attributes;
}
