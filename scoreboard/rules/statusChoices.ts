/**
 * Statuses by which public implementations tell of the same (roce-transport.md 11). The rules speak of those of the model. What a NIC says
 * that has declared another status is judged as if it had said the model's, and the model's status is then the other one: a NIC
 * is held to what it declares.
 */

import { VisibleCompletion, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';
import type { Profiles } from '../model/profiles.ts';
import { MODEL_CHOICES, type TransportChoices } from '../model/transportChoices.ts';

/** Fields whose value is the status of a send request, and of a receive. */
const OF_SENDS = ['unexpectedResponse'] as const;
const OF_RECEIVES = ['tooLongReceive', 'badReceiveEntry', 'failedInvalidate'] as const;

/** The status that a NIC with these choices has in place of another: of the model's its own, and of its own the model's. */
export function declaredStatus(choices: TransportChoices, isSend: boolean, status: number): number {
  for (const field of isSend ? OF_SENDS : OF_RECEIVES) {
    const [own, model] = [choices[field], MODEL_CHOICES[field]];
    if (own === model) continue;
    if (status === model) return own;
    if (status === own) return model;
  }
  return status;
}

export class StatusChoices {
  readonly #profiles: Profiles;
  /** No NIC of the run has declared another status: nothing is looked at. */
  readonly #isModel: boolean;
  readonly #item = new VisibleCompletion();

  constructor(profiles: Profiles) {
    this.#profiles = profiles;
    const fields = [...OF_SENDS, ...OF_RECEIVES];
    this.#isModel = !profiles.some(({ choices }) => fields.some((field) => choices[field] !== MODEL_CHOICES[field]));
  }

  /** A completion as the rules speak of it. Reused: valid until the next one. */
  asOfModel(item: VisibleCompletion): VisibleCompletion {
    const { host, cqn, wc } = item;
    if (this.#isModel || wc.status === WC_STATUS.success) return item;
    const status = declaredStatus(this.#profiles.of(host).choices, wc.isSend, wc.status);
    if (status === wc.status) return item;
    this.#item.host = host;
    this.#item.cqn = cqn;
    this.#item.wc = Object.assign(new WorkCompletion(), wc, { status });
    return this.#item;
  }
}
