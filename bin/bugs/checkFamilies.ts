/** Families of checks, for asking what would be found without one of them. */

/** A family, and which ids of findings are its. */
interface CheckFamily {
  readonly name: string;
  readonly says: string;
  readonly ids: RegExp;
}

/** Every finding is of the first family that it fits. */
export const CHECK_FAMILIES: readonly CheckFamily[] = [
  {
    name: 'data',
    says: 'bytes at destinations, in packets and outside of what may be written',
    ids: /^SCB_(DATA|WIRE_DATA|REVERIFY|READ_AGAIN|GUARD|STRAY_WRITE|OVERTAKEN|UD_GRH|RAW_RECEIVED|ANSWERED|ATOMIC_\w+)$/,
  },
  {
    name: 'completions',
    says: 'completion queue entries: which, where, when, and every field',
    ids: /^(SCB_(CQE_ADDR|CQ|QPN|SURPLUS|DUPLICATE|ORDER|WR_ID|UNSIGNALLED|STATUS|REFUSED|OPCODE|BYTE_LEN|IMM|FLAGS|REMOTE_QPN|NO_MESSAGE|RECV_LEN|FAILED_READ|EARLY|MISSING|LEFTOVER_RECV|CQ_OVERFLOW|RAW_COMPLETION|RAW_MISSING)|HCA_CQE_\w+)$/,
  },
  {
    name: 'packets',
    says: 'rules of the wire, and requests as they were posted',
    ids: /^(WIRE_\w+|LINK_\w+|SCB_(WIRE_REQUEST|RAW_SENT|TRANSMISSIONS|CREDITS|FENCE|SOLICITED|UNANSWERED|READ_FORGOTTEN))$/,
  },
  {
    name: 'PCIe',
    says: 'transactions of the NIC on its bus, and with the memory on its card',
    ids: /^((PCIE|DDR)_\w+|HCA_APERTURE)$/,
  },
  {
    name: 'events',
    says: 'completion events and asynchronous events',
    ids: /^(SCB_\w*EVENT\w*|SCB_UNSOLICITED|SEQ_EVENT\w*)$/,
  },
  {
    name: 'progress',
    says: 'work that stands still or waits too long',
    ids: /^(SCB_(STARVED|STUCK|NO_RECEIVE|NOT_RESUMED)|DEADLOCK|PH_TIMEOUT)$/,
  },
  {
    name: 'commands',
    says: 'commands and registers of the NIC, and what it says of itself',
    ids: /^(HCA_\w+|BLUE_\w+|SCB_(REGION_BOUND|QUERY_CQ|QUERY_MR|QUERY_QP|QUERY_SRQ|RESET))$/,
  },
  { name: 'sequences', says: 'what a sequence checks of its own calls', ids: /./ },
];

/** @returns name of the family of a finding */
export function familyOf(id: string): string {
  return CHECK_FAMILIES.find(({ ids }) => ids.test(id))?.name ?? '';
}

/**
 * What the harness of the published article checked: opcode and number of completions, and source against destination at
 * the end of a run. One that waits for a completion in vain notices that too.
 */
const ORIGINAL = /^(SCB_(OPCODE|MISSING|DUPLICATE|SURPLUS|STUCK|DATA)|DEADLOCK)$/;

export function isOriginal(id: string): boolean {
  return ORIGINAL.test(id);
}

/**
 * Families without any one of which a bug would be missed in all runs that have found it.
 * @param runs ids of all findings of each run that has found it
 */
export function neededFamilies(runs: readonly (readonly string[])[]): readonly string[] {
  if (runs.length === 0) return [];
  const needed = CHECK_FAMILIES.filter(({ name }) => runs.every((ids) => ids.every((id) => familyOf(id) === name)));
  return needed.map(({ name }) => name);
}
