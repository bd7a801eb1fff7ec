/** Bugs of host software that no NIC can have, to prove the cases that are about it (`+CASE_BUG`). */
import type { RecvWr, SendWr } from '../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import { HostApiError } from '../../env/verbs/hostErrors.ts';
import type { QpAttributeName, QpAttributes } from '../../env/verbs/qpAttributes.ts';
import { attributesOf } from '../../env/verbs/qpAttributes.ts';
import { describe, transition } from '../../env/verbs/qpTransitions.ts';
import type { Qp } from '../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
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

/** A list of requests that is posted to a queue pair: by `api.postSend` or `api.postRecv`. */
export interface Posting {
  readonly api: HostApi;
  readonly qp: Qp;
  readonly wrs: readonly SendWr[] | readonly RecvWr[];
  readonly post: () => Proc<void>;
}

const POSTING_BUGS = {
  /** Nothing of a list is posted in which one is wrong. */
  list_dropped: ({ qp, wrs, post }: Posting): Proc<void> => {
    const wrong = wrs.findIndex(({ numSge }) => numSge > qp.maxSge);
    if (wrong < 0) return post();
    throw new HostApiError('TOO_MANY_SGE', describe(qp), `request ${wrong}`, 'use fewer entries').at(wrong);
  },
  /** A receive for a queue pair that shares its receives goes to the shared queue. */
  receive_shared: ({ api, qp, wrs, post }: Posting): Proc<void> =>
    qp.srq === null ? post() : api.postSrqRecv(qp.srq, wrs as readonly RecvWr[], wrs.length),
} as const;

/** Names of the bugs. */
export const SOFTWARE_BUGS: readonly string[] = [...Object.keys(BUGS), ...Object.keys(POSTING_BUGS), ...CODEC_BUGS];

/** Posts a list by software that has a bug. */
export function postWithBug(bug: string, posting: Posting): Proc<void> {
  return Object.hasOwn(POSTING_BUGS, bug) ? POSTING_BUGS[bug as keyof typeof POSTING_BUGS](posting) : posting.post();
}

/** The attributes that software with a bug gives to its NIC. */
export function withBug(bug: string, qp: Qp, attributes: QpAttributes): QpAttributes {
  return Object.hasOwn(BUGS, bug) ? BUGS[bug as keyof typeof BUGS](qp, attributes) : attributes;
}
